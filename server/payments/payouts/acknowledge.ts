import type { SignedInContext, Tx } from '#server/context.ts'
import { audit } from '#server/records/audit.ts'
import { coinAmount } from '#server/records/payouts.ts'
import { AppError } from '#shared/errors.ts'
import { lockBatch } from './batch.ts'

/**
 * Somebody has looked at what is wrong with a batch, and says what came of it: it is not listed as a thing to look at any more. Nothing else
 * follows: what may not be paid again is not paid again, and whatever comes later is told anew.
 * @param transactions those that were shown as wrong
 * @throws AppError not_found; wrong_state where nothing is wrong, or something else than was shown
 */
export async function acknowledgeAlerts(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { transactions, reason }: { transactions: readonly string[]; reason: string },
): Promise<void> {
  await lockBatch(tx, id)
  const flagged = await tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['w.invoice_id', 'p.alert', 'p.alert_transaction', 'p.alert_units', 'p.alert_token'])
    .where('p.batch_id', '=', id)
    .where('p.alert', 'is not', null)
    .where('p.reviewed_at', 'is', null)
    .orderBy('p.position')
    .execute()
  if (flagged.length === 0) {
    throw new AppError('wrong_state', 'Nothing of this batch has to be looked at now.')
  }
  const shown = new Set(transactions)
  const there = new Set(flagged.map(({ alert_transaction }) => alert_transaction!))
  if (shown.size !== there.size || [...there].some(transaction => !shown.has(transaction))) {
    throw new AppError('wrong_state', 'Something else was seen meanwhile. Look at the batch again.')
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
      alerts: flagged.map(({ invoice_id, alert, alert_transaction, alert_units, alert_token }) => ({
        withdrawal: invoice_id,
        alert,
        transactionId: alert_transaction,
        came: coinAmount(alert_units!, alert_token!),
      })),
    },
  })
}
