import { audit } from '#server/audit/log.ts'
import { holdCursorOf } from '#server/chain/cursor.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { cancelPendingInvestment } from '#server/deposits/cancel.ts'
import { recoverDebt, requireNoDebt } from '#server/deposits/debt.ts'
import { lockDepositOf, lockInvestment } from '#server/deposits/locks.ts'
import { depositOfInvestment } from '#server/deposits/queries.ts'
import { creditInvestment, endPendingInvestment, manualCredit } from '#server/deposits/settle.ts'
import { detailsOf, type ManualReceipt, valueReceipt, wholeWith } from '#server/deposits/valuation.ts'
import { identityRefusals } from '#server/identity/messages.ts'
import { investmentLacks, isExposed } from '#server/identity/standing.ts'
import { investmentApproved, investmentClosed } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { notify } from '#server/notifications/notices.ts'
import { requireOther, requireOwnRequest, requireStatus } from '#server/queries/status.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { investmentRefusals } from './messages.ts'
import { findInvestment, updateCoveredUntil } from './queries.ts'
import { reinvestPrincipal } from './reinvest.ts'

const dayMilliseconds = 86_400_000

/**
 * pending → active: posts its hold, or settles its payment, and locks the money in the plan (D6).
 * @param receipt what arrived, for a crypto payment that is not approved yet
 * @throws AppError not_found, own_request, wrong_state, invalid_input, transaction_reused
 */
export async function approveInvestment(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  receipt: ManualReceipt = {},
): Promise<void> {
  const actor = ctx.caller.userId
  const now = ctx.services.clock.now()
  const investment = await lockInvestment(tx, id)
  requireOther('investment', investment.user_id, actor)
  requireStatus('investment', investment, 'approved')
  const lacks = await investmentLacks(tx, id)
  if (lacks) {
    const exposed = await isExposed(tx, investment.user_id)
    throw identityRefusals.error({ reason: 'investment_waits', kind: lacks, exposed })
  }
  let details = {}
  if (investment.hold_id !== null) {
    await requireDepositNotReversed(tx, id)
    await requireNoDebt(tx, investment.user_id, t('Decline the investment; the released hold will repay it.'))
    const of = { userId: investment.user_id, amountCents: investment.amount_cents, actor }
    await post(tx, investmentApproved({ ...of, investmentId: id, holdId: investment.hold_id }))
  } else {
    const deposit = await lockDepositOf(tx, id)
    if (!deposit) throw new Error(`investment ${id} has neither a hold nor a deposit`)
    requireStatus('deposit', deposit, 'approved')
    const valued = await valueReceipt({ ...ctx.services, db: tx }, deposit, receipt)
    await creditInvestment(tx, deposit, investment, manualCredit({ actor, now }, valued))
    details = detailsOf(deposit, valued)
    if (wholeWith(deposit, [valued.part]).deviation !== null)
      await notify(tx, 'deposit.approved', deposit, now)
  }
  const plan = await tx
    .selectFrom('app.plan_versions')
    .select('duration_days')
    .where('id', '=', investment.plan_version_id)
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('app.investments')
    .set({
      status: 'active',
      approved_at: now,
      ending_at: new Date(now.getTime() + plan.duration_days * dayMilliseconds),
    })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await updateCoveredUntil(tx, id)
  await audit(tx, ctx, {
    action: 'investment.approved',
    subject: { kind: 'investment', id },
    moved: ['pending', 'active'],
    details,
  })
  await notify(tx, 'investment.approved', investment, now)
}

/**
 * The hold may come from a payment that the network has reversed.
 * @throws AppError deposit_reversed
 */
async function requireDepositNotReversed(tx: Tx, id: string): Promise<void> {
  const deposit = await lockDepositOf(tx, id)
  if (deposit === undefined || (deposit.status === 'paid' && deposit.debt_cents === 0n)) return
  throw investmentRefusals.error({ reason: 'deposit_reversed', invoice: deposit.invoice_id })
}

/**
 * active → inactive: the principal is available again (D6), less any debt that it repays, or held for a new investment.
 * @param reason shown to the investor; required before the ending date
 * @throws AppError not_found, own_request, wrong_state; invalid_input if the reason is missing
 */
export async function closeInvestment(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason?: string,
): Promise<void> {
  const actor = ctx.caller.userId
  const now = ctx.services.clock.now()
  const investment = await lockInvestment(tx, id)
  requireOther('investment', investment.user_id, actor)
  requireStatus('investment', investment, 'closed')
  if (reason === undefined) requireEnded(investment, now)
  const why = reason === undefined ? {} : { reason }
  const of = { userId: investment.user_id, amountCents: investment.amount_cents, actor }
  await post(tx, investmentClosed({ ...of, investmentId: id, ...(reason ? { memo: reason } : {}) }))
  const recoveredCents = await recoverDebt(tx, ctx, of)
  const isEarly = investment.ending_at === null || investment.ending_at > now
  const reinvested = await reinvestPrincipal(tx, ctx, investment, { isEarly, recoveredCents })
  await tx
    .updateTable('app.investments')
    .set({
      status: 'inactive',
      closed_at: now,
      close_reason: reason ?? null,
      recovered_cents: recoveredCents,
      ...reinvested,
    })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: 'investment.closed',
    subject: { kind: 'investment', id },
    moved: ['active', 'inactive'],
    details: reinvested,
    ...why,
  })
  await notify(tx, 'investment.closed', investment, now)
}

/** @throws AppError invalid_input before the ending date */
function requireEnded({ ending_at }: { ending_at: Date | null }, now: Date): void {
  if (ending_at !== null && ending_at <= now) return
  const message = t('Enter a reason for closing before the ending date. The investor will read it.')
  throw new AppError('invalid_input', message, { fields: { reason: message } })
}

/**
 * pending → declined, with a reason: held or received money is available again; a payment still pending is declined too.
 * @throws AppError not_found, wrong_state
 */
export async function declineInvestment(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<void> {
  const investment = await lockInvestment(tx, id)
  requireStatus('investment', investment, 'declined')
  const deposit = await lockDepositOf(tx, id)
  const now = ctx.services.clock.now()
  await endPendingInvestment(tx, ctx, { investment, deposit }, { reason })
  await audit(tx, ctx, {
    action: 'investment.declined',
    subject: { kind: 'investment', id },
    moved: ['pending', 'declined'],
    reason,
  })
  await notify(tx, 'investment.declined', investment, now)
}

/**
 * pending → declined by the investor: held or received money is available again; a payment still awaited is cancelled too.
 * @throws AppError forbidden, wrong_state, payment_seen, payment_reversed
 */
export async function cancelInvestment(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  requireOwnRequest('investment', await findInvestment(tx, id), ctx.caller.userId)
  const paidBy = await depositOfInvestment(tx, id)
  // A sync that has seen its payment finishes first.
  if (paidBy) await holdCursorOf(tx, paidBy.id)
  const investment = await lockInvestment(tx, id)
  requireStatus('investment', investment, 'cancelled')
  await cancelPendingInvestment(tx, ctx, { investment, deposit: await lockDepositOf(tx, id) })
}
