import { hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { OutScript, Transaction } from '@scure/btc-signer'
import { outpointOf } from '#server/rails/chain.ts'
import { childKey } from '#server/rails/hd.ts'
import { highestFeeRate, lowestFeeRate } from '#shared/limits.ts'
import { assetDecimals, formatDecimal } from '#shared/money.ts'
import { addressOfScript, type BitcoinAccount, branches, outputScript, scriptOfAddress } from './addresses.ts'
import { type PsbtRefusal, psbtRefusals } from './messages.ts'
import { idOf } from './wire.ts'

/** A spendable output of the account. */
export type Unspent = {
  transactionId: string
  /** Index of the output in its transaction. */
  position: number
  satoshi: bigint
  /** Path of its address in the account. */
  branch: number
  addressIndex: number
}

export type PayoutRequest = {
  account: BitcoinAccount
  unspent: readonly Unspent[]
  /** Outpoints of `unspent` that it must spend, so that it conflicts with an earlier transaction. */
  mustSpend?: readonly string[]
  payments: readonly { address: string; satoshi: bigint }[]
  /** Index of an unused address on the change branch. */
  changeIndex: number
  /** Satoshi per virtual byte, a whole number within the limits of shared/limits.ts. */
  feeRate: number
  /** Raw transactions of the outputs, by id: hardware wallets need them to sign P2WPKH. */
  previous?: ReadonlyMap<string, Uint8Array>
}

/** An unsigned payout for a hardware or offline wallet. */
export type Payout = {
  /** BIP-174, version 0, in base64. */
  psbt: string
  /** Signing does not change it, because all inputs are segregated witness (BIP-141). A fee bump does. */
  transactionId: string
  inputs: { outpoint: string; satoshi: bigint }[]
  feeSatoshi: bigint
  /** Upper bound in virtual bytes: a signature may be a byte shorter. */
  vsize: number
  /** The last output, after the payments in their given order; null if the rest is not worth an output. */
  change: { address: string; addressIndex: number; satoshi: bigint } | null
}

/** Hardware wallets need a second or more per input, and some accept no more than this. */
export const mostInputs = 100

/** The database stores the file, and each input's raw transaction may have a hundred kilobytes. */
const mostBytes = 5 * 2 ** 20

/** Satoshi per byte of creating and spending an output, below which nodes do not relay it (dustRelayFee of Bitcoin Core). */
const DUST_RATE = 3n
/** Replaceable by a transaction with a higher fee (BIP-125). */
const REPLACEABLE = 0xffff_fffd
const WITNESS_BYTES_PER_VBYTE = 4

/**
 * Builds an unsigned payout, deterministically. It spends the largest outputs first and skips those that cost more to spend than they
 * hold; the rest is change, or goes to the fee if it is dust.
 * @throws AppError wrong_state (psbtRefusals)
 */
export function buildPayout({
  account,
  unspent,
  mustSpend = [],
  payments,
  changeIndex,
  feeRate,
  previous = new Map(),
}: PayoutRequest): Payout {
  if (!Number.isInteger(feeRate) || feeRate < lowestFeeRate || feeRate > highestFeeRate)
    throw new RangeError(
      `the fee rate is a whole number from ${lowestFeeRate} to ${highestFeeRate}, not ${feeRate}`,
    )
  const outputs = payments.map(payment => paid(payment, account))
  if (outputs.length === 0) throw psbtRefusals.error({ reason: 'nothing_to_pay' })
  const changeScript = outputScript(account, branches.change, changeIndex)
  const { chosen, change } = choose(
    partsOf(unspent, mustSpend),
    outputs,
    changeScript,
    account,
    BigInt(feeRate),
  )
  const all = change === null ? outputs : [...outputs, { script: changeScript, satoshi: change }]
  const transaction = new Transaction({ version: 2 })
  for (const output of chosen) transaction.addInput(inputOf(output, account, previous))
  for (const { script, satoshi } of outputs) transaction.addOutput({ script, amount: satoshi })
  if (change !== null) {
    const derivation = derivationOf(account, branches.change, changeIndex)
    transaction.addOutput({ script: changeScript, amount: change, ...derivation })
  }
  const psbt = transaction.toPSBT(0)
  if (psbt.length > mostBytes) throw psbtRefusals.error({ reason: 'file_too_large' })
  return {
    psbt: base64.encode(psbt),
    transactionId: idOf(transaction.unsignedTx),
    inputs: chosen.map(output => ({ outpoint: nameOf(output), satoshi: output.satoshi })),
    feeSatoshi: sumOf(chosen) - sumOf(all),
    vsize: vsizeOf(account, chosen.length, all),
    change:
      change === null
        ? null
        : {
            address: addressOfScript(changeScript, account.network)!,
            addressIndex: changeIndex,
            satoshi: change,
          },
  }
}

type Output = { script: Uint8Array; satoshi: bigint }

/**
 * Why a payment is impossible in any payout, or null.
 * @param satoshi undefined if not known yet
 */
export function paymentRefusal(
  { address, satoshi }: { address: string; satoshi: bigint | undefined },
  { network }: BitcoinAccount,
): PsbtRefusal | null {
  const script = scriptOfAddress(address, network)
  if (!script) return { reason: 'wrong_network', address, network: network.name }
  // Anyone could spend an output of a witness version without rules (BIP-141).
  const isKnown = script[0]! <= 0 || script[0]! > 0x60 || (script[0] === 0x51 && script.length === 34)
  if (!isKnown) return { reason: 'unsafe_address', address }
  if (!isPayable(script)) return { reason: 'unspendable_address', address }
  const dust = dustOf(script)
  if (satoshi === undefined || satoshi >= dust) return null
  return { reason: 'dust', address, amount: btc(satoshi), minimum: btc(dust) }
}

function paid(payment: PayoutRequest['payments'][number], account: BitcoinAccount): Output {
  const refusal = paymentRefusal(payment, account)
  if (refusal) throw psbtRefusals.error(refusal)
  return { script: scriptOfAddress(payment.address, account.network)!, satoshi: payment.satoshi }
}

/** The program of a P2TR address must be a point of the curve (BIP-341), as half of all numbers are. */
function isPayable(script: Uint8Array): boolean {
  return OutScript.decode(script).type !== 'unknown'
}

type Spendable = { fixed: Unspent[]; others: Unspent[] }

function partsOf(unspent: readonly Unspent[], mustSpend: readonly string[]): Spendable {
  const isFixed = (output: Unspent) => mustSpend.includes(nameOf(output))
  const fixed = unspent.filter(isFixed).sort(largestFirst)
  if (fixed.length < mustSpend.length)
    throw new RangeError('an outpoint that must be spent is not among the unspent')
  return { fixed, others: unspent.filter(output => !isFixed(output)) }
}

/** Chooses the outputs to spend, and the change; null if that is not worth an output. */
function choose(
  { fixed, others }: Spendable,
  outputs: readonly Output[],
  changeScript: Uint8Array,
  account: BitcoinAccount,
  feeRate: bigint,
): { chosen: Unspent[]; change: bigint | null } {
  const due = sumOf(outputs)
  const inputFee = feeRate * BigInt(Math.ceil(inputWeight(account) / WITNESS_BYTES_PER_VBYTE))
  const worthwhile = [...fixed, ...others.filter(({ satoshi }) => satoshi > inputFee).sort(largestFirst)]
  const leastChange = max(dustOf(changeScript), inputFee + 1n)
  const feeOf = (inputs: number, all: readonly Output[]) => feeRate * BigInt(vsizeOf(account, inputs, all))
  const chosen: Unspent[] = []
  for (const output of worthwhile.slice(0, mostInputs)) {
    chosen.push(output)
    if (chosen.length < fixed.length) continue
    const left = sumOf(chosen) - due
    if (left < feeOf(chosen.length, outputs)) continue
    const change = left - feeOf(chosen.length, [...outputs, { script: changeScript, satoshi: 0n }])
    return { chosen, change: change < leastChange ? null : change }
  }
  const fee = feeOf(Math.max(chosen.length, 1), outputs)
  const total = sumOf(worthwhile)
  if (total < due + fee) {
    const amounts = { due: btc(due), fee: btc(fee), available: btc(total) }
    throw psbtRefusals.error({ reason: 'insufficient_outputs', ...amounts })
  }
  const available = btc(sumOf(chosen))
  throw psbtRefusals.error({ reason: 'too_many_inputs', due: btc(due), inputs: mostInputs, available })
}

/** A total order, so that the choice does not depend on the order given. */
function largestFirst(a: Unspent, b: Unspent): number {
  if (a.satoshi !== b.satoshi) return a.satoshi > b.satoshi ? -1 : 1
  return nameOf(a) < nameOf(b) ? -1 : 1
}

/** P2WPKH inputs carry their whole transaction: without it, a device could sign another amount than it shows. P2TR signs amounts. */
function inputOf(
  { transactionId, position, satoshi, branch, addressIndex }: Unspent,
  account: BitcoinAccount,
  previous: ReadonlyMap<string, Uint8Array>,
) {
  const whole = account.script === 'wpkh' ? previous.get(transactionId) : undefined
  return {
    ...(whole === undefined ? {} : { nonWitnessUtxo: whole }),
    txid: hexToBytes(transactionId),
    index: position,
    sequence: REPLACEABLE,
    witnessUtxo: { script: outputScript(account, branch, addressIndex), amount: satoshi },
    ...derivationOf(account, branch, addressIndex),
  }
}

/** The root's fingerprint and the path, by which a wallet knows its own keys (BIP-174, BIP-371). A key without an origin is its own root. */
function derivationOf({ key, script }: BitcoinAccount, branch: number, index: number) {
  const { fingerprint, path } = key.origin ?? { fingerprint: key.key.fingerprint, path: [] }
  const der = { fingerprint, path: [...path, branch, index] }
  const publicKey = childKey(key, branch, index)
  if (script === 'wpkh') return { bip32Derivation: [[publicKey, der]] as [Uint8Array, typeof der][] }
  const internal = publicKey.slice(1)
  const own: [Uint8Array, { hashes: Uint8Array[]; der: typeof der }] = [internal, { hashes: [], der }]
  return { tapInternalKey: internal, tapBip32Derivation: [own] }
}

/** Highest weight of an input with its witness (BIP-141): a 72-byte signature and a key, or a 65-byte signature (BIP-341). */
function inputWeight({ script }: BitcoinAccount): number {
  const base = (36 + 1 + 4) * WITNESS_BYTES_PER_VBYTE
  return base + (script === 'wpkh' ? 1 + 1 + 72 + 1 + 33 : 1 + 1 + 65)
}

function vsizeOf(account: BitcoinAccount, inputs: number, outputs: readonly Output[]): number {
  const sizes = outputs.map(({ script }) => outputSize(script))
  const base = 4 + sizeOfCount(inputs) + sizeOfCount(outputs.length) + 4
  const fixed = (base + sizes.reduce((sum, size) => sum + size, 0)) * WITNESS_BYTES_PER_VBYTE
  const marker = 2
  return Math.ceil((fixed + marker + inputs * inputWeight(account)) / WITNESS_BYTES_PER_VBYTE)
}

/** In bytes. The script is an address's, so its length takes one byte. */
function outputSize(script: Uint8Array): number {
  return 8 + 1 + script.length
}

function sizeOfCount(count: number): number {
  return count < 0xfd ? 1 : 3
}

/** Lowest amount of an output that nodes relay (GetDustThreshold of Bitcoin Core). */
function dustOf(script: Uint8Array): bigint {
  const isWitness = script[0] === 0 || (script[0]! >= 0x51 && script[0]! <= 0x60)
  const spending = isWitness ? 32 + 4 + 1 + 26 + 4 : 32 + 4 + 1 + 107 + 4
  return DUST_RATE * BigInt(outputSize(script) + spending)
}

function nameOf({ transactionId, position }: Unspent): string {
  return outpointOf(transactionId, position)
}

function sumOf(items: readonly { satoshi: bigint }[]): bigint {
  return items.reduce((sum, { satoshi }) => sum + satoshi, 0n)
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function btc(satoshi: bigint): string {
  return `${formatDecimal(satoshi, assetDecimals.BTC)} BTC`
}
