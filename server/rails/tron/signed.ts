import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { recoverAddress } from 'viem'
import { z } from 'zod'
import { tronAddress } from './addresses.ts'
import { signedTronRefusals } from './messages.ts'
import { rawTransaction } from './transaction.ts'

/** The raw data of an unsigned transaction (`raw_data_hex`), and the address that has to sign it. */
export type TronPlan = { raw: Uint8Array; sender: string }

/** A signed transaction that is one of the plans. */
export type SignedTransaction = { plan: number; transactionId: string; raw: Uint8Array }

const hex = z.string().regex(/^(0x)?([0-9a-fA-F]{2})+$/)
/** A transaction as java-tron, TronWeb and TronLink write it. */
const signedForm = z.object({
  txID: z.string().regex(/^[0-9a-fA-F]{64}$/),
  raw_data_hex: hex,
  signature: z.array(hex.length(130).or(hex.length(132))).length(1),
})
type SignedForm = z.output<typeof signedForm>

/**
 * Reads signed transactions from a wallet's JSON: each is one of the plans, byte by byte.
 * @param text one transaction, or any JSON that contains some with their signatures
 * @throws AppError wrong_state (signedTronRefusals)
 */
export async function readSigned(plans: readonly TronPlan[], text: string): Promise<SignedTransaction[]> {
  const found = jsonOf(text).flatMap(signedIn)
  if (found.length === 0) throw signedTronRefusals.error({ reason: 'not_readable' }, 'signed')
  const ids = plans.map(({ raw }) => bytesToHex(sha256(raw)))
  return Promise.all(found.map(one => matched(one, { plans, ids })))
}

/** One JSON text, or one on each line. */
function jsonOf(text: string): unknown[] {
  const parse = (part: string) => {
    try {
      return [JSON.parse(part) as unknown]
    } catch {
      return []
    }
  }
  const whole = parse(text)
  return whole.length > 0 ? whole : text.split('\n').flatMap(parse)
}

function signedIn(value: unknown): SignedForm[] {
  const form = signedForm.safeParse(value)
  if (form.success) return [form.data]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(signedIn)
}

async function matched(
  { txID, raw_data_hex, signature: [signature] }: SignedForm,
  { plans, ids }: { plans: readonly TronPlan[]; ids: readonly string[] },
): Promise<SignedTransaction> {
  const id = txID.toLowerCase()
  const plan = ids.indexOf(id)
  if (plan === -1) throw signedTronRefusals.error({ reason: 'unknown_transaction', id }, 'signed')
  const { sender, ...planned } = plans[plan]!
  const raw = bytesToHex(planned.raw)
  if (raw_data_hex.replace(/^0x/, '').toLowerCase() !== raw) {
    throw signedTronRefusals.error({ reason: 'wrong_id', id }, 'signed')
  }
  const bytes = signature!.replace(/^0x/, '').toLowerCase()
  const signer = await signerOf(id, bytes)
  if (signer !== sender) throw signedTronRefusals.error({ reason: 'other_signer', signer, sender }, 'signed')
  return { plan, transactionId: id, raw: rawTransaction(raw, [bytes]) }
}

/** The address that signed: of the same keys and curve as Ethereum's. */
async function signerOf(id: string, signature: string): Promise<string> {
  try {
    const address = await recoverAddress({ hash: `0x${id}`, signature: `0x${signature}` })
    return tronAddress(hexToBytes(address.slice(2)))
  } catch {
    return 'Nobody'
  }
}
