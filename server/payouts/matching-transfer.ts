import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

/**
 * Transfers of a batch as the tables have them, assessed or not: a sync stores transfers step by step and assesses them at its end,
 * which an error can delay. Until then, any of them may be the payment.
 */

/**
 * True if transfer `t` is already claimed by another live batch that pays the same withdrawal as released item `p`. A transfer of
 * another amount never becomes that batch's `transaction_id`, so this compares `seen_transaction`.
 */
export const claimedByOtherBatch = sql<boolean>`(p.state = 'released' AND EXISTS (
  SELECT FROM app.payout_items o JOIN app.payout_batches other ON other.id = o.batch_id
   WHERE o.withdrawal_id = p.withdrawal_id AND o.batch_id <> p.batch_id AND other.status <> 'cancelled'
     AND o.seen_transaction = t.transaction_id))`

/** True if the sender of batch `b` sent transfer `t`, and we first saw it after creating the batch. */
export const sentAfterCreation = sql<boolean>`(t.senders @> ARRAY[app.address_key(b.sender)] AND t.id > b.last_transfer_id)`

/**
 * The first transaction on the network that comes from batch `b` and pays the address of item `p`, or NULL: as `isFrom` of
 * recognise.ts, but neither one of another item or batch, nor one that marked a withdrawal as paid.
 */
export const matchingTransfer = sql<string | null>`(
  SELECT t.transaction_id FROM app.chain_transfers t
   WHERE t.method = b.method AND t.address = app.address_key(p.address) AND t.dropped_at IS NULL
     AND CASE WHEN b.sender IS NULL
           THEN t.senders && ARRAY(SELECT i.outpoint FROM app.payout_inputs i WHERE i.batch_id = b.id)
           ELSE ${sentAfterCreation} AND coalesce(t.block_time >= b.median_time_past, true)
         END
     AND NOT EXISTS (SELECT FROM app.payout_items o
                      WHERE o.transaction_id = t.transaction_id AND o.transfer_position = t.position
                        AND (o.batch_id <> p.batch_id OR o.position <> p.position))
     AND NOT ${claimedByOtherBatch}
     AND NOT EXISTS (SELECT FROM app.withdrawals m
                      WHERE lower(m.transaction_id) = t.transaction_id AND app.address_key(m.address) = t.address)
   ORDER BY t.id LIMIT 1)`

/** True if a transfer that may be open item `p`'s own was dropped: it may still confirm. */
export const hasDroppedMatch = sql<boolean>`(p.state = 'open' AND EXISTS (
  SELECT FROM app.chain_transfers t
   WHERE t.method = b.method AND t.address = app.address_key(p.address) AND t.dropped_at IS NOT NULL
     AND ${sentAfterCreation} AND t.units = p.units))`

/** True if a transfer matches an open item of batch `b`. */
export const hasMatch = sql<boolean>`EXISTS (
  SELECT FROM app.payout_items p WHERE p.batch_id = b.id AND p.state = 'open' AND ${matchingTransfer} IS NOT NULL)`

/** True if the network shows a transfer that matches an open item of a batch. */
export async function hasMatchingTransfer(db: Kysely<Schema>, id: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM app.payout_batches b WHERE b.id = ${id} AND ${hasMatch}`.execute(db)
  return rows.length > 0
}
