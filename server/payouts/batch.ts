import { type Kysely, sql } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { ownRequest, requireOther } from '#server/queries/status.ts'
import type { PayoutDetail } from '#shared/contract/payouts.ts'
import { AppError } from '#shared/errors.ts'
import type { BatchRow } from './batch-row.ts'
import { cancelRefusal, isSyncedSinceExport, takeOverRefusal } from './double-payment-guards.ts'
import { type PayoutRefusal, payoutRefusals } from './messages.ts'

const columns = [
  'id',
  'number',
  'method',
  'wallet',
  'asset',
  'network',
  'status',
  'sender',
  'units',
  'fee_rate',
  'fee_units',
  'change_address',
  'change_units',
  'file_name',
  'file_type',
  'file_sha256',
  'created_by',
  'created_at',
  'assignee_id',
  'exported_at',
  'seen_at',
  'paid_at',
  'cancelled_at',
  'cancelled_by',
  'cancel_reason',
  'expires_at',
  'median_time_past',
  'last_transfer_id',
] as const

/**
 * Locks a batch. Everywhere the order is: batch, its withdrawals, then (in the ledger) the accounts.
 * @throws AppError not_found
 */
export async function lockBatch(tx: Tx, id: string): Promise<BatchRow> {
  const row = await tx
    .selectFrom('app.payout_batches')
    .select(columns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such payout batch')
  return row
}

/** Derives a locked batch's status from its items: open → seen → paid, never back to open. A cancelled batch stays cancelled. */
export async function updateStatus(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`
    UPDATE app.payout_batches b
       SET status = s.status,
           seen_at = CASE WHEN s.status = 'open' THEN b.seen_at ELSE coalesce(b.seen_at, ${now}) END,
           paid_at = CASE WHEN s.status = 'paid' THEN coalesce(b.paid_at, ${now}) END
      FROM (SELECT CASE WHEN bool_and(i.state <> 'open') THEN 'paid'
                        WHEN bool_or(i.seen_transaction IS NOT NULL OR o.seen_at IS NOT NULL) THEN 'seen'
                        ELSE 'open' END AS status
              FROM app.payout_items i JOIN app.payout_batches o ON o.id = i.batch_id WHERE o.id = ${id}) s
     WHERE b.id = ${id} AND b.status <> 'cancelled' AND b.status <> s.status`.execute(tx)
}

/** The open batch that contains a withdrawal. */
export async function openBatchOf(tx: Tx, withdrawalId: string) {
  return tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
    .select(['b.id', 'b.number', 'p.position', 'p.alert'])
    .where('p.withdrawal_id', '=', withdrawalId)
    .where('p.state', '=', 'open')
    .executeTakeFirst()
}

/**
 * Staff can mark a withdrawal as paid only if no open batch pays it, unless the batch paid a wrong amount. Batches are locked before
 * withdrawals, so call this first.
 * @returns to be called once the withdrawal is locked; releases it from its batch, or throws AppError paid_by_batch
 */
export async function releaseForManualPayment(
  tx: Tx,
  withdrawalId: string,
  now: Date,
): Promise<() => Promise<void>> {
  const before = await openBatchOf(tx, withdrawalId)
  if (before) await lockBatch(tx, before.id)
  return async () => {
    const batch = await openBatchOf(tx, withdrawalId)
    if (!batch) return
    if (batch.alert !== 'wrong_amount' || batch.id !== before?.id) {
      throw payoutRefusals.error({ reason: 'paid_by_batch', number: batch.number })
    }
    await tx
      .updateTable('app.payout_items')
      .set({ state: 'released', transaction_id: null, transfer_position: null, ...noAlert })
      .where('batch_id', '=', batch.id)
      .where('position', '=', batch.position)
      .executeTakeFirstOrThrow()
    await updateStatus(tx, batch.id, now)
  }
}

export const noAlert = {
  alert: null,
  alert_transaction: null,
  alert_token: null,
  alert_units: null,
  alert_at: null,
  reviewed_at: null,
  reviewed_by: null,
  review_note: null,
} as const

/**
 * Cancels a batch: releases its unpaid withdrawals and its inputs.
 * @throws AppError not_found, not_open, and what `cancelRefusal` answers
 */
export async function cancelBatch(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const batch = await lockBatch(tx, id)
  const hasSynced = await isSyncedSinceExport(tx, ctx, batch)
  const refusal = notOpen(batch, 'cancelled') ?? (await cancelRefusal(tx, ctx, batch, hasSynced))
  if (refusal) throw payoutRefusals.error(refusal)
  const released = await tx
    .updateTable('app.payout_items')
    .set({ state: 'released', transaction_id: null, transfer_position: null, ...noAlert })
    .where('batch_id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirst()
  await tx.updateTable('app.payout_inputs').set({ reserved: false }).where('batch_id', '=', id).execute()
  await tx
    .updateTable('app.payout_batches')
    .set({
      status: 'cancelled',
      cancelled_at: ctx.services.clock.now(),
      cancelled_by: ctx.caller.userId,
      cancel_reason: reason,
    })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: 'payout.cancelled',
    subject: { kind: 'payout', id },
    moved: [batch.status, 'cancelled'],
    reason,
    details: { released: Number(released.numUpdatedRows) },
  })
}

/**
 * Makes the caller the batch's assignee, who alone can download its file.
 * @throws AppError not_found, not_open, own_request if it pays the caller, and what `takeOverRefusal` answers
 */
export async function takeOver(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const batch = await lockBatch(tx, id)
  const refusal = notOpen(batch, 'taken over') ?? (await takeOverRefusal(tx, ctx, batch))
  if (refusal) throw payoutRefusals.error(refusal)
  for (const { user_id } of await ownersOf(tx, batch.id)) {
    requireOther('withdrawal', user_id, ctx.caller.userId)
  }
  await tx
    .updateTable('app.payout_batches')
    .set({ assignee_id: ctx.caller.userId })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: 'payout.reassigned',
    subject: { kind: 'payout', id },
    reason,
    details: { before: { assignee: batch.assignee_id }, after: { assignee: ctx.caller.userId } },
  })
}

/**
 * Why the caller cannot cancel or take over an open batch, in words, or null. It leaves out that a sync is due, because that passes
 * without anybody's action.
 */
export async function refusalsOf(
  db: Kysely<Schema>,
  ctx: SignedInContext,
  id: string,
): Promise<PayoutDetail['refusals']> {
  const batch = await db
    .selectFrom('app.payout_batches')
    .select(columns)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (!isOpen(batch)) return { cancel: null, takeOver: null }
  const cancel = await cancelRefusal(db, ctx, batch, true)
  const takeOver = await takeOverRefusal(db, ctx, batch)
  return {
    cancel: cancel && payoutRefusals.words(cancel),
    takeOver: takeOver ? payoutRefusals.words(takeOver) : await ownPayment(db, ctx, id),
  }
}

async function ownPayment(db: Kysely<Schema>, ctx: SignedInContext, id: string): Promise<string | null> {
  const owners = await ownersOf(db, id)
  return owners.some(({ user_id }) => user_id === ctx.caller.userId) ? ownRequest('withdrawal').message : null
}

function ownersOf(tx: Kysely<Schema>, id: string): Promise<{ user_id: string }[]> {
  return tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select('w.user_id')
    .where('p.batch_id', '=', id)
    .execute()
}

/** @param act what the caller wants done: 'cancelled' */
export function notOpen({ status }: Pick<BatchRow, 'status'>, act: string): PayoutRefusal | null {
  return isOpen({ status }) ? null : { reason: 'not_open', status, act }
}

function isOpen({ status }: Pick<BatchRow, 'status'>): boolean {
  return status === 'open' || status === 'seen'
}
