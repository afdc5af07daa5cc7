import { type Kysely, type Selectable, sql } from 'kysely'
import type { SignedInContext, Tx } from '#server/context.ts'
import { requireOther } from '#server/payments/states.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { audit } from '#server/records/audit.ts'
import type { PayoutDetail } from '#shared/contract/payouts.ts'
import { AppError } from '#shared/errors.ts'
import { isKnownUnsent, requireOneSigner, requireUnsent } from './once.ts'

export type BatchOnFile = Omit<Selectable<Schema['app.payout_batches']>, 'file'>

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
 * The batch's row first, then its withdrawals, then (by the ledger) the accounts: everywhere in this order.
 * @throws AppError not_found
 */
export async function lockBatch(tx: Tx, id: string): Promise<BatchOnFile> {
  const row = await tx
    .selectFrom('app.payout_batches')
    .select(columns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such payout batch')
  return row
}

/** Brings a locked batch's status in line with its items: open → seen → paid, and never back to open. A cancelled one stays so. */
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

/** The open batch that a withdrawal is in. */
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
 * A withdrawal is marked as paid by hand only where no open batch pays it: but for one whose transfer has come with another amount,
 * which somebody has to decide about. To be asked before the withdrawal is locked, since batches are locked first.
 * @returns to be called once it is locked; it takes the withdrawal out of its batch, or refuses
 * @throws AppError wrong_state
 */
export async function releaseForHand(tx: Tx, withdrawalId: string, now: Date): Promise<() => Promise<void>> {
  const before = await openBatchOf(tx, withdrawalId)
  if (before) await lockBatch(tx, before.id)
  return async () => {
    const batch = await openBatchOf(tx, withdrawalId)
    if (!batch) return
    if (batch.alert !== 'wrong_amount' || batch.id !== before?.id) throw inBatch(batch.number)
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

function inBatch(number: string): AppError {
  return new AppError(
    'wrong_state',
    `Payout batch ${number} pays this withdrawal: it is marked as paid by itself once its transfer is seen on the chain. If the batch will not be broadcast, cancel it first.`,
  )
}

/**
 * What has not been paid of a batch is given up: its withdrawals can be paid otherwise, and its outpoints spent otherwise.
 * @throws AppError not_found; wrong_state where it has ended, or may be sent or mined as far as can be known (once.ts)
 */
export async function cancelBatch(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const batch = await lockBatch(tx, id)
  requireUnderWay(batch, 'cancelled')
  await requireUnsent(tx, ctx, batch)
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
 * The caller alone has the file from now on.
 * @throws AppError not_found; own_request where it pays him; wrong_state where he has it already, the batch has ended, or two could come to sign it (once.ts)
 */
export async function takeOver(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const batch = await lockBatch(tx, id)
  requireUnderWay(batch, 'taken over')
  await requireMayHold(tx, ctx, batch)
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

/** @throws AppError own_request, wrong_state */
async function requireMayHold(tx: Kysely<Schema>, ctx: SignedInContext, batch: BatchOnFile): Promise<void> {
  if (batch.assignee_id === ctx.caller.userId) {
    throw new AppError('wrong_state', 'You hold this batch already. Download its file and sign it.')
  }
  await requireOneSigner(tx, batch)
  for (const { user_id } of await ownersOf(tx, batch.id)) {
    requireOther('withdrawal', user_id, ctx.caller.userId)
  }
}

/**
 * Why the caller cannot cancel a batch under way or take it over, in the words of the refusal; null where he can. That the network is still
 * to be looked at is not among them: it passes by itself.
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
  if (batch.status !== 'open' && batch.status !== 'seen') return { cancel: null, takeOver: null }
  return {
    cancel: await wordsOf(isKnownUnsent(db, ctx, batch)),
    takeOver: await wordsOf(requireMayHold(db, ctx, batch)),
  }
}

async function wordsOf(asked: Promise<unknown>): Promise<string | null> {
  try {
    await asked
    return null
  } catch (fault) {
    if (fault instanceof AppError) return fault.message
    throw fault
  }
}

function ownersOf(tx: Kysely<Schema>, id: string): Promise<{ user_id: string }[]> {
  return tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select('w.user_id')
    .where('p.batch_id', '=', id)
    .execute()
}

/** @throws AppError wrong_state */
export function requireUnderWay({ status }: Pick<BatchOnFile, 'status'>, done: string): void {
  if (status === 'open' || status === 'seen') return
  throw new AppError('wrong_state', `This batch is already ${status}. Only open batches can be ${done}.`)
}
