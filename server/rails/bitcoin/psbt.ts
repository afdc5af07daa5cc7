import { hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { OutScript, Transaction } from '@scure/btc-signer'
import { outpointOf } from '#server/rails/chain.ts'
import { childKey } from '#server/rails/hd.ts'
import { highestFeeRate, lowestFeeRate } from '#shared/limits.ts'
import {
  addressOfScript,
  type BitcoinAccount,
  branches,
  outputScript,
  scriptOfAddress,
  sharedOutput,
} from './addresses.ts'
import { type PsbtRefusal, psbtRefusals } from './messages.ts'
import { btc, dustOf, inputVsize, type Output, type Unspent, vsizeOf } from './outputs.ts'
import { leastFee, previousIn, type Replaced, replacedBy } from './replaced.ts'
import { idOf } from './wire.ts'

export type PayoutRequest = {
  account: BitcoinAccount
  unspent: readonly Unspent[]
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

/** What every hardware wallet takes (docs/signing-devices.md). */
export const mostInputs = 20
/** The same for the whole file; an input's raw transaction may have a hundred kilobytes. */
export const mostBytes = 384_000

/** Replaceable by a transaction with a higher fee (BIP-125). */
const REPLACEABLE = 0xffff_fffd

/** Everything of a payout but its payments, which `plans` state. */
export type ReplacementRequest = Omit<PayoutRequest, 'payments'> & {
  /**
   * The transactions of one slot so far, as PSBTs, any of which may be in mempools: a payout, its fee bumps, its cancellation. `unspent` holds
   * confirmed outputs that may be added (BIP-125, rule 2).
   */
  plans: readonly [Uint8Array, ...Uint8Array[]]
}

/**
 * Builds an unsigned payout, deterministically. It spends the largest outputs first and skips those that cost more to spend than they
 * hold; the rest is change, or goes to the fee if it is dust.
 * @throws AppError wrong_state (psbtRefusals)
 */
export function buildPayout({ payments, ...request }: PayoutRequest): Payout {
  const outputs = payments.map(payment => paid(payment, request.account))
  if (outputs.length === 0) throw psbtRefusals.error({ reason: 'nothing_to_pay' })
  return build({ ...request, outputs, spendable: { fixed: [], others: request.unspent }, replaced: [] })
}

/**
 * Builds a payout of the same payments as the first plan, at a higher fee: nodes take it in place of each plan (BIP-125, rules 3 and 4).
 * @throws AppError wrong_state (psbtRefusals)
 */
export function buildReplacement(request: ReplacementRequest): Payout {
  const replaced = request.plans.map(plan => replacedBy(plan, request.account))
  return build({ ...request, outputs: replaced[0]!.payments, ...replacing(request, replaced) })
}

/**
 * Builds a transaction that takes the place of each plan and pays nobody: all goes back to the change address.
 * @throws AppError wrong_state (psbtRefusals)
 */
export function buildCancellation(request: ReplacementRequest): Payout {
  const replaced = request.plans.map(plan => replacedBy(plan, request.account))
  return build({ ...request, outputs: [], ...replacing(request, replaced) })
}

type BuildRequest = Omit<PayoutRequest, 'payments' | 'unspent'> & {
  outputs: readonly Output[]
  spendable: Spendable
  replaced: readonly Replaced[]
}

function build({
  account,
  outputs,
  spendable,
  replaced,
  changeIndex,
  feeRate,
  previous = new Map(),
}: BuildRequest): Payout {
  if (!Number.isInteger(feeRate) || feeRate < lowestFeeRate || feeRate > highestFeeRate)
    throw new RangeError(
      `the fee rate is a whole number from ${lowestFeeRate} to ${highestFeeRate}, not ${feeRate}`,
    )
  const changeScript = outputScript(account, branches.change, changeIndex)
  const { chosen, change } = choose(spendable, {
    account,
    outputs,
    changeScript,
    feeRate: BigInt(feeRate),
    replaced,
  })
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

/** All inputs of all plans, and what they carry of the transactions that they spend. */
function replacing(
  { plans, unspent, previous = new Map() }: ReplacementRequest,
  replaced: readonly Replaced[],
): Pick<BuildRequest, 'spendable' | 'replaced' | 'previous'> {
  const fixed = new Map(replaced.flatMap(({ inputs }) => inputs).map(input => [nameOf(input), input]))
  const others = unspent.filter(output => !fixed.has(nameOf(output)))
  const carried = new Map([...previous, ...plans.flatMap(previousIn)])
  return { replaced, spendable: { fixed: [...fixed.values()].sort(largestFirst), others }, previous: carried }
}

type Spendable = { fixed: readonly Unspent[]; others: readonly Unspent[] }

type Wanted = Pick<BuildRequest, 'account' | 'outputs' | 'replaced'> & {
  changeScript: Uint8Array
  feeRate: bigint
}

/** Chooses the outputs to spend, and the change; null if that is not worth an output, and there is another one. */
function choose(
  { fixed, others }: Spendable,
  { account, outputs, changeScript, feeRate, replaced }: Wanted,
): { chosen: Unspent[]; change: bigint | null } {
  const due = sumOf(outputs)
  const inputFee = feeRate * BigInt(inputVsize(account))
  const worthwhile = [...fixed, ...others.filter(({ satoshi }) => satoshi > inputFee).sort(largestFirst)]
  const leastChange = max(dustOf(changeScript), inputFee + 1n)
  const feeOf = (inputs: number, all: readonly Output[]) =>
    leastFee(vsizeOf(account, inputs, all), feeRate, replaced)
  const toChange = { script: changeScript, satoshi: 0n }
  const chosen: Unspent[] = []
  for (const output of worthwhile.slice(0, mostInputs)) {
    chosen.push(output)
    if (chosen.length < fixed.length) continue
    const left = sumOf(chosen) - due
    if (left < feeOf(chosen.length, outputs)) continue
    const change = left - feeOf(chosen.length, [...outputs, toChange])
    if (change >= leastChange) return { chosen, change }
    if (outputs.length > 0) return { chosen, change: null }
  }
  const fee = feeOf(Math.max(chosen.length, 1), outputs.length === 0 ? [toChange] : outputs)
  const total = sumOf(worthwhile)
  if (outputs.length === 0)
    throw psbtRefusals.error({ reason: 'cancelling_costs_more', fee: btc(fee), available: btc(total) })
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

/** P2WPKH and P2WSH inputs carry their whole transaction: without it, a device could sign another amount than it shows. P2TR signs amounts. */
function inputOf(
  { transactionId, position, satoshi, branch, addressIndex }: Unspent,
  account: BitcoinAccount,
  previous: ReadonlyMap<string, Uint8Array>,
) {
  const whole = account.script === 'tr' ? undefined : previous.get(transactionId)
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
 * The root's fingerprint and the path, by which a wallet knows its own keys (BIP-174, BIP-371), and the script of several signers. A key
 * without an origin is its own root.
 */
export function derivationOf(account: BitcoinAccount, branch: number, index: number) {
  const derivations = account.keys.map(key => {
    const { fingerprint, path } = key.origin ?? { fingerprint: key.key.fingerprint, path: [] }
    const der = { fingerprint, path: [...path, branch, index] }
    return [childKey(key, branch, index), der] as [Uint8Array, typeof der]
  })
  if (account.script === 'wsh') {
    const { witnessScript } = sharedOutput(account, branch, index)
    return { bip32Derivation: derivations, witnessScript }
  }
  if (account.script === 'wpkh') return { bip32Derivation: derivations }
  const [[publicKey, der]] = derivations as [(typeof derivations)[number]]
  const internal = publicKey.slice(1)
  const own: [Uint8Array, { hashes: Uint8Array[]; der: typeof der }] = [internal, { hashes: [], der }]
  return { tapInternalKey: internal, tapBip32Derivation: [own] }
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
