import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { lockInvestment } from '#server/deposits/locks.ts'
import { requireCustomer } from '#server/identity/standing.ts'
import { executeMoney } from '#server/ledger/batch.ts'
import { refusalError } from '#server/ledger/refusals.ts'
import type { PlanRow } from '#server/plans/queries.ts'
import { planFor } from '#server/plans/terms.ts'
import { requireTerms } from '#server/policies/terms.ts'
import { requireOwnRequest, requireStatus } from '#server/queries/status.ts'
import type { Reinvestment } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { findInvestment } from './queries.ts'
import { investCommand } from './request.ts'

type Investment = Awaited<ReturnType<typeof lockInvestment>>

/**
 * Sets whether an active investment's principal is invested again at its end.
 * @throws AppError forbidden, wrong_state; terms_changed or invalid_input if its plan could not take it today;
 *   terms_not_accepted
 */
export async function setReinvestment(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reinvest: boolean,
): Promise<void> {
  requireOwnRequest(
    'investment',
    await findInvestment(tx, id),
    ctx.caller.userId,
    t('You can only reinvest your own investments.'),
  )
  const investment = await lockInvestment(tx, id)
  requireStatus('investment', investment, 'reinvested')
  if (reinvest === (investment.reinvestment === 'requested')) return
  if (reinvest) {
    await samePlan(tx, investment)
    await requireTerms(tx, investment.user_id, ctx.services.clock.now())
    await requireCustomer(tx, investment.user_id)
  }
  await tx
    .updateTable('app.investments')
    .set({ reinvestment: reinvest ? 'requested' : null })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: reinvest ? 'investment.reinvestment_requested' : 'investment.reinvestment_stopped',
    subject: { kind: 'investment', id },
  })
}

/** What became of a requested reinvestment, as the columns of the investment that ends. */
export type Reinvested = { reinvestment?: Reinvestment; reinvested_as?: string }

/**
 * Requests a new investment of the principal that a closing has just released, if its owner wants that. It waits for its approval
 * like any other.
 * @param of whether it was closed before its ending date, and what of the principal repaid a debt, in cents
 */
export async function reinvestPrincipal(
  tx: Tx,
  { services, requestId }: SignedInContext,
  investment: Investment,
  of: { isEarly: boolean; recoveredCents: bigint },
): Promise<Reinvested> {
  if (investment.reinvestment !== 'requested') return {}
  if (of.isEarly) return { reinvestment: 'early' }
  if (of.recoveredCents > 0n) return { reinvestment: 'debt' }
  const plan = await samePlan(tx, investment).catch(unlessRefused)
  if (plan === undefined) return { reinvestment: 'plan_changed' }
  const now = services.clock.now()
  const accepted = await requireTerms(tx, investment.user_id, now).then(() => true, unlessRefused)
  if (!accepted) return { reinvestment: 'terms_not_accepted' }
  const isCustomer = await requireCustomer(tx, investment.user_id).then(() => true, unlessRefused)
  if (!isCustomer) return { reinvestment: 'identity_refused' }
  const asker = {
    caller: investment.user_id,
    amountCents: investment.amount_cents,
    at: now,
    idempotency: null,
    ip: null,
    requestId,
  }
  const command = investCommand(asker, plan)
  const [outcome] = await executeMoney(tx, [command])
  if (outcome && 'result' in outcome) return { reinvestment: 'done', reinvested_as: command.id }
  const { refusal } = outcome!
  if (refusal.code === 'plan_changed' || refusal.code === 'email_not_verified')
    return { reinvestment: refusal.code }
  throw refusalError(refusal)
}

/**
 * The plan of an investment, if it still has the terms that its owner accepted.
 * @throws AppError not_found, terms_changed, invalid_input
 */
async function samePlan(tx: Tx, { plan_version_id, amount_cents }: Investment): Promise<PlanRow> {
  const { plan_id, version } = await tx
    .selectFrom('app.plan_versions')
    .select(['plan_id', 'version'])
    .where('id', '=', plan_version_id)
    .executeTakeFirstOrThrow()
  return planFor(tx, { plan: plan_id, planVersion: version, amountCents: amount_cents })
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error
}
