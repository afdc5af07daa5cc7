import { equalBytes } from '@noble/curves/utils.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { Transaction } from '@scure/btc-signer'
import { differenceOf } from './difference.ts'
import { signedRefusals } from './messages.ts'
import type { BitcoinNetwork } from './networks.ts'
import { neededBy, type Signature, signaturesIn } from './signatures.ts'
import { idOf } from './wire.ts'

/** A signed plan: ready to broadcast, or with more signatures than before. */
export type Signed = { plan: number } & (
  | {
      kind: 'complete'
      transactionId: string
      /** For `Chain.broadcast`. */
      raw: Uint8Array
      feeSatoshi: bigint
      vsize: number
    }
  | {
      kind: 'partial'
      /** Our PSBT with all signatures so far. */
      psbt: Uint8Array
      /** Signatures that every input has, of those that it needs. */
      have: number
      needed: number
    }
)

/**
 * Reads what a wallet has signed: its transaction must be one of the plans, byte by byte, and every signature valid under the plan's own
 * keys, scripts and amounts. Nothing else in the file counts.
 * @param plans unsigned PSBTs of one slot: a payout, its fee bumps, its cancellation
 * @param collected for each plan, the PSBT with earlier signatures, if there are some
 * @param file a PSBT (BIP-174, BIP-370) or a raw transaction: binary, or text in base64 or hexadecimal
 * @throws AppError wrong_state (signedRefusals)
 */
export function readSigned(
  plans: readonly Uint8Array[],
  collected: readonly (Uint8Array | null)[],
  file: Uint8Array | string,
  network: BitcoinNetwork,
): Signed {
  const signed = transactionIn(file)
  const planned = plans.map((plan, at) => Transaction.fromPSBT(collected[at] ?? plan))
  const plan = planned.findIndex(each => equalBytes(each.unsignedTx, signed.unsignedTx))
  if (plan === -1) throw signedRefusals.error(differenceOf(signed, planned, network), 'signed')
  const own = planned[plan]!
  const found = inputsOf(own).map((_, at) => signaturesIn(signed.getInput(at), own, at))
  if (found.every(each => each.length === 0)) throw signedRefusals.error({ reason: 'not_signed' }, 'signed')
  for (const [at, each] of found.entries()) for (const signature of each) add(own, at, signature)
  return { plan, ...stateOf(own) }
}

const psbtMagic = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)

function isPsbt(bytes: Uint8Array): boolean {
  return equalBytes(bytes.subarray(0, psbtMagic.length), psbtMagic)
}

/** Whatever a previous transaction was like: our own plan says what is right. */
const anything = {
  allowUnknownOutputs: true,
  allowUnknownInputs: true,
  allowUnknownVersion: true,
  disableScriptCheck: true,
}

function transactionIn(file: Uint8Array | string): Transaction {
  try {
    const bytes = bytesIn(file)
    const transaction = isPsbt(bytes)
      ? Transaction.fromPSBT(bytes, anything)
      : Transaction.fromRaw(bytes, anything)
    // A script would change the id of what was planned; native segwit has none.
    const hasScripts = inputsOf(transaction).some(({ finalScriptSig }) => (finalScriptSig?.length ?? 0) > 0)
    if (!hasScripts && transaction.inputsLength > 0) return transaction
  } catch {
    // Not of its form.
  }
  throw signedRefusals.error({ reason: 'unreadable' }, 'signed')
}

/** A file may be text, too. */
function bytesIn(file: Uint8Array | string): Uint8Array {
  if (typeof file !== 'string' && isPsbt(file)) return file
  const text = (typeof file === 'string' ? file : new TextDecoder().decode(file)).replaceAll(/\s/g, '')
  if (/^([0-9a-f]{2})+$/i.test(text)) return hexToBytes(text.toLowerCase())
  if (/^[0-9a-z+/]+=*$/i.test(text)) return base64.decode(text)
  if (typeof file === 'string') throw new RangeError('neither base64 nor hexadecimal')
  return file
}

function inputsOf(transaction: Transaction) {
  return Array.from({ length: transaction.inputsLength }, (_, at) => transaction.getInput(at))
}

/** A key signs once: the first signature stays. */
function add(own: Transaction, index: number, { key, signature }: Signature): void {
  const isTaproot = key.length === 0
  const { partialSig = [], tapKeySig } = own.getInput(index)
  if (isTaproot ? tapKeySig : partialSig.some(([known]) => equalBytes(known, key))) return
  own.updateInput(index, isTaproot ? { tapKeySig: signature } : { partialSig: [[key, signature]] }, true)
}

type State<Kind extends Signed['kind']> = Omit<Extract<Signed, { kind: Kind }>, 'plan'>

function stateOf(own: Transaction): State<'complete'> | State<'partial'> {
  const counts = inputsOf(own).map(({ tapKeySig, partialSig }) => (tapKeySig ? 1 : (partialSig ?? []).length))
  const needed = neededBy(own, 0)
  const signed = counts.filter(count => count >= needed).length
  if (signed < counts.length) {
    if (needed === 1)
      throw signedRefusals.error({ reason: 'inputs_unsigned', signed, inputs: counts.length }, 'signed')
    return { kind: 'partial', psbt: own.toPSBT(0), have: Math.min(...counts), needed }
  }
  own.finalize()
  const raw = own.extract()
  const { fee, vsize } = own
  return { kind: 'complete', transactionId: idOf(own.unsignedTx), raw, feeSatoshi: fee, vsize }
}
