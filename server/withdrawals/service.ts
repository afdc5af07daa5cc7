import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { debtOf, recoverDebt, requireNoDebt } from '#server/deposits/debt.ts'
import { withdrawalDeclined } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { notify } from '#server/notifications/notices.ts'
import { openBatchOf } from '#server/payouts/batch.ts'
import { type PayoutRefusal, payoutRefusals } from '#server/payouts/messages.ts'
import { lockWithdrawal, settleWithdrawal, type WithdrawalOnFile } from '#server/payouts/pay.ts'
import { payeeGuard, unpayableNow } from '#server/payouts/payable.ts'
import {
  type LockedAmount,
  lockAmount,
  lockedAmountDetails,
  rateIfAvailable,
} from '#server/payouts/rate-lock.ts'
import { requireNoRestore } from '#server/payouts/restored.ts'
import { unreviewedAlert } from '#server/payouts/review.ts'
import { requireOther, requireStatus } from '#server/queries/status.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { formatUsd } from '#shared/money.ts'
import { canonicalTransactionId, transactionIdError } from '#shared/transactions.ts'
import { withdrawalRefusals } from './messages.ts'
import { countApprovals, hasApproved, neededApprovals, otherDeciders } from './queries.ts'

const declineIt = 'Decline this withdrawal; the released hold will repay the debt.'

/**
 * Records one admin's approval. The last one that is needed moves pending → approved and, given a fresh rate, locks the amount in coin.
 * No money moves.
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
  const { needed, secondApproval } = await neededApprovals(tx, { id, approver: admin, approvals, now })
  const isEnough = approvals >= needed
  // An earlier approval that stopped counting counts again once its admin may decide again.
  if (!isNew && !isEnough) {
    throw new AppError(
      'same_approver',
      'You have already approved this withdrawal. Another person with the role Admin or Finance must approve it too.',
    )
  }
  if (secondApproval !== null) {
    await tx
      .updateTable('app.withdrawals')
      .set({ approvals_needed: needed, second_approval: secondApproval })
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  }
  const locked = isEnough ? await lockPayable(tx, ctx, withdrawal) : undefined
  if (isEnough) {
    await notify(tx, 'withdrawal.approved', withdrawal, now)
    await tx
      .updateTable('app.withdrawals')
      .set({ status: 'approved', approved_at: now, ...locked })
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  }
  await audit(tx, ctx, {
    action: 'withdrawal.approved',
    subject: { kind: 'withdrawal', id },
    moved: ['pending', isEnough ? 'approved' : 'pending'],
    details: {
      approvals,
      needed,
      ...(secondApproval && { secondApproval }),
      ...(locked && lockedAmountDetails(locked)),
    },
  })
}

/**
 * The amount in coin at the current rate, if there is one.
 * @throws AppError unpayable if no batch could pay it: it can still be declined
 */
async function lockPayable(
  tx: Tx,
  { services }: SignedInContext,
  { wallet, address, amount_cents }: WithdrawalOnFile,
): Promise<LockedAmount | undefined> {
  const rate = await rateIfAvailable({ ...services, db: tx }, wallet, services.clock.now())
  const locked = rate && lockAmount(rate, amount_cents)
  const cause =
    locked === null
      ? { reason: 'amount_too_small' as const, asset: rate!.asset }
      : payeeGuard(services.config, wallet)(address, locked?.payout_units)
  if (cause) throw withdrawalRefusals.error({ reason: 'unpayable', cause })
  return locked ?? undefined
}

/** @returns true for a new approval; each person counts once, and a later holder of the same account is another person */
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

/**
 * approved → paid manually, with the id of the transaction that paid it; refused while a batch may pay it.
 * @param sent attests that the coins have left, although the investor has a debt
 * @param reason required if a batch was to pay it: its wallet used another slot
 * @throws AppError not_found, own_request, same_approver, wrong_state, transaction_reused; invalid_input if the coin has no such ids
 */
export async function payWithdrawal(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  {
    transactionId: typedId,
    sent = false,
    reason,
  }: { transactionId: string; sent?: boolean | undefined; reason?: string | undefined },
): Promise<void> {
  const withdrawal = await lockWithdrawal(tx, id)
  requireOther('withdrawal', withdrawal.user_id, ctx.caller.userId)
  requireStatus('withdrawal', withdrawal.status, 'approved', 'marked as paid')
  await requireNotApprover(tx, id, ctx.caller.userId)
  if (!sent) await requireNoDebt(tx, withdrawal.user_id, declineUnlessSent)
  const transactionId = transactionOf(withdrawal, typedId)
  const refusal = await openBatch(tx, id)
  if (refusal) throw payoutRefusals.error(refusal)
  if (reason === undefined && (await wasInBatch(tx, id))) {
    const message = 'A batch was to pay this withdrawal: write why it is paid by hand'
    throw new AppError('invalid_input', message, { fields: { reason: message } })
  }
  const debt = await debtOf(tx, withdrawal.user_id)
  await settleWithdrawal(tx, ctx, withdrawal, transactionId, {
    ...(debt > 0n && { debt: formatUsd(debt) }),
  })
}

async function wasInBatch(tx: Tx, id: string): Promise<boolean> {
  const item = await tx
    .selectFrom('app.payout_items')
    .select('position')
    .where('withdrawal_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  return item !== undefined
}

/**
 * The approval and the word that it was paid come from two people: there is no other evidence of a manual payment.
 * @throws AppError same_approver
 */
async function requireNotApprover(tx: Tx, id: string, caller: string): Promise<void> {
  if (!(await hasApproved(tx, id, caller))) return
  const others = await otherDeciders(tx, caller)
  throw new AppError('same_approver', others > 0 ? approvedByPayer : `${approvedByPayer} ${nobodyElse}`)
}

const approvedByPayer = 'You approved this withdrawal, so a second person must mark it as paid.'
const nobodyElse = 'Nobody else here may: first invite another member with the role Admin or Finance.'

const declineUnlessSent = `${declineIt} If its coins have already been sent, confirm that.`

function transactionOf({ wallet }: { wallet: string }, typedId: string): string {
  const error = transactionIdError(wallet as WithdrawalWallet, typedId)
  if (error !== undefined) throw new AppError('invalid_input', error, { fields: { transactionId: error } })
  return canonicalTransactionId(typedId)
}
