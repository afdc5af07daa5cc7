import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Token } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'
import { payoutWatchDays } from '#shared/limits.ts'
import type { NameStop } from '#shared/sanctions.ts'

/**
 * What the networks show of the slots of payments. A slot is something that a network lets be used once, so the
 * transaction that uses a payment's slots is the only one that can ever pay it.
 */

/**
 * The transaction that uses slots of payment `p` of batch `b`: the one in a block, else the one seen last. Slots that a
 * later file added do not count: an earlier file can still be mined without them.
 */
export const use = sql<{ transaction_id: string; block_height: number | null; safe_tx_hash: string | null }>`
  SELECT s.transaction_id, s.block_height, s.safe_tx_hash
    FROM app.payout_slots k
    JOIN app.chain_spends s ON s.rail = b.rail AND s.slot = k.slot AND s.dropped_at IS NULL
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

/** True if payment `p` of batch `b` sweeps an address whose top-up is in no block yet: until then it cannot pay its fee. */
export const waitsForTopUp = sql<boolean>`(p.sender <> b.sender AND EXISTS (
  SELECT FROM app.payout_items i
   WHERE i.batch_id = p.batch_id AND i.kind = 'top_up' AND i.state = 'open' AND i.address = p.sender
     AND NOT EXISTS (SELECT FROM app.payout_slots k
                       JOIN app.chain_spends s ON s.rail = b.rail AND s.slot = k.slot AND s.block_height IS NOT NULL
                      WHERE k.batch_id = i.batch_id AND k.payment = i.payment AND k.version = 1)))`

/** The first unsigned payment with a lower nonce than payment `p`, of the same sender: until a block has it, none takes `p`. */
export const waitsFor = sql<{ batch: string; number: string; nonce: number } | null>`(
  SELECT json_build_object('batch', f.id, 'number', f.number, 'nonce', ${nonceOf('lower')})
    FROM app.payout_slots own
    JOIN app.payout_slots lower ON lower.held AND split_part(lower.slot, ':', 1) = split_part(own.slot, ':', 1)
     AND ${nonceOf('lower')} < ${nonceOf('own')}
    JOIN app.payout_payments l ON l.batch_id = lower.batch_id AND l.position = lower.payment
     AND l.status = 'drafted' AND l.used_by IS NULL
    JOIN app.payout_batches f ON f.id = l.batch_id AND f.rail = b.rail
   WHERE b.rail = 'ethereum' AND p.used_by IS NULL AND own.batch_id = p.batch_id AND own.payment = p.position
   ORDER BY ${nonceOf('lower')} LIMIT 1)`

/** The nonce in a slot of Ethereum; null for another network's. */
function nonceOf(table: 'own' | 'lower'): RawBuilder<number | null> {
  const slot = sql.ref(`${table}.slot`)
  return sql`(CASE WHEN ${slot} ~ '^0x.*:[0-9]{1,15}$' THEN split_part(${slot}, ':', 2)::bigint END)`
}

/** True if draft `o` of batch `b` can never be mined: a block shows another use of an output that it spends. */
export const isDead = sql<boolean>`EXISTS (
  SELECT FROM app.chain_spends s
   WHERE s.rail = b.rail AND s.slot = ANY (o.slots) AND s.block_height IS NOT NULL AND s.dropped_at IS NULL
     AND s.transaction_id IS DISTINCT FROM coalesce(o.transaction_id, o.planned_id))`

/** Height of the highest block of cursor `c` that is final. */
const finalHeight = sql<number>`(c.synced_height - c.confirmations + 1)`

type SolidBlock = { height: number; hash: string; time: Date }

/** TRON's newest solid block that we have synced: 19 of 27 super representatives have built on it (decision 28). */
const solidBlock = sql<SolidBlock>`
  SELECT k.height, k.hash, k.time FROM app.chain_blocks k JOIN app.chain_cursors c ON c.rail = k.rail
   WHERE k.rail = 'usdt' AND k.height <= ${finalHeight}
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

/**
 * True if staff do not know how the network shows what payment `p` has paid: its use `u` is in no block any more, or is in
 * one again.
 */
const isAlertStale = sql<boolean>`EXISTS (
  SELECT FROM app.payout_items i
   WHERE i.batch_id = p.batch_id AND i.payment = p.position AND i.state = 'paid'
     AND CASE WHEN u.block_height IS NULL THEN i.alert IS NULL ELSE i.alert = 'dropped' END)`

/** A payment that the network's view changes. */
export type DuePayment = { batch: string; position: number }

/**
 * Payments of a rail that are not as the network shows them: another transaction uses their slots, the one that does
 * became final or left its block, or they expired. Final ones are compared for as long as a reorg may matter.
 */
export async function duePayments(db: Kysely<Schema>, rail: RailName, now: Date): Promise<DuePayment[]> {
  const { rows } = await sql<DuePayment>`
    SELECT p.batch_id AS batch, p.position
      FROM app.payout_batches b
      JOIN app.payout_payments p ON p.batch_id = b.id
      JOIN app.chain_cursors c ON c.rail = b.rail
      LEFT JOIN LATERAL (${use}) u ON true
     WHERE b.rail = ${rail} AND (b.ended_at IS NULL OR b.ended_at > ${now}::timestamptz - make_interval(days => ${payoutWatchDays}))
       AND CASE p.status
             WHEN 'void' THEN false
             WHEN 'final' THEN u.transaction_id IS DISTINCT FROM p.used_by OR ${isAlertStale}
             ELSE u.transaction_id IS DISTINCT FROM p.used_by OR u.block_height IS NOT NULL
                  OR u.transaction_id IS NULL AND ${isExpired(now)} OR ${isAlertStale}
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
  /** True if that transaction pays none of its withdrawals and cannot have paid them in a way that we do not see. */
  paysNobody: boolean
  items: ItemFacts[]
}

export type ItemFacts = {
  position: number
  /** null: a transfer between our own addresses. */
  /** `isFrozen`: not because its owner is on a sanctions list, since that may never end. */
  withdrawal: { id: string; invoice: string; isFrozen: boolean } | null
  address: string
  token: Token
  units: bigint
  state: 'open' | 'paid' | 'released'
  transactionId: string | null
  alert: 'otherwise' | 'dropped' | null
  alertTransaction: string | null
  /** What that transaction pays to its address, in minor units of its coin; of another one of a Safe, not its ether. */
  received: bigint
  /** True if that is what it was to pay. */
  isPaidAsPlanned: boolean
}

/** What a Safe's transaction was planned for. null: we planned none with its hash, or no Safe pays. */
type Executed = 'payment' | 'cancellation' | null

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
    by_safe: boolean
    executed: Executed
  }>`
    SELECT p.status, p.used_by, u.transaction_id, u.block_height, coalesce(u.block_height <= ${finalHeight}, false) AS is_final,
           coalesce(${isExpired(now)}, false) AS is_expired, b.by_safe,
           (SELECT f.purpose FROM app.payout_drafts d JOIN app.payout_files f ON f.batch_id = d.batch_id AND f.version = d.version
             WHERE b.by_safe AND d.batch_id = p.batch_id AND d.payment = p.position AND d.planned_id = u.safe_tx_hash) AS executed
      FROM app.payout_payments p
      JOIN app.payout_batches b ON b.id = p.batch_id
      JOIN app.chain_cursors c ON c.rail = b.rail
      LEFT JOIN LATERAL (${use}) u ON true
     WHERE p.batch_id = ${batch} AND p.position = ${position}`.execute(db)
  const row = rows[0]!
  const items = await itemsOf(db, { batch, position }, row)
  return {
    status: row.status,
    usedBy: row.used_by,
    use:
      row.transaction_id === null
        ? null
        : { transactionId: row.transaction_id, isMined: row.block_height !== null, isFinal: row.is_final },
    isExpired: row.is_expired,
    paysNobody: row.by_safe
      ? row.executed === 'cancellation'
      : items.every(({ received }) => received === 0n),
    items,
  }
}

async function itemsOf(
  db: Kysely<Schema>,
  { batch, position }: DuePayment,
  used: { transaction_id: string | null; by_safe: boolean; executed: Executed },
): Promise<ItemFacts[]> {
  const rows = await db
    .selectFrom('app.payout_items as i')
    .innerJoin('app.payout_batches as b', 'b.id', 'i.batch_id')
    .leftJoin('app.withdrawals as w', 'w.id', 'i.withdrawal_id')
    .leftJoin('app.users as u', 'u.id', 'w.user_id')
    .select([
      'i.position',
      'i.address',
      'i.token',
      'i.units',
      'i.state',
      'i.transaction_id',
      'i.alert',
      'i.alert_transaction',
    ])
    .select(['w.id as withdrawal', 'w.invoice_id', 'u.frozen_at'])
    .select(sql<NameStop | null>`app.name_stop(u.id)`.as('stop'))
    .select(
      sql<bigint>`coalesce((SELECT sum(t.units)::bigint FROM app.chain_transfers t
        WHERE t.rail = b.rail AND t.transaction_id = ${used.transaction_id} AND t.address = app.address_key(i.address)
          AND t.token = i.token AND t.dropped_at IS NULL), 0)`.as('shown'),
    )
    .where('i.batch_id', '=', batch)
    .where('i.payment', '=', position)
    .orderBy('i.position')
    .execute()
  return rows.map(row => ({
    position: row.position,
    withdrawal:
      row.withdrawal === null
        ? null
        : {
            id: row.withdrawal,
            invoice: row.invoice_id!,
            isFrozen: row.frozen_at !== null && row.stop?.why !== 'same',
          },
    address: row.address,
    token: row.token,
    units: row.units,
    state: row.state,
    transactionId: row.transaction_id,
    alert: row.alert,
    alertTransaction: row.alert_transaction,
    ...receivedOf(row, used),
  }))
}

/**
 * One transaction can execute several batches of a Safe, and its ether is in no transfer: so a Safe's payment is known by its hash. Its
 * transfers only show that the coin's contract has not paid less.
 */
function receivedOf(
  { token, units, shown }: { token: Token; units: bigint; shown: bigint },
  { by_safe, executed }: { by_safe: boolean; executed: Executed },
): Pick<ItemFacts, 'received' | 'isPaidAsPlanned'> {
  if (!by_safe) return { received: shown, isPaidAsPlanned: shown === units }
  if (executed !== 'payment') return { received: shown, isPaidAsPlanned: false }
  const isWhole = token === 'ETH' || shown >= units
  return { received: isWhole ? units : shown, isPaidAsPlanned: isWhole }
}
