import type { Kysely } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { lockBatch, requireNotPayee } from './batch.ts'
import { type PayoutRefusal, payoutRefusals } from './messages.ts'
import { coinAmount } from './queries.ts'

/**
 * Marks a batch's alerts as reviewed. No money moves, and a new problem raises a new alert.
 * @param transactions those whose alerts the caller saw
 * @throws AppError not_found, own_request if it pays the caller, nothing_to_review, changed_since
 */
export async function acknowledgeAlerts(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { transactions, reason }: { transactions: readonly string[]; reason: string },
): Promise<void> {
  await lockBatch(tx, id)
  await requireNotPayee(tx, ctx, id)
  const flagged = await tx
    .selectFrom('app.payout_items as p')
    .leftJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['w.invoice_id', 'p.address', 'p.alert', 'p.alert_transaction', 'p.alert_units', 'p.token'])
    .where('p.batch_id', '=', id)
    .where('p.alert', 'is not', null)
    .where('p.reviewed_at', 'is', null)
    .orderBy('p.position')
    .execute()
  if (flagged.length === 0) throw payoutRefusals.error({ reason: 'nothing_to_review' })
  const shown = new Set(transactions)
  const current = new Set(flagged.map(({ alert_transaction }) => alert_transaction!))
  if (shown.size !== current.size || [...current].some(transaction => !shown.has(transaction))) {
    throw payoutRefusals.error({ reason: 'changed_since' })
  }
  await tx
    .updateTable('app.payout_items')
    .set({ reviewed_at: ctx.services.clock.now(), reviewed_by: ctx.caller.userId, review_note: reason })
    .where('batch_id', '=', id)
    .where('alert', 'is not', null)
    .where('reviewed_at', 'is', null)
    .execute()
  await audit(tx, ctx, {
    action: 'payout.reviewed',
    subject: { kind: 'payout', id },
    reason,
    details: {
      alerts: flagged.map(({ invoice_id, address, alert, alert_transaction, alert_units, token }) => ({
        ...(invoice_id === null ? { address } : { withdrawal: invoice_id }),
        alert,
        transactionId: alert_transaction,
        received: coinAmount(alert_units!, token),
      })),
    },
  })
}

/** Refuses to pay withdrawals again, or to decline them, while nobody has reviewed what became of an earlier payment. */
export async function unreviewedAlert(
  db: Kysely<Schema>,
  withdrawals: readonly string[],
): Promise<PayoutRefusal | null> {
  if (withdrawals.length === 0) return null
  const item = await db
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['b.number', 'w.invoice_id'])
    .where('p.withdrawal_id', 'in', [...withdrawals])
    .where('p.alert', 'is not', null)
    .where('p.reviewed_at', 'is', null)
    .orderBy('w.id')
    .limit(1)
    .executeTakeFirst()
  return item ? { reason: 'unreviewed_alert', invoice: item.invoice_id, number: item.number } : null
}
