import type { SignedInContext, Tx } from '#server/context.ts'
import { investmentApproved, investmentClosed } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { arrivedAs, detailsOf, type Told } from '#server/payments/arrival.ts'
import { lockDepositOf, lockInvestment } from '#server/payments/locks.ts'
import { dropInvestment, settleInvestment } from '#server/payments/settle.ts'
import { recoverDebt, requireNoDebt } from '#server/payments/shortfall.ts'
import { requireOther, requireStatus } from '#server/payments/states.ts'
import { audit } from '#server/records/audit.ts'
import { keepCoverage } from '#server/records/investments.ts'
import { notify } from '#server/records/notices.ts'
import { AppError } from '#shared/errors.ts'

const dayMilliseconds = 86_400_000

/**
 * pending → active: posts what is held for it, or settles its payment, and locks the money in the plan (D6).
 * @param told what has arrived, where a coin pays it and that has not been approved by itself
 * @throws AppError not_found, own_request, wrong_state, invalid_input, transaction_reused
 */
export async function approveInvestment(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  told: Told = {},
): Promise<void> {
  const actor = ctx.caller.userId
  const now = ctx.services.clock.now()
  const investment = await lockInvestment(tx, id)
  requireOther('investment', investment.user_id, actor)
  requireStatus('investment', investment.status, 'pending', 'approved')
  let details = {}
  if (investment.hold_id !== null) {
    await requirePaymentThere(tx, id)
    await requireNoDebt(tx, investment.user_id, 'Decline this investment: what it holds makes that good.')
    const of = { userId: investment.user_id, amountCents: investment.amount_cents, actor }
    await post(tx, investmentApproved({ ...of, investmentId: id, holdId: investment.hold_id }))
  } else {
    const deposit = await lockDepositOf(tx, id)
    if (!deposit) throw new Error(`investment ${id} has neither a hold nor a deposit`)
    requireStatus('deposit', deposit.status, 'pending', 'approved')
    const arrived = await arrivedAs({ ...ctx.services, db: tx }, deposit, told)
    await settleInvestment(tx, deposit, investment, { actor, now, ...arrived, by: 'hand' })
    details = detailsOf(deposit, arrived)
    if (arrived.weighed.deviation !== null) await notify(tx, 'deposit.approved', deposit, now)
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
  await keepCoverage(tx, [id])
  await audit(tx, ctx, {
    action: 'investment.approved',
    subject: { kind: 'investment', id },
    moved: ['pending', 'active'],
    details,
  })
  await notify(tx, 'investment.approved', investment, now)
}

/**
 * What is held for it may have come by a payment that its network has taken back since.
 * @throws AppError wrong_state
 */
async function requirePaymentThere(tx: Tx, id: string): Promise<void> {
  const deposit = await lockDepositOf(tx, id)
  if (deposit === undefined || (deposit.status === 'paid' && deposit.debt_cents === 0n)) return
  throw new AppError(
    'wrong_state',
    `The network has taken back its payment ${deposit.invoice_id}. Wait until that is confirmed again, or decline the investment.`,
  )
}

/**
 * active → inactive: the principal is available again (D6), as far as it does not make good what a network has taken back.
 * @param reason why, for the investor to read; required before the ending date
 * @throws AppError not_found, own_request, wrong_state; invalid_input where the reason is missing
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
  requireStatus('investment', investment.status, 'active', 'closed')
  if (reason === undefined) requireEnded(investment, now)
  const why = reason === undefined ? {} : { reason }
  const of = { userId: investment.user_id, amountCents: investment.amount_cents, actor }
  await post(tx, investmentClosed({ ...of, investmentId: id, ...(reason ? { memo: reason } : {}) }))
  const recoveredCents = await recoverDebt(tx, ctx, of)
  await tx
    .updateTable('app.investments')
    .set({
      status: 'inactive',
      closed_at: now,
      close_reason: reason ?? null,
      recovered_cents: recoveredCents,
    })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: 'investment.closed',
    subject: { kind: 'investment', id },
    moved: ['active', 'inactive'],
    ...why,
  })
  await notify(tx, 'investment.closed', investment, now)
}

/** @throws AppError invalid_input before the ending date */
function requireEnded({ ending_at }: { ending_at: Date | null }, now: Date): void {
  if (ending_at !== null && ending_at <= now) return
  const message = 'Enter a reason: this investment has not reached its ending date, and the investor sees why'
  throw new AppError('invalid_input', message, { fields: { reason: message } })
}

/**
 * pending → declined, with a reason: what was held or had arrived is available again; a payment that had not is
 * declined with it.
 * @throws AppError not_found, wrong_state
 */
export async function declineInvestment(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<void> {
  const investment = await lockInvestment(tx, id)
  requireStatus('investment', investment.status, 'pending', 'declined')
  const deposit = await lockDepositOf(tx, id)
  const now = ctx.services.clock.now()
  await dropInvestment(tx, ctx, { investment, deposit }, { reason })
  await audit(tx, ctx, {
    action: 'investment.declined',
    subject: { kind: 'investment', id },
    moved: ['pending', 'declined'],
    reason,
  })
  await notify(tx, 'investment.declined', investment, now)
}
