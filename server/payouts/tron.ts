import type { Kysely } from 'kysely'
import { isSynced } from '#server/chain/synced.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { ReferenceBlock } from '#server/rails/tron/transaction.ts'
import { tronSigningHours } from '#shared/limits.ts'
import { newestSolidBlock } from './expiry.ts'
import { outstandingFiles } from './exported-files.ts'
import { type PayoutRefusal, payoutRefusals } from './messages.ts'

/**
 * Reference block and expiry of a new batch's transactions.
 * @throws AppError not_synced, file_not_expired, file_never_expires
 */
export async function tronTerms(
  db: Kysely<Schema>,
  withdrawals: readonly string[],
  now: Date,
): Promise<{ block: ReferenceBlock; expiresAt: Date }> {
  const block = await newestSolidBlock(db)
  if (!block || !(await isSynced(db, 'usdt', { now }))) {
    const effect = 'earlier transfers from the payout address could be mistaken for this batch'
    throw payoutRefusals.error({ reason: 'not_synced', network: 'TRON', effect })
  }
  const refusal = await unexpiredFile(db, withdrawals, now)
  if (refusal) throw payoutRefusals.error(refusal)
  return { block, expiresAt: new Date(now.getTime() + tronSigningHours * 3_600_000) }
}

/** Refuses a new batch while the exported file of a cancelled one can still confirm for one of its withdrawals. */
async function unexpiredFile(
  db: Kysely<Schema>,
  withdrawals: readonly string[],
  now: Date,
): Promise<PayoutRefusal | null> {
  const files = await outstandingFiles(db, withdrawals, now)
  const [latest] = files.toSorted((a, b) => Number(b.until) - Number(a.until))
  const file = files.find(({ until }) => until === null) ?? latest
  if (!file) return null
  const { number, invoice_id: invoice, until } = file
  return until === null
    ? { reason: 'file_never_expires', number, invoice }
    : { reason: 'file_not_expired', number, invoice, until }
}
