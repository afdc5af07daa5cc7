import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { debtOf, recoverDebt } from '#server/deposits/debt.ts'
import { type Ending, endedAs } from '#server/deposits/settle.ts'
import { withdrawalDeclined } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { notify, notifyCancelled } from '#server/notifications/notices.ts'
import { openBatchOf } from '#server/payouts/batch.ts'
import { type PayoutRefusal, payoutRefusals } from '#server/payouts/messages.ts'
import { lockWithdrawal, type WithdrawalOnFile } from '#server/payouts/pay.ts'
import { unpayableNow } from '#server/payouts/payable.ts'
import { requireNoRestore } from '#server/payouts/restored.ts'
import { unreviewedAlert } from '#server/payouts/review.ts'
import { requireOwnRequest, requireStatus } from '#server/queries/status.ts'
import { isRestored } from '#server/restores/beat.ts'
import { withdrawalRefusals } from './messages.ts'
import { findWithdrawal } from './queries.ts'

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
  await release(tx, ctx, withdrawal, { reason })
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
 * pending → declined by the investor; releases the hold. Nobody can have paid it, except before a restore.
 * @throws AppError forbidden, wrong_state, cancelling_paused
 */
export async function cancelWithdrawal(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { services, caller } = ctx
  requireOwnRequest('withdrawal', await findWithdrawal(tx, id), caller.userId)
  const withdrawal = await lockWithdrawal(tx, id)
  if (await isRestored({ db: tx, config: services.config }))
    throw withdrawalRefusals.error({ reason: 'cancelling_paused' })
  requireStatus('withdrawal', withdrawal, 'pending', 'cancelled')
  await release(tx, ctx, withdrawal, { cancelledBy: caller.userId })
  await audit(tx, ctx, {
    action: 'withdrawal.cancelled',
    subject: { kind: 'withdrawal', id },
    moved: ['pending', 'declined'],
  })
  await notifyCancelled(tx, 'withdrawal.cancelled', withdrawal, services.clock.now())
}

/** Ends a withdrawal: what it held is available again, less any debt that it repays. */
async function release(
  tx: Tx,
  ctx: SignedInContext,
  { id, user_id: userId, amount_cents: amountCents, hold_id: holdId }: WithdrawalOnFile,
  ending: Ending,
): Promise<void> {
  const memo = 'reason' in ending ? { memo: ending.reason } : {}
  const of = { userId, amountCents, withdrawalId: id, holdId, actor: ctx.caller.userId, ...memo }
  await post(tx, withdrawalDeclined(of))
  const recoveredCents = await recoverDebt(tx, ctx, { userId, amountCents })
  await tx
    .updateTable('app.withdrawals')
    .set({ ...endedAs(ending), recovered_cents: recoveredCents })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
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
    requireStatus('withdrawal', withdrawal, 'pending', 'declined')
    return {}
  }
  const now = services.clock.now()
  const unpayable = await unpayableNow({ ...services, db: tx }, withdrawal, now)
  const hasDebt = (await debtOf(tx, user_id)) > 0n
  if (unpayable === null && !hasDebt) requireStatus('withdrawal', withdrawal, 'pending', 'declined')
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
