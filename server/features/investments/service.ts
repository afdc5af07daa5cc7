import { type Selectable, sql } from 'kysely'
import type { SignedInContext, Tx } from '#server/context.ts'
import { investmentApproved, investmentClosed, investmentRequested } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { lockDepositOf, lockInvestment } from '#server/payments/locks.ts'
import { quoteFor } from '#server/payments/quote.ts'
import { requestPayment } from '#server/payments/request.ts'
import { dropInvestment, settleInvestment } from '#server/payments/settle.ts'
import { requireOther, requireStatus } from '#server/payments/states.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { audit } from '#server/records/audit.ts'
import { notify } from '#server/records/notices.ts'
import { findPlan, type PlanRow, termsOf } from '#server/records/plans.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { amountOutsidePlan } from '#shared/plans.ts'

const dayMilliseconds = 86_400_000

type Asked = { plan: string; amountCents: bigint }

/**
 * The plan in force of this name or id, for an amount within its range.
 * @throws AppError not_found; invalid_input (D4: 'Amount must be between $500 and $1,999 for the Beginner plan')
 */
async function planFor(tx: Tx, { plan: nameOrId, amountCents }: Asked): Promise<PlanRow> {
  const plan = await findPlan(tx, nameOrId)
  if (!plan) {
    throw new AppError('not_found', 'There is no such plan', {
      fields: { plan: 'Choose a plan of the list' },
    })
  }
  const message = amountOutsidePlan(termsOf(plan), amountCents)
  if (message) throw new AppError('invalid_input', message, { fields: { amount: message } })
  return plan
}

/**
 * A pending investment that a coin pays, with the payment request of its deposit.
 * @returns its id
 * @throws AppError not_found, invalid_input, rate_unavailable, quote_expired
 */
export async function investByCoin(
  tx: Tx,
  ctx: SignedInContext,
  asked: Asked & { method: Exclude<DepositMethod, 'ethereum'>; quote?: string | undefined },
): Promise<string> {
  const { method, amountCents } = asked
  const { services, caller } = ctx
  const plan = await planFor(tx, asked)
  const payment = { userId: caller.userId, method, amountCents }
  const quote = await quoteFor({ ...services, db: tx }, payment, asked.quote)
  const now = services.clock.now()
  const id = newId(now)
  await insertInvestment(tx, { id, userId: caller.userId, plan, amountCents, method, holdId: null, now })
  await requestPayment(tx, payment, { quote, investmentId: id, now })
  await audit(tx, ctx, { action: 'investment.requested', subject: { kind: 'investment', id } })
  return id
}

/**
 * A pending investment that the balance pays: its amount is held at once.
 * @returns its id
 * @throws AppError not_found, invalid_input, insufficient_funds
 */
export async function investFromBalance(tx: Tx, ctx: SignedInContext, asked: Asked): Promise<string> {
  const { services, caller } = ctx
  const plan = await planFor(tx, asked)
  const now = services.clock.now()
  const id = newId(now)
  const of = { userId: caller.userId, amountCents: asked.amountCents, actor: caller.userId }
  const holdId = await post(tx, investmentRequested({ ...of, investmentId: id }))
  await insertInvestment(tx, { ...of, id, plan, method: 'balance', holdId, now })
  await audit(tx, ctx, { action: 'investment.requested', subject: { kind: 'investment', id } })
  return id
}

type NewInvestment = {
  id: string
  userId: string
  plan: PlanRow
  amountCents: bigint
  method: Selectable<Schema['app.investments']>['method']
  holdId: string | null
  now: Date
}

async function insertInvestment(tx: Tx, of: NewInvestment): Promise<void> {
  await tx
    .insertInto('app.investments')
    .values({
      id: of.id,
      invoice_id: sql<string>`app.next_invoice('INV', ${of.now})`,
      user_id: of.userId,
      plan_version_id: of.plan.id,
      amount_cents: of.amountCents,
      method: of.method,
      hold_id: of.holdId,
      created_at: of.now,
    })
    .execute()
}

/**
 * pending → active: posts what is held for it, or settles its payment, and locks the money in the plan (D6).
 * @throws AppError not_found, own_request, wrong_state
 */
export async function approveInvestment(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const actor = ctx.caller.userId
  const now = ctx.services.clock.now()
  const investment = await lockInvestment(tx, id)
  requireOther('investment', investment.user_id, actor)
  requireStatus('investment', investment.status, 'pending', 'approved')
  if (investment.hold_id !== null) {
    const of = { userId: investment.user_id, amountCents: investment.amount_cents, actor }
    await post(tx, investmentApproved({ ...of, investmentId: id, holdId: investment.hold_id }))
  } else {
    const deposit = await lockDepositOf(tx, id)
    if (!deposit) throw new Error(`investment ${id} has neither a hold nor a deposit`)
    requireStatus('deposit', deposit.status, 'pending', 'approved')
    await settleInvestment(tx, deposit, investment, { actor, now })
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
  await audit(tx, ctx, { action: 'investment.approved', subject: { kind: 'investment', id } })
  await notify(tx, 'investment.approved', id)
}

/**
 * active → inactive: the principal is available again (D6).
 * @throws AppError not_found, wrong_state
 */
export async function closeInvestment(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const actor = ctx.caller.userId
  const investment = await lockInvestment(tx, id)
  requireStatus('investment', investment.status, 'active', 'closed')
  const of = { userId: investment.user_id, amountCents: investment.amount_cents, actor }
  await post(tx, investmentClosed({ ...of, investmentId: id }))
  await tx
    .updateTable('app.investments')
    .set({ status: 'inactive', closed_at: ctx.services.clock.now() })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, { action: 'investment.closed', subject: { kind: 'investment', id } })
  await notify(tx, 'investment.closed', id)
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
  const settling = { actor: ctx.caller.userId, now: ctx.services.clock.now() }
  await dropInvestment(tx, investment, deposit, { ...settling, reason })
  await audit(tx, ctx, { action: 'investment.declined', subject: { kind: 'investment', id }, reason })
  await notify(tx, 'investment.declined', id)
}
