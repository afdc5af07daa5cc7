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
export async function acknowledgeFaults(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { transactions, reason }: { transactions: readonly string[]; reason: string },
): Promise<void> {
  await lockBatch(tx, id)
  const flagged = await tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['w.invoice_id', 'p.fault', 'p.fault_transaction', 'p.fault_units', 'p.fault_token'])
    .where('p.batch_id', '=', id)
    .where('p.fault', 'is not', null)
    .where('p.looked_at', 'is', null)
    .orderBy('p.position')
    .execute()
  if (flagged.length === 0) {
    throw new AppError('wrong_state', 'Nothing of this batch has to be looked at now.')
  }
  const shown = new Set(transactions)
  const there = new Set(flagged.map(({ fault_transaction }) => fault_transaction!))
  if (shown.size !== there.size || [...there].some(transaction => !shown.has(transaction))) {
    throw new AppError('wrong_state', 'Something else was seen meanwhile. Look at the batch again.')
  }
  await tx
    .updateTable('app.payout_items')
    .set({ looked_at: ctx.services.clock.now(), looked_by: ctx.caller.userId, looked_reason: reason })
    .where('batch_id', '=', id)
    .where('fault', 'is not', null)
    .where('looked_at', 'is', null)
    .execute()
  await audit(tx, ctx, {
    action: 'payout.looked_at',
    subject: { kind: 'payout', id },
    reason,
    details: {
      faults: flagged.map(({ invoice_id, fault, fault_transaction, fault_units, fault_token }) => ({
        withdrawal: invoice_id,
        fault,
        transactionId: fault_transaction,
        came: coinAmount(fault_units!, fault_token!),
      })),
    },
  })
}
