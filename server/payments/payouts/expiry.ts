import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { utcMinute } from '#shared/moments.ts'
import { cameFor, isSentSince } from './came.ts'

/**
 * How TRON's payouts end. Each transaction of a file is fixed but for its signature, so it is one however often it is signed, and it names a
 * moment after which no block takes it. Once blocks of a later time have all their confirmations, what is not in one of them never will be.
 */

/** A moment for a statement: of our clock, or of the database's. */
export type Moment = Date | RawBuilder<unknown>

type SettledBlock = { height: number; hash: string; time: Date }

/**
 * TRON's settled block: the highest that has all its confirmations (19 of 27 super representatives make a block solid: decision 28), as far
 * as the network was read; none before it was looked at.
 */
const settledBlock = sql<SettledBlock>`
  SELECT k.height, k.hash, k.time FROM app.chain_blocks k JOIN app.chain_cursors c ON c.method = k.method
   WHERE k.method = 'usdt' AND k.height <= c.synced_height - c.confirmations + 1
   ORDER BY k.height DESC LIMIT 1`

/** The same block, for a transaction to name. */
export async function settledBlockOf(db: Kysely<Schema>): Promise<SettledBlock | undefined> {
  const { rows } = await settledBlock.execute(db)
  return rows[0]
}

/**
 * Until when an item `p` of batch `b` can be sent: as its file says, and a day after what was seen of it and is gone, for no transaction of
 * TRON lasts longer (MAXIMUM_TIME_UNTIL_EXPIRATION of java-tron). Of an open one also after what nobody had assessed before it was gone;
 * of a released one that may be what another batch has sent. null: the file's first version says only what to pay, so that a wallet makes
 * the transaction whenever it is signed.
 */
export const sentUntil = sql<Date | null>`CASE WHEN b.expires_at IS NOT NULL THEN greatest(b.expires_at, (
  SELECT max(t.seen_at) + interval '1 day' FROM app.chain_transfers t
   WHERE t.method = 'usdt' AND t.address = app.address_key(p.address) AND t.dropped_at IS NOT NULL
     AND (t.transaction_id = p.seen_transaction
       OR p.state = 'open' AND ${isSentSince} AND t.units = p.units))) END`

/**
 * Of an item `p` of batch `b`: whether its transaction can still be mined, where no block has it yet. A block's time is the word of whoever
 * made it, and of the service that tells it: it is never later than our own.
 */
export const isUnended = (now: Moment) => sql<boolean>`
  coalesce(${sentUntil} >= (SELECT least(settled.time, ${now}) FROM (${settledBlock}) settled), true)`

/** Whether nothing of a batch can be mined any more that is not mined yet: nothing has come for what is open of it, and all of that has ended. */
export async function hasEnded(db: Kysely<Schema>, batchId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM app.payout_items p JOIN app.payout_batches b ON b.id = p.batch_id
     WHERE b.id = ${batchId} AND p.state = 'open' AND (${cameFor} IS NOT NULL OR ${isUnended(now)})
     LIMIT 1`.execute(db)
  return rows.length === 0
}

/**
 * That a batch's file can still be sent.
 * @throws AppError wrong_state
 */
export function requireUnexpired({ expires_at }: { expires_at: Date | null }, now: Date): void {
  if (expires_at === null || now < expires_at) return
  throw new AppError(
    'wrong_state',
    `The transactions of this file could be sent until ${utcMinute(expires_at)}. Cancel the batch, and make another one.`,
  )
}
