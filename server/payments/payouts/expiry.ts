import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { ReferenceBlock } from '#server/rails/tron/transaction.ts'
import { AppError } from '#shared/errors.ts'
import { tronSigningHours } from '#shared/limits.ts'
import type { BatchOnFile } from './batch.ts'
import { cameFor } from './came.ts'
import { filesOut, hourOf, settledMoment } from './given-out.ts'
import { isLookedAt } from './looked-at.ts'

/**
 * How TRON's payouts end. Each transaction of a file is fixed but for its signature, so it is one however often it is signed, and it names a
 * moment after which no block takes it. Once blocks of a later time have all their confirmations, what is not in one of them never will be.
 */

/**
 * What the transactions of a new batch refer to, and when they end.
 * @throws AppError wrong_state where the network has not been looked at, or not lately; or where one of the withdrawals can still be paid by the file of
 *   a cancelled batch that was given out
 */
export async function tronTerms(
  db: Kysely<Schema>,
  withdrawals: readonly string[],
  now: Date,
): Promise<{ block: ReferenceBlock; expiresAt: Date }> {
  const settled = await settledBlock(db)
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

/** The highest block with all confirmations, as far as the network was read. */
async function settledBlock(
  db: Kysely<Schema>,
): Promise<{ height: number; hash: string; time: Date } | undefined> {
  return db
    .selectFrom('app.chain_blocks as k')
    .innerJoin('app.chain_cursors as c', 'c.method', 'k.method')
    .select(['k.height', 'k.hash', 'k.time'])
    .where('k.method', '=', 'usdt')
    .where(sql<boolean>`k.height <= c.height - c.confirmations + 1`)
    .orderBy('k.height', 'desc')
    .limit(1)
    .executeTakeFirst()
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
      : `${which} can be sent until ${hourOf(until)}. Make the new batch after that, so that both can never be paid.`,
  )
}

/**
 * Whether nothing of a batch can be mined any more that is not mined yet: its file has ended, and so has whatever was seen of it and is
 * gone, for no transaction of TRON lasts longer than a day (MAXIMUM_TIME_UNTIL_EXPIRATION of java-tron).
 */
export async function hasEnded(
  db: Kysely<Schema>,
  { id, expires_at }: Pick<BatchOnFile, 'id' | 'expires_at'>,
  now: Date,
): Promise<boolean> {
  if (expires_at === null) return false
  const settled = settledMoment(now)
  const { rows } = await sql<{ ended: boolean | null }>`
    SELECT ${expires_at}::timestamptz < ${settled} AND NOT EXISTS (
             SELECT FROM app.payout_items p JOIN app.payout_batches b ON b.id = p.batch_id
              WHERE b.id = ${id} AND p.state = 'open'
                AND (${cameFor} IS NOT NULL OR EXISTS (
                       SELECT FROM app.chain_transfers t
                        WHERE t.method = 'usdt' AND t.address = app.address_key(p.address) AND t.gone_at IS NOT NULL
                          AND (t.transaction_id = p.seen_transaction
                            OR t.senders @> ARRAY[app.address_key(b.payer)] AND t.units = p.units)
                          AND t.id > b.last_transfer AND t.seen_at >= ${settled} - interval '1 day'))) AS ended`.execute(
    db,
  )
  return rows[0]?.ended === true
}

/**
 * That a batch's file can still be sent.
 * @throws AppError wrong_state
 */
export function requireUnexpired({ expires_at }: { expires_at: Date | null }, now: Date): void {
  if (expires_at === null || now < expires_at) return
  throw new AppError(
    'wrong_state',
    `The transactions of this file could be sent until ${hourOf(expires_at)}. Cancel the batch, and make another one.`,
  )
}
