import type { SignedInContext, Tx } from '#server/context.ts'
import { withdrawalDeclined } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { openBatchOf, releaseForHand } from '#server/payments/payouts/batch.ts'
import { requireExcluded, requireNotSent } from '#server/payments/payouts/excluded.ts'
import { detailsOfFixed, type Fixed, fixedAt, rateIfPossible } from '#server/payments/payouts/fixed.ts'
import { requireNothingCame } from '#server/payments/payouts/once.ts'
import { lockWithdrawal, settleWithdrawal, type WithdrawalOnFile } from '#server/payments/payouts/pay.ts'
import { requirePayable, unpayableNow } from '#server/payments/payouts/payable.ts'
import { debtOf, recoverDebt, requireNoDebt } from '#server/payments/shortfall.ts'
import { requireOther, requireStatus } from '#server/payments/states.ts'
import { audit } from '#server/records/audit.ts'
import { notify } from '#server/records/notices.ts'
import { countApprovals } from '#server/records/withdrawals.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { formatUsd } from '#shared/money.ts'
import { canonicalTransactionId, transactionFault } from '#shared/transactions.ts'

const declineIt = 'Decline this withdrawal: what it holds makes that good.'

/**
 * One admin's approval; with the last one that is needed, pending → approved, and what it is paid in a coin of the rails is fixed
 * where there is a fresh rate. Approving authorises; no money moves.
 * @throws AppError not_found, own_request, wrong_state, same_approver
 */
export async function approveWithdrawal(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const admin = ctx.caller.userId
  const now = ctx.services.clock.now()
  const withdrawal = await lockWithdrawal(tx, id)
  requireOther('withdrawal', withdrawal.user_id, admin)
  requireStatus('withdrawal', withdrawal.status, 'pending', 'approved')
  await requireNoDebt(tx, withdrawal.user_id, declineIt)
  const isNew = await addApproval(tx, { withdrawal_id: id, admin_id: admin, created_at: now })
  const approvals = await countApprovals(tx, id)
  const isEnough = approvals >= withdrawal.approvals_needed
  // One that did not count for a while counts again once who gave it may decide again: then nothing is missing.
  if (!isNew && !isEnough) {
    throw new AppError(
      'same_approver',
      'You have approved this withdrawal. A second admin must approve it too.',
    )
  }
  let fixed: Fixed | undefined
  if (isEnough) {
    const rate = await rateIfPossible({ ...ctx.services, db: tx }, withdrawal.wallet, now)
    fixed = rate && fixedAt(rate, withdrawal.amount_cents)
    requirePayable(ctx.services.config, withdrawal, fixed)
    await notify(tx, 'withdrawal.approved', withdrawal, now)
    await tx
      .updateTable('app.withdrawals')
      .set({ status: 'approved', approved_at: now, ...fixed })
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  }
  await audit(tx, ctx, {
    action: 'withdrawal.approved',
    subject: { kind: 'withdrawal', id },
    moved: ['pending', isEnough ? 'approved' : 'pending'],
    details: { approvals, needed: withdrawal.approvals_needed, ...(fixed && detailsOfFixed(fixed)) },
  })
}

/** @returns whether it is one more; nobody counts twice, and whoever was given the account after him is somebody else */
async function addApproval(
  tx: Tx,
  approval: { withdrawal_id: string; admin_id: string; created_at: Date },
): Promise<boolean> {
  const inserted = await tx
    .insertInto('app.withdrawal_approvals')
    .values(({ selectFrom }) => ({
      ...approval,
      holder: selectFrom('app.users').select('holder').where('id', '=', approval.admin_id),
    }))
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/**
 * pending → declined, with a reason that the investor sees: the held amount is available again. Also approved → declined, where the
 * network has taken back what its owner was credited with since, or no batch could pay it, and nothing was sent.
 * @param told.notPaid says of an approved one that nobody has sent its coins by hand, and nobody will
 * @throws AppError not_found, wrong_state
 */
export async function declineWithdrawal(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { reason, notPaid = false }: { reason: string; notPaid?: boolean | undefined },
): Promise<void> {
  const withdrawal = await lockWithdrawal(tx, id)
  const details = await requireDeclinable(tx, ctx, withdrawal, notPaid)
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
 * @param withdrawal locked, so that no batch takes it meanwhile, and the amount of one that has taken it is fixed
 * @returns what the log keeps of why an approved one can be declined, and of what was said of it
 */
async function requireDeclinable(
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
  const isOwed = (await debtOf(tx, user_id)) > 0n
  if (unpayable === null && !isOwed) requireStatus('withdrawal', status, 'pending', 'declined')
  const batch = await openBatchOf(tx, id)
  if (batch) {
    throw new AppError('wrong_state', `Payout batch ${batch.number} pays this withdrawal. Cancel it first.`)
  }
  await requireNothingCame(tx, [id])
  await requireExcluded(tx, id, now)
  if (!notPaid) throw new AppError('wrong_state', mayBePaid)
  return { ...(unpayable !== null && { unpayable }), saidNotPaid: true }
}

/** Nothing here knows what was sent by hand. Also for whoever was shown it before it was approved. */
const mayBePaid =
  'This withdrawal is approved, so somebody may have paid it by hand. Look at it again: if it was paid, mark it as paid; if nobody has sent its coins and nobody will, say so and decline it.'

/**
 * approved → paid by hand, with the id of the transaction that paid it; refused while an open batch pays it.
 * @param told.sent says that the coins have left, although the network has taken back what their owner was credited with
 * @param told.notBroadcast says that no file of a cancelled batch that can still pay it was sent, or will be
 * @throws AppError not_found, own_request, wrong_state; invalid_input where it is no id of the coin's; transaction_reused
 */
export async function payWithdrawal(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  told: { transactionId: string; sent?: boolean | undefined; notBroadcast?: boolean | undefined },
): Promise<void> {
  const now = ctx.services.clock.now()
  const release = await releaseForHand(tx, id, now)
  const withdrawal = await lockWithdrawal(tx, id)
  requireOther('withdrawal', withdrawal.user_id, ctx.caller.userId)
  requireStatus('withdrawal', withdrawal.status, 'approved', 'marked as paid')
  if (!told.sent) await requireNoDebt(tx, withdrawal.user_id, declineUnlessSent)
  const transactionId = transactionOf(withdrawal, told.transactionId)
  const { notBroadcast = false } = told
  const filesOut = await requireNotSent(tx, id, { transactionId, notBroadcast, now })
  await release()
  const debt = await debtOf(tx, withdrawal.user_id)
  await settleWithdrawal(tx, ctx, withdrawal, transactionId, {
    ...(debt > 0n && { debt: formatUsd(debt) }),
    ...(filesOut.length > 0 && { saidNotSent: filesOut }),
  })
}

const declineUnlessSent = `${declineIt} If its coins have left already, say so.`

function transactionOf({ wallet }: { wallet: string }, typedId: string): string {
  const fault = transactionFault(wallet as WithdrawalWallet, typedId)
  if (fault !== undefined) throw new AppError('invalid_input', fault, { fields: { transactionId: fault } })
  return canonicalTransactionId(typedId)
}
