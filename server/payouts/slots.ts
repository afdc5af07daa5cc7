import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { payoutWatchDays } from '#shared/limits.ts'

/**
 * What the networks show of the slots of payments. A slot is something that a network lets be used once, so the
 * transaction that uses a payment's slots is the only one that can ever pay it.
 */

/**
 * The transaction that uses slots of payment `p` of batch `b`: the one in a block, else the one seen last. Slots that a
 * later file added do not count: an earlier file can still be mined without them.
 */
export const use = sql<{ transaction_id: string; block_height: number | null }>`
  SELECT s.transaction_id, s.block_height
    FROM app.payout_slots k
    JOIN app.chain_spends s ON s.method = b.method AND s.slot = k.slot AND s.dropped_at IS NULL
   WHERE k.batch_id = p.batch_id AND k.payment = p.position AND k.version = 1
   ORDER BY s.block_height, s.seen_at DESC, s.transaction_id
   LIMIT 1`

/**
 * True if no new payment may take slot `k`: a payment holds it, or one that is in the books as paid was dropped by a reorg
 * and may still return.
 */
export const isTaken = sql<boolean>`(k.held OR EXISTS (
  SELECT FROM app.payout_payments o
   WHERE o.batch_id = k.batch_id AND o.position = k.payment AND o.status = 'final' AND o.used_by IS NULL))`

/** Height of the highest block of cursor `c` that is final. */
export const finalHeight = sql<number>`(c.synced_height - c.confirmations + 1)`

type SolidBlock = { height: number; hash: string; time: Date }

/** TRON's newest solid block that we have synced: 19 of 27 super representatives have built on it (decision 28). */
const solidBlock = sql<SolidBlock>`
  SELECT k.height, k.hash, k.time FROM app.chain_blocks k JOIN app.chain_cursors c ON c.method = k.method
   WHERE k.method = 'usdt' AND k.height <= ${finalHeight}
   ORDER BY k.height DESC LIMIT 1`

/** @returns undefined before the first sync */
export async function newestSolidBlock(db: Kysely<Schema>): Promise<SolidBlock | undefined> {
  const { rows } = await solidBlock.execute(db)
  return rows[0]
}

/**
 * True if the transaction of payment `p` is in no block and can never be in one. A block's time is whatever its producer
 * and our node say, so we never trust one later than our own clock.
 */
export const isExpired = (now: Date): RawBuilder<boolean> => sql<boolean>`(
  p.expires_at < (SELECT least(solid.time, ${now}) FROM (${solidBlock}) solid)
  AND (c.sync_error IS NULL OR c.sync_error_kind <> 'reading') AND NOT c.halted AND c.synced_height = c.tip_height)`

/** A payment that the network's view changes. */
export type DuePayment = { batch: string; position: number }

/**
 * Payments of a method that are not as the network shows them: another transaction uses their slots, or the one that does
 * became final, or they expired. Final ones are compared for as long as a reorg may matter.
 */
export async function duePayments(
  db: Kysely<Schema>,
  method: DepositMethod,
  now: Date,
): Promise<DuePayment[]> {
  const { rows } = await sql<DuePayment>`
    SELECT p.batch_id AS batch, p.position
      FROM app.payout_batches b
      JOIN app.payout_payments p ON p.batch_id = b.id
      JOIN app.chain_cursors c ON c.method = b.method
      LEFT JOIN LATERAL (${use}) u ON true
     WHERE b.method = ${method} AND (b.ended_at IS NULL OR b.ended_at > ${now}::timestamptz - make_interval(days => ${payoutWatchDays}))
       AND CASE p.status
             WHEN 'void' THEN false
             WHEN 'final' THEN u.transaction_id IS DISTINCT FROM p.used_by
             ELSE u.transaction_id IS DISTINCT FROM p.used_by OR u.block_height IS NOT NULL
                  OR u.transaction_id IS NULL AND ${isExpired(now)}
           END
     ORDER BY p.batch_id, p.position`.execute(db)
  return rows
}

/** What the network shows of one payment. */
export type PaymentFacts = {
  status: 'drafted' | 'signed' | 'broadcast' | 'final' | 'void'
  usedBy: string | null
  /** The transaction that uses its slots; null if none does. */
  use: { transactionId: string; isMined: boolean; isFinal: boolean } | null
  isExpired: boolean
  items: ItemFacts[]
}

export type ItemFacts = {
  position: number
  withdrawal: string
  invoice: string
  units: bigint
  state: 'open' | 'paid' | 'released'
  transactionId: string | null
  alert: 'otherwise' | 'dropped' | null
  alertTransaction: string | null
  /** What that transaction pays to its address, in minor units of the batch's coin. */
  received: bigint
  isFrozen: boolean
}

/** The batch must be locked. */
export async function factsOf(
  db: Kysely<Schema>,
  { batch, position }: DuePayment,
  now: Date,
): Promise<PaymentFacts> {
  const { rows } = await sql<{
    status: PaymentFacts['status']
    used_by: string | null
    transaction_id: string | null
    block_height: number | null
    is_final: boolean
    is_expired: boolean
  }>`
    SELECT p.status, p.used_by, u.transaction_id, u.block_height, coalesce(u.block_height <= ${finalHeight}, false) AS is_final,
           coalesce(${isExpired(now)}, false) AS is_expired
      FROM app.payout_payments p
      JOIN app.payout_batches b ON b.id = p.batch_id
      JOIN app.chain_cursors c ON c.method = b.method
      LEFT JOIN LATERAL (${use}) u ON true
     WHERE p.batch_id = ${batch} AND p.position = ${position}`.execute(db)
  const row = rows[0]!
  return {
    status: row.status,
    usedBy: row.used_by,
    use:
      row.transaction_id === null
        ? null
        : { transactionId: row.transaction_id, isMined: row.block_height !== null, isFinal: row.is_final },
    isExpired: row.is_expired,
    items: await itemsOf(db, { batch, position }, row.transaction_id),
  }
}

async function itemsOf(
  db: Kysely<Schema>,
  { batch, position }: DuePayment,
  transactionId: string | null,
): Promise<ItemFacts[]> {
  const rows = await db
    .selectFrom('app.payout_items as i')
    .innerJoin('app.payout_batches as b', 'b.id', 'i.batch_id')
    .innerJoin('app.withdrawals as w', 'w.id', 'i.withdrawal_id')
    .innerJoin('app.users as u', 'u.id', 'w.user_id')
    .select(['i.position', 'i.units', 'i.state', 'i.transaction_id', 'i.alert', 'i.alert_transaction'])
    .select(['w.id as withdrawal', 'w.invoice_id', 'u.frozen_at'])
    .select(
      sql<bigint>`coalesce((SELECT sum(t.units)::bigint FROM app.chain_transfers t
        WHERE t.method = b.method AND t.transaction_id = ${transactionId} AND t.address = app.address_key(i.address)
          AND t.token = b.asset AND t.dropped_at IS NULL), 0)`.as('received'),
    )
    .where('i.batch_id', '=', batch)
    .where('i.payment', '=', position)
    .orderBy('i.position')
    .execute()
  return rows.map(row => ({
    position: row.position,
    withdrawal: row.withdrawal,
    invoice: row.invoice_id,
    units: row.units,
    state: row.state,
    transactionId: row.transaction_id,
    alert: row.alert,
    alertTransaction: row.alert_transaction,
    received: row.received,
    isFrozen: row.frozen_at !== null,
  }))
}
