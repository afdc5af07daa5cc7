import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { matchingTransfer, sentAfterCreation } from './matching-transfer.ts'

/**
 * Expiry of TRON payouts. The file fixes every transaction but for its signature, with an expiry after which no block takes it. Once
 * later blocks are solid, a transaction that is in none of them can never confirm.
 */

/** A moment in a statement: of our clock, or of the database's. */
export type Moment = Date | RawBuilder<unknown>

type SolidBlock = { height: number; hash: string; time: Date }

/** TRON's newest solid block that we have synced: 19 of 27 super representatives have built on it (decision 28). */
const solidBlock = sql<SolidBlock>`
  SELECT k.height, k.hash, k.time FROM app.chain_blocks k JOIN app.chain_cursors c ON c.method = k.method
   WHERE k.method = 'usdt' AND k.height <= c.synced_height - c.confirmations + 1
   ORDER BY k.height DESC LIMIT 1`

/** @returns undefined before the first sync */
export async function newestSolidBlock(db: Kysely<Schema>): Promise<SolidBlock | undefined> {
  const { rows } = await solidBlock.execute(db)
  return rows[0]
}

/**
 * Latest time at which the transaction of item `p` of batch `b` can still confirm: the file's expiry, or 24 hours after a dropped
 * transfer was last seen (MAXIMUM_TIME_UNTIL_EXPIRATION of java-tron). NULL if the file has no expiry.
 */
export const confirmableUntil = sql<Date | null>`CASE WHEN b.expires_at IS NOT NULL THEN greatest(b.expires_at, (
  SELECT max(t.seen_at) + interval '1 day' FROM app.chain_transfers t
   WHERE t.method = 'usdt' AND t.address = app.address_key(p.address) AND t.dropped_at IS NOT NULL
     AND (t.transaction_id = p.seen_transaction
       OR p.state = 'open' AND ${sentAfterCreation} AND t.units = p.units))) END`

/**
 * True if the transaction of item `p` of batch `b` can still confirm, given that no block has it yet. A block's time is whatever its
 * producer and our node say, so we never trust one later than our own clock.
 */
export const isUnexpired = (now: Moment) => sql<boolean>`
  coalesce(${confirmableUntil} >= (SELECT least(solid.time, ${now}) FROM (${solidBlock}) solid), true)`

/** True if no open item of a batch has a matching transfer or can still get one. */
export async function hasExpired(db: Kysely<Schema>, batchId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM app.payout_items p JOIN app.payout_batches b ON b.id = p.batch_id
     WHERE b.id = ${batchId} AND p.state = 'open' AND (${matchingTransfer} IS NOT NULL OR ${isUnexpired(now)})
     LIMIT 1`.execute(db)
  return rows.length === 0
}
