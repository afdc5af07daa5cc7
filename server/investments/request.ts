import { sql } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { requireRoomForDeposit } from '#server/deposits/open-deposits.ts'
import { requestPayment } from '#server/deposits/payment-request.ts'
import { paymentUri, quoteFor, requireMinimum, wrongQuote } from '#server/deposits/quote.ts'
import { requireCustomer } from '#server/identity/standing.ts'
import type { MoneyCommand, MoneyOutcome } from '#server/ledger/batch.ts'
import { refusalError } from '#server/ledger/refusals.ts'
import type { PlanRow } from '#server/plans/queries.ts'
import { type PlanRequest, planFor, termsChanged, versionOf } from '#server/plans/terms.ts'
import { newId } from '#server/platform/id.ts'
import { requireTerms } from '#server/policies/terms.ts'
import type { InvestmentMethod } from '#shared/coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { newInvestment } from '#shared/contract/investments.ts'
import type { AppError } from '#shared/errors.ts'
import { presentInvestment } from './queries.ts'

/** Attempts if the plan changes concurrently. */
const tries = 3

/**
 * Creates a pending investment paid in crypto, with its deposit's payment request.
 * @returns its id
 * @throws AppError not_found, terms_changed, invalid_input, deposits_closed, rate_unavailable, quote_expired
 */
export async function investByCoin(
  tx: Tx,
  ctx: SignedInContext,
  asked: PlanRequest & { method: Exclude<InvestmentMethod, 'balance'>; quote?: string | undefined },
): Promise<string> {
  const { method, amountCents } = asked
  const { services, caller } = ctx
  const plan = await planFor(tx, asked)
  requireMinimum(amountCents, { forInvestment: true })
  await requireTerms(tx, caller.userId, services.clock.now())
  await requireCustomer(tx, caller.userId)
  const settings = await requireRoomForDeposit(tx, ctx)
  const payment = { userId: caller.userId, method, amountCents }
  const quoting = { ...services, db: tx, settings }
  const quote = await quoteFor(quoting, { ...payment, plan }, asked.quote)
  if (quote.plan !== plan.id) {
    const quoted = quote.plan === null ? undefined : await versionOf(tx, plan, ['id', quote.plan])
    throw quoted ? termsChanged(quoted, plan) : wrongQuote()
  }
  const uri = await paymentUri(quoting, quote)
  const now = services.clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.investments')
    .values({
      id,
      invoice_id: sql<string>`app.next_invoice('INV', ${now})`,
      user_id: caller.userId,
      plan_version_id: plan.id,
      amount_cents: amountCents,
      method,
      created_at: now,
    })
    .execute()
  await requestPayment(tx, payment, { quote, uri, investmentId: id, now })
  await audit(tx, ctx, { action: 'investment.requested', subject: { kind: 'investment', id } })
  return id
}

type NewInvestment = CallData<typeof newInvestment>

/**
 * Creates a pending investment paid from the balance; its amount is held at once.
 * @param execute runs a hot command
 * @throws AppError not_found, terms_changed, invalid_input, email_not_verified, insufficient_funds, idempotency_key_reused
 */
export async function investFromBalance(
  ctx: SignedInContext,
  asked: PlanRequest,
  execute: (command: MoneyCommand) => Promise<MoneyOutcome>,
): Promise<NewInvestment> {
  for (let attempt = 1; ; attempt += 1) {
    const plan = await allowedPlan(ctx, asked).catch((refusal: AppError) => refusal)
    // A refused request is sent without its plan: a known key still gets its first answer (B-06).
    const outcome = await execute(commandOf(ctx, asked, plan instanceof Error ? undefined : plan))
    if ('result' in outcome) return outcome.result as NewInvestment
    if (outcome.refusal.code !== 'plan_changed') throw refusalError(outcome.refusal)
    if (plan instanceof Error) throw plan
    if (attempt === tries) throw refusalError(outcome.refusal)
  }
}

/** @throws AppError not_found, terms_changed, invalid_input, terms_not_accepted */
async function allowedPlan(
  { services: { db, clock }, caller }: SignedInContext,
  asked: PlanRequest,
): Promise<PlanRow> {
  const plan = await planFor(db, asked)
  await requireTerms(db, caller.userId, clock.now())
  await requireCustomer(db, caller.userId)
  return plan
}

function commandOf(
  { services, caller, idempotency, ip, requestId }: SignedInContext,
  { amountCents }: PlanRequest,
  plan: PlanRow | undefined,
): MoneyCommand {
  const of = { caller: caller.userId, amountCents, at: services.clock.now() }
  return investCommand({ ...of, idempotency, ip, requestId }, plan)
}

type Asker = Pick<MoneyCommand, 'caller' | 'amountCents' | 'at' | 'idempotency' | 'ip' | 'requestId'>

/** The hot command that requests an investment from the balance; without a plan, it only finds the first answer of its key. */
export function investCommand(asker: Asker, plan: PlanRow | undefined): MoneyCommand {
  const of = { ...asker, id: newId(asker.at), holdId: newId(asker.at) }
  const command = { ...of, kind: 'investment' } as const
  if (plan === undefined) return { ...command, answer: {} }
  return { ...command, planVersion: plan.id, answer: { ...answerOf(of, plan), deposit: null } }
}

type Requested = Pick<MoneyCommand, 'id' | 'holdId' | 'caller' | 'amountCents' | 'at'>

/** The investment as it will be; the number and the name are filled in with it. */
function answerOf({ id, caller, holdId, amountCents, at }: Requested, plan: PlanRow) {
  const row = {
    id,
    invoice_id: '',
    user_id: caller,
    user_name: '',
    plan_version_id: plan.id,
    plan_name: plan.name,
    percentage_bp: plan.percentage_bp,
    duration: plan.duration,
    duration_days: plan.duration_days,
    amount_cents: amountCents,
    method: 'balance',
    status: 'pending',
    hold_id: holdId,
    created_at: at,
    approved_at: null,
    ending_at: null,
    closed_at: null,
    declined_at: null,
    decline_reason: null,
    cancelled_by: null,
    recovered_cents: 0n,
    close_reason: null,
    earned_cents: 0n,
    earning_cents: 0n,
    reinvestment: null,
    reinvested_as: null,
    reinvested_invoice: null,
  } as const
  return presentInvestment(row, at)
}
