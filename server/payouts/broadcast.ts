import { type Kysely, sql } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Chain } from '#server/rails/chain.ts'
import { isRestored } from '#server/restores/beat.ts'
import type { RailName } from '#shared/coins.ts'
import { lockBatch, updateStatus } from './batch.ts'
import { isDead, waitsForTopUp } from './slots.ts'
import { sendersOf } from './wallets.ts'

/** How long a network may take to show a transaction before we give it to our node again, in seconds. */
const REPEAT_SECONDS = 60

type Waiting = { batch_id: string; payment: number; version: number; signed: Buffer }

/**
 * Gives signed transactions to our node until the network shows them, the latest of each payment. A node's refusal is
 * kept for staff; the next attempt may succeed.
 * @throws ChainError if the node cannot be asked
 */
export async function broadcastSigned(
  { db, clock, log, config }: Pick<Services, 'db' | 'clock' | 'log' | 'config'>,
  rail: RailName,
  chain: Pick<Chain, 'broadcast'>,
): Promise<void> {
  const failures: unknown[] = []
  const isPaused = await isRestored({ db, config })
  const senders = sendersOf(config, rail)
  for (const draft of await waiting(db, rail, { now: clock.now(), senders, isPaused })) {
    // One that the node does not answer holds up no other.
    await broadcastOne({ db, clock, log }, chain, draft).catch(error => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

async function broadcastOne(
  { db, clock, log }: Pick<Services, 'db' | 'clock' | 'log'>,
  chain: Pick<Chain, 'broadcast'>,
  draft: Waiting,
): Promise<void> {
  const { refused } = await chain.broadcast(draft.signed)
  const of = { batch: draft.batch_id, payment: draft.payment, version: draft.version }
  if (refused !== null) log.warn({ ...of, refused }, 'the node refused a payout')
  await db
    .updateTable('app.payout_drafts')
    .set({ broadcast_at: clock.now(), refused })
    .where('batch_id', '=', of.batch)
    .where('payment', '=', of.payment)
    .where('version', '=', of.version)
    .execute()
  if (refused === null) await markBroadcast(db, of, clock.now())
}

/**
 * Also what paid and was dropped by a reorg, never what was to cancel it. No other payment of a batch that is being cancelled, and none while a recipient's
 * account is frozen, their address on a sanctions list or their name like a listed one, nor a sweep to an address that is not among `senders`, the payout addresses. While payouts are paused, only
 * what cancels.
 */
async function waiting(
  db: Kysely<Schema>,
  rail: RailName,
  { now, senders, isPaused }: { now: Date; senders: string[]; isPaused: boolean },
): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    SELECT d.batch_id, d.payment, d.version, d.signed
      FROM app.payout_batches b
      JOIN app.payout_payments p ON p.batch_id = b.id AND (p.status IN ('signed', 'broadcast') OR p.status = 'final' AND p.used_by IS NULL)
     CROSS JOIN LATERAL (SELECT * FROM app.payout_drafts o
                          WHERE o.batch_id = p.batch_id AND o.payment = p.position AND o.signed IS NOT NULL
                            AND NOT ${isDead} AND (p.status <> 'final' OR o.transaction_id IN (
                                  SELECT i.transaction_id FROM app.payout_items i
                                   WHERE i.batch_id = p.batch_id AND i.payment = p.position AND i.state = 'paid'))
                          ORDER BY o.version DESC LIMIT 1) d
      JOIN app.payout_files f ON f.batch_id = d.batch_id AND f.version = d.version
     WHERE b.rail = ${rail} AND d.transaction_id IS DISTINCT FROM p.used_by
       AND (d.broadcast_at IS NULL OR d.broadcast_at < ${now}::timestamptz - make_interval(secs => ${REPEAT_SECONDS}))
       AND NOT EXISTS (SELECT FROM app.payout_slots k
                         JOIN app.chain_spends s ON s.rail = b.rail AND s.slot = k.slot AND s.block_height IS NOT NULL
                        WHERE k.batch_id = p.batch_id AND k.payment = p.position AND k.version = 1)
       AND (p.expires_at IS NULL OR p.expires_at > ${now}) AND NOT coalesce(${waitsForTopUp}, false)
       AND (f.purpose = 'cancellation' OR NOT ${isPaused}::boolean AND (b.purpose = 'payout' OR b.sender = ANY (${senders})))
       AND (f.purpose = 'cancellation' OR p.status = 'final' OR b.cancelled_at IS NULL AND NOT EXISTS (
             SELECT FROM app.payout_items i
               JOIN app.withdrawals w ON w.id = i.withdrawal_id
               JOIN app.users u ON u.id = w.user_id
              WHERE i.batch_id = p.batch_id AND i.payment = p.position AND i.state = 'open'
                AND (u.frozen_at IS NOT NULL OR app.listing_of(w.address) IS NOT NULL OR app.name_stop(u.id) IS NOT NULL)))
     ORDER BY d.batch_id, d.payment`.execute(db)
  return rows
}

/** What has ended stays so. */
async function markBroadcast(
  db: Kysely<Schema>,
  { batch, payment }: { batch: string; payment: number },
  now: Date,
): Promise<void> {
  await db.transaction().execute(async tx => {
    await lockBatch(tx, batch)
    await tx
      .updateTable('app.payout_payments')
      .set({ status: 'broadcast' })
      .where('batch_id', '=', batch)
      .where('position', '=', payment)
      .where('status', '=', 'signed')
      .execute()
    await updateStatus(tx, batch, now)
  })
}
