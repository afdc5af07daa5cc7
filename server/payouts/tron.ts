import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { ReferenceBlock } from '#server/rails/tron/transaction.ts'
import { AppError } from '#shared/errors.ts'
import { tronSigningHours } from '#shared/limits.ts'
import { utcMinute } from '#shared/moments.ts'
import { settledBlockOf } from './expiry.ts'
import { filesOut } from './exported-files.ts'
import { isLookedAt } from './synced.ts'

/**
 * What the transactions of a new batch refer to, and when they end.
 * @throws AppError wrong_state where the network has not been looked at, or not lately; or where one of the withdrawals can still be paid by
 *   the file of a cancelled batch that was given out
 */
export async function tronTerms(
  db: Kysely<Schema>,
  withdrawals: readonly string[],
  now: Date,
): Promise<{ block: ReferenceBlock; expiresAt: Date }> {
  const settled = await settledBlockOf(db)
  if (!settled) {
    throw new AppError(
      'wrong_state',
      'TRON has not been looked at yet, so no block is known that a transaction could name. Wait for the next look; if the console shows a fault of the network, mend that first.',
    )
  }
  // What was sent before the batch is known as such by what was read before it.
  if (!(await isLookedAt(db, 'usdt', { now }))) {
    throw new AppError(
      'wrong_state',
      'TRON has not been looked at to its end lately, so what was sent from the payout address until now could be taken for a payment of this batch. Wait for the next look; if the console shows a fault of the network, mend that first.',
    )
  }
  await requireEnded(db, withdrawals, now)
  return { block: settled, expiresAt: new Date(now.getTime() + tronSigningHours * 3_600_000) }
}

/** @throws AppError wrong_state where a file of a cancelled batch that was given out can still pay one of these withdrawals */
async function requireEnded(db: Kysely<Schema>, withdrawals: readonly string[], now: Date): Promise<void> {
  const files = await filesOut(db, withdrawals, now)
  const [latest] = files.toSorted((a, b) => Number(b.until) - Number(a.until))
  const open = files.find(({ until }) => until === null) ?? latest
  if (!open) return
  const { number, invoice_id, until } = open
  const which = `The file of cancelled batch ${number}, which pays ${invoice_id},`
  throw new AppError(
    'wrong_state',
    until === null
      ? `${which} names no end, so it can still be signed. No new batch can exclude it: once it is sure that it was not sent and will not be, pay ${invoice_id} by hand.`
      : `${which} can be sent until ${utcMinute(until)}. Make the new batch after that, so that both can never be paid.`,
  )
}
