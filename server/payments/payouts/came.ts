import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

/**
 * What a network shows of a batch by what is written down, whether anybody has assessed that or not. A look writes its steps down one after
 * the other and assesses them at its end, which a fault or the end of the process can put off for long: meanwhile what has used up a nonce
 * or an outpoint, or was mined before an end, may be the very payment.
 */

/**
 * Of a transfer `t` that pays the address of a released item `p`: whether it is what another batch, which was not cancelled, has sent for the
 * same withdrawal. With another amount than was to be paid it never becomes that one's `transaction_id`, also where somebody has made up for it.
 */
export const isTriedElsewhere = sql<boolean>`(p.state = 'released' AND EXISTS (
  SELECT FROM app.payout_items o JOIN app.payout_batches other ON other.id = o.batch_id
   WHERE o.withdrawal_id = p.withdrawal_id AND o.batch_id <> p.batch_id AND other.status <> 'cancelled'
     AND o.seen_transaction = t.transaction_id))`

/** Of a transfer `t`: whether the sender of batch `b` has sent it, and it was not written down when that was made. */
export const isSentSince = sql<boolean>`(t.senders @> ARRAY[app.address_key(b.sender)] AND t.id > b.last_transfer_id)`

/**
 * Of an item `p` of batch `b`: the first transaction on the network, in a block or waiting for one, that comes from the batch (`isOf` of
 * recognise.ts) and pays its address; null where there is none. Not one that pays another item, was sent by another batch for the same withdrawal, or
 * has marked a withdrawal as paid.
 */
export const cameFor = sql<string | null>`(
  SELECT t.transaction_id FROM app.chain_transfers t
   WHERE t.method = b.method AND t.address = app.address_key(p.address) AND t.dropped_at IS NULL
     AND CASE WHEN b.sender IS NULL
           THEN t.senders && ARRAY(SELECT i.outpoint FROM app.payout_inputs i WHERE i.batch_id = b.id)
           ELSE ${isSentSince} AND coalesce(t.block_time >= b.median_time_past, true)
         END
     AND NOT EXISTS (SELECT FROM app.payout_items o
                      WHERE o.transaction_id = t.transaction_id AND o.transfer_position = t.position
                        AND (o.batch_id <> p.batch_id OR o.position <> p.position))
     AND NOT ${isTriedElsewhere}
     AND NOT EXISTS (SELECT FROM app.withdrawals m
                      WHERE lower(m.transaction_id) = t.transaction_id AND app.address_key(m.address) = t.address)
   ORDER BY t.id LIMIT 1)`

/** Of an open item `p` of batch `b`: whether what may be its own was seen and is gone, assessed or not: it can still be mined. */
export const hasGone = sql<boolean>`(p.state = 'open' AND EXISTS (
  SELECT FROM app.chain_transfers t
   WHERE t.method = b.method AND t.address = app.address_key(p.address) AND t.dropped_at IS NOT NULL
     AND ${isSentSince} AND t.units = p.units))`

/** Whether something came for what is open of a batch `b`. */
export const hasCome = sql<boolean>`EXISTS (
  SELECT FROM app.payout_items p WHERE p.batch_id = b.id AND p.state = 'open' AND ${cameFor} IS NOT NULL)`

/** Whether the network shows what pays an open withdrawal of a batch. */
export async function hasComeOf(db: Kysely<Schema>, id: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM app.payout_batches b WHERE b.id = ${id} AND ${hasCome}`.execute(db)
  return rows.length > 0
}
