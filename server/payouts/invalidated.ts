import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { type OutstandingFile, outstandingFiles } from './exported-files.ts'
import type { PayoutRefusal } from './messages.ts'

/** Refuses to give the investor their money back until every exported file that pays the withdrawal is invalidated. */
export async function declineRefusal(
  db: Kysely<Schema>,
  id: string,
  now: Date,
): Promise<PayoutRefusal | null> {
  const [file] = await outstandingFiles(db, [id], now)
  return file ? { reason: 'file_may_pay', file } : null
}

type ManualPayment = { transactionId: string; notBroadcast: boolean }

/**
 * Why a withdrawal cannot be marked as paid with a transaction while exported files can still confirm: a file that was broadcast is what
 * paid it, and staff must attest for each of the others that it was not broadcast.
 * @param transactionId in canonical form @returns the refusal, or the numbers of the batches for which staff attest that
 */
export async function checkManualPayment(
  db: Kysely<Schema>,
  id: string,
  { transactionId, notBroadcast, now }: ManualPayment & { now: Date },
): Promise<{ refusal: PayoutRefusal } | { refusal: null; attested: string[] }> {
  const files = await outstandingFiles(db, [id], now)
  const refusal = broadcastRefusal(files, transactionId)
  if (refusal) return { refusal }
  const others = files.filter(file => !file.is_shown && file.seen_transaction !== transactionId)
  const [file] = others
  if (file && !notBroadcast) return { refusal: { reason: 'file_may_be_broadcast', file } }
  return { refusal: null, attested: others.map(({ number }) => number) }
}

/** A transaction that the network shows has paid: no attestation overrides it. */
function broadcastRefusal(files: readonly OutstandingFile[], transactionId: string): PayoutRefusal | null {
  const shown = files.filter(({ is_shown }) => is_shown)
  const [file] = shown
  if (!file || shown.some(({ seen_transaction }) => seen_transaction === transactionId)) return null
  return { reason: 'file_was_broadcast', file }
}
