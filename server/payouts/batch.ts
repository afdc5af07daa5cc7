import { type Selectable, sql } from 'kysely'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { requireOther } from '#server/queries/status.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { type BatchAct, type PayoutRefusal, payoutRefusals } from './messages.ts'

export type BatchRow = Selectable<Schema['app.payout_batches']>

/**
 * Locks a batch. Everywhere the order is: batch, its withdrawals, then (in the ledger) the accounts.
 * @throws AppError not_found
 */
export async function lockBatch(tx: Tx, id: string): Promise<BatchRow> {
  const row = await tx
    .selectFrom('app.payout_batches')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', t('There is no such payout batch'))
  return row
}

/**
 * Locks a batch that can still change.
 * @param act what the caller wants done: 'cancelled'
 * @throws AppError not_found, ended
 */
export async function lockOpenBatch(tx: Tx, id: string, act: BatchAct): Promise<BatchRow> {
  const batch = await lockBatch(tx, id)
  requireOpen(batch, act)
  return batch
}

/** @throws AppError ended */
export function requireOpen(batch: BatchRow, act: BatchAct): void {
  const refusal = endedRefusal(batch, act)
  if (refusal) throw payoutRefusals.error(refusal)
}

function endedRefusal({ status, ended_at }: BatchRow, act: BatchAct): PayoutRefusal | null {
  return ended_at === null ? null : { reason: 'ended', status: status as 'final' | 'void', act }
}

/**
 * Requires that a batch pays nothing to the caller.
 * @throws AppError own_request
 */
export async function requireNotPayee(tx: Tx, { caller }: SignedInContext, id: string): Promise<void> {
  const payees = await tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select('w.user_id')
    .where('p.batch_id', '=', id)
    .execute()
  for (const { user_id } of payees) requireOther('withdrawal', user_id, caller.userId)
}

/** Derives a locked batch's status from its payments. */
export async function updateStatus(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`
    UPDATE app.payout_batches b
       SET status = s.status, ended_at = CASE WHEN s.status IN ('final', 'void') THEN ${now}::timestamptz END
      FROM (SELECT CASE WHEN bool_or(status = 'drafted') THEN 'drafted'
                        WHEN bool_or(status = 'signed') THEN 'signed'
                        WHEN bool_or(status = 'broadcast') THEN 'broadcast'
                        WHEN bool_or(status = 'final') THEN 'final'
                        ELSE 'void' END AS status
              FROM app.payout_payments WHERE batch_id = ${id}) s
     WHERE b.id = ${id} AND b.ended_at IS NULL AND b.status <> s.status`.execute(tx)
}

/** The batch that pays a withdrawal and can still change, if any. */
export async function openBatchOf(
  tx: Tx,
  withdrawalId: string,
): Promise<{ id: string; number: string } | undefined> {
  return tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
    .select(['b.id', 'b.number'])
    .where('p.withdrawal_id', '=', withdrawalId)
    .where('p.state', '=', 'open')
    .executeTakeFirst()
}

export const noAlert = {
  alert: null,
  alert_transaction: null,
  alert_units: null,
  alert_at: null,
  reviewed_at: null,
  reviewed_by: null,
  review_note: null,
} as const
