import { hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { OutScript, Transaction } from '@scure/btc-signer'
import { outpointOf } from '#server/rails/chain.ts'
import { childKey } from '#server/rails/hd.ts'
import { highestFeeRate, lowestFeeRate } from '#shared/limits.ts'
import { assetDecimals, formatDecimal } from '#shared/money.ts'
import { addressOfScript, type BitcoinAccount, branches, outputScript, scriptOfAddress } from './addresses.ts'
import type { BitcoinNetwork } from './networks.ts'
import { idOf } from './wire.ts'

/** An output of the account that can be spent. */
export type Unspent = {
  transactionId: string
  /** Which output of its transaction it is. */
  position: number
  satoshi: bigint
  /** Where the address that has it is in the account. */
  branch: number
  addressIndex: number
}

export type PayoutRequest = {
  account: BitcoinAccount
  unspent: readonly Unspent[]
  /** Outpoints, each one of `unspent`, that it spends in any case: so that it and another transaction cannot both be mined. */
  mustSpend?: readonly string[]
  payments: readonly { address: string; satoshi: bigint }[]
  /** Where on the change branch what is left goes; an address that has not been used. */
  changeIndex: number
  /** Satoshi for a virtual byte, a whole number within the limits of shared/limits.ts. */
  feeRate: number
  /** The transactions of what it spends, by their ids, as far as they are there: P2WPKH is signed with them by hardware wallets. */
  previous?: ReadonlyMap<string, Uint8Array>
}

/** A payout as a hardware or offline wallet takes it, and what can be said of it before it is signed. */
export type Payout = {
  /** BIP-174, version 0, in base64. */
  psbt: string
  /** Of the transaction, which signing does not change: its inputs are segregated witness (BIP-141). A replacement by a higher fee has another. */
  transactionId: string
  /** Outpoints, in their order. */
  inputs: { outpoint: string; satoshi: bigint }[]
  feeSatoshi: bigint
  /** Virtual bytes, at most: a signature may turn out a byte shorter. */
  vsize: number
  /** The last output; null where nothing is left that is worth an output. Payments come before it, in the order they were given. */
  change: { address: string; addressIndex: number; satoshi: bigint } | null
}

/** Why no payout can be made, as a sentence for staff. */
export class PayoutRefusal extends Error {}

/** Inputs of one transaction: hardware wallets take a second or more for each, and some of them no more than that. */
export const mostInputs = 100

/** A file that the database holds; what it spends may come from transactions of a hundred kilobytes each. */
const mostBytes = 5 * 2 ** 20

/** What nodes relay by default is worth three satoshi for each byte that it takes to make and to spend (dustRelayFee of Bitcoin Core). */
const DUST_RATE = 3n
/** Replaceable by a transaction with a higher fee (BIP-125). */
const REPLACEABLE = 0xffff_fffd
const WITNESS_BYTES_PER_VBYTE = 4

/**
 * An unsigned payout. It spends as few outputs as it can, the largest first, and leaves out those that cost more to spend than they
 * have; what is left goes to the change branch, or to the fee where it is dust or costs more to spend than it is.
 * Same in, same out.
 * @throws PayoutRefusal
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
  if (outputs.length === 0) throw new PayoutRefusal('There is nothing to be paid.')
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
  if (psbt.length > mostBytes) {
    throw new PayoutRefusal(
      'The transactions that have paid what it would spend are too large for one file. Pay fewer at once.',
    )
  }
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
 * That one payment of a payout is possible, whatever the others are.
 * @param satoshi undefined: not known yet
 * @throws PayoutRefusal
 */
export function requirePayment(
  { address, satoshi }: { address: string; satoshi: bigint | undefined },
  { network }: BitcoinAccount,
): void {
  const script = payableScript(address, network)
  if (satoshi !== undefined) requireRelayed(address, script, satoshi)
}

function paid({ address, satoshi }: PayoutRequest['payments'][number], { network }: BitcoinAccount): Output {
  const script = payableScript(address, network)
  requireRelayed(address, script, satoshi)
  return { script, satoshi }
}

function payableScript(address: string, network: BitcoinNetwork): Uint8Array {
  const script = scriptOfAddress(address, network)
  if (!script) throw new PayoutRefusal(`${address} is no address of ${network.name}.`)
  // Anybody could take what is paid to a version that has no rules yet (BIP-141); nobody's wallet gives out such an address.
  const isKnown = script[0]! <= 0 || script[0]! > 0x60 || (script[0] === 0x51 && script.length === 34)
  if (!isKnown) throw new PayoutRefusal(`${address} is of a kind that nothing can be received at safely yet.`)
  if (!isPayable(script)) throw new PayoutRefusal(`${address} is an address that no key can have.`)
  return script
}

function requireRelayed(address: string, script: Uint8Array, satoshi: bigint): void {
  const dust = dustOf(script)
  if (satoshi < dust)
    throw new PayoutRefusal(
      `${btc(satoshi)} to ${address} is too little: the network relays ${btc(dust)} or more.`,
    )
}

/** The program of a P2TR address is a point of the curve (BIP-341), which half of all numbers are not. */
function isPayable(script: Uint8Array): boolean {
  return OutScript.decode(script).type !== 'unknown'
}

type Spendable = { fixed: Unspent[]; others: Unspent[] }

function partsOf(unspent: readonly Unspent[], mustSpend: readonly string[]): Spendable {
  const isFixed = (output: Unspent) => mustSpend.includes(nameOf(output))
  const fixed = unspent.filter(isFixed).sort(largestFirst)
  if (fixed.length < mustSpend.length)
    throw new RangeError('an outpoint that has to be spent is none of the unspent')
  return { fixed, others: unspent.filter(output => !isFixed(output)) }
}

/** The outputs to spend, and what is left of them; null where that is not worth an output. */
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
  if (sumOf(worthwhile) < due + fee)
    throw new PayoutRefusal(
      `${btc(due)} and a fee of about ${btc(fee)} are needed; ${btc(sumOf(worthwhile))} can be spent.`,
    )
  throw new PayoutRefusal(
    `${btc(due)} would take more than ${mostInputs} inputs, which hold ${btc(sumOf(chosen))}. Pay fewer at once, or send what lies at many addresses to one of them first.`,
  )
}

/** The same ones, whatever order they come in. */
function largestFirst(a: Unspent, b: Unspent): number {
  if (a.satoshi !== b.satoshi) return a.satoshi > b.satoshi ? -1 : 1
  return nameOf(a) < nameOf(b) ? -1 : 1
}

/**
 * With its whole transaction where the signature of a device could otherwise be for another amount than it shows (P2WPKH; that of P2TR
 * holds all amounts, BIP-341).
 */
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

/**
 * How a wallet knows that a key is its own: its root's fingerprint and the path (BIP-174, BIP-371). A key exported without its origin
 * counts as a root itself.
 */
function derivationOf({ key, script }: BitcoinAccount, branch: number, index: number) {
  const { fingerprint, path } = key.origin ?? { fingerprint: key.key.fingerprint, path: [] }
  const der = { fingerprint, path: [...path, branch, index] }
  const publicKey = childKey(key, branch, index)
  if (script === 'wpkh') return { bip32Derivation: [[publicKey, der]] as [Uint8Array, typeof der][] }
  const internal = publicKey.slice(1)
  const own: [Uint8Array, { hashes: Uint8Array[]; der: typeof der }] = [internal, { hashes: [], der }]
  return { tapInternalKey: internal, tapBip32Derivation: [own] }
}

/** Weight of one input with its witness, at most (BIP-141): a signature of 72 bytes and a key, or one of 65 bytes (BIP-341). */
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

/** Of a script that is an address's, whose length takes one byte. */
function outputSize(script: Uint8Array): number {
  return 8 + 1 + script.length
}

function sizeOfCount(count: number): number {
  return count < 0xfd ? 1 : 3
}

/** The least that an output may have to be relayed (GetDustThreshold of Bitcoin Core). */
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
