import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { debtOf, recoverDebt } from '#server/deposits/debt.ts'
import { withdrawalDeclined } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { notify } from '#server/notifications/notices.ts'
import { openBatchOf } from '#server/payouts/batch.ts'
import { type PayoutRefusal, payoutRefusals } from '#server/payouts/messages.ts'
import { lockWithdrawal, type WithdrawalOnFile } from '#server/payouts/pay.ts'
import { unpayableNow } from '#server/payouts/payable.ts'
import { requireNoRestore } from '#server/payouts/restored.ts'
import { unreviewedAlert } from '#server/payouts/review.ts'
import { requireStatus } from '#server/queries/status.ts'
import { withdrawalRefusals } from './messages.ts'

/**
 * pending → declined, with a reason that the investor sees; releases the hold. Also approved → declined, if the investor has a debt or
 * no batch could pay it, and nothing was sent.
 * @param notPaid attests that nobody has paid an approved withdrawal manually, and nobody will
 * @throws AppError not_found, wrong_state
 */
export async function declineWithdrawal(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { reason, notPaid = false }: { reason: string; notPaid?: boolean | undefined },
): Promise<void> {
  const withdrawal = await lockWithdrawal(tx, id)
  await requireNoRestore(tx, ctx.services.config)
  const details = await assertDeclinable(tx, ctx, withdrawal, notPaid)
  await post(
    tx,
    withdrawalDeclined({
      userId: withdrawal.user_id,
      amountCents: withdrawal.amount_cents,
      withdrawalId: id,
      holdId: withdrawal.hold_id,
      actor: ctx.caller.userId,
      memo: reason,
    }),
  )
  const { user_id: userId, amount_cents: amountCents } = withdrawal
  const recoveredCents = await recoverDebt(tx, ctx, { userId, amountCents })
  await tx
    .updateTable('app.withdrawals')
    .set({ status: 'declined', decline_reason: reason, recovered_cents: recoveredCents })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: 'withdrawal.declined',
    subject: { kind: 'withdrawal', id },
    moved: [withdrawal.status, 'declined'],
    reason,
    details,
  })
  await notify(tx, 'withdrawal.declined', withdrawal, ctx.services.clock.now())
}

/**
 * @param withdrawal locked, so that no batch can take it meanwhile
 * @returns for the audit log, why an approved withdrawal can be declined, and the attestation
 * @throws AppError wrong_state
 */
async function assertDeclinable(
  tx: Tx,
  { services }: SignedInContext,
  withdrawal: WithdrawalOnFile,
  notPaid: boolean,
): Promise<Record<string, unknown>> {
  const { id, user_id, status } = withdrawal
  if (status !== 'approved') {
    requireStatus('withdrawal', status, 'pending', 'declined')
    return {}
  }
  const now = services.clock.now()
  const unpayable = await unpayableNow({ ...services, db: tx }, withdrawal, now)
  const hasDebt = (await debtOf(tx, user_id)) > 0n
  if (unpayable === null && !hasDebt) requireStatus('withdrawal', status, 'pending', 'declined')
  const refusal = (await openBatch(tx, id)) ?? (await unreviewedAlert(tx, [id]))
  if (refusal) throw payoutRefusals.error(refusal)
  // We cannot know of manual payments, so staff must attest that there was none.
  if (!notPaid) throw withdrawalRefusals.error({ reason: 'may_be_paid' })
  return { ...(unpayable !== null && { unpayable }), attestedNotPaid: true }
}

async function openBatch(tx: Tx, id: string): Promise<PayoutRefusal | null> {
  const batch = await openBatchOf(tx, id)
  return batch ? { reason: 'in_open_batch', number: batch.number } : null
}
