import type { Services } from '#server/context.ts'
import { AppError, invalidField } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { amountOutsidePlan, termsWords } from '#shared/plans.ts'
import { planRefusals } from './messages.ts'
import { findPlan, type PlanRow, termsOf } from './queries.ts'

/** `planVersion`: the version whose terms the investor has seen. */
export type PlanRequest = { plan: string; planVersion?: number | undefined; amountCents: bigint }

/**
 * The current plan with this name or id, if its terms are those that were seen and the amount is within its range.
 * @throws AppError not_found; terms_changed with both terms; invalid_input (D4: 'Amount must be between $500 and $1,999 for the Beginner
 *   plan')
 */
export async function planFor(
  db: Services['db'],
  { plan: nameOrId, planVersion: seen, amountCents }: PlanRequest,
): Promise<PlanRow> {
  const plan = await findPlan(db, nameOrId)
  if (!plan) {
    throw new AppError('not_found', t('There is no such plan'), {
      fields: { plan: t('Choose a plan from the list') },
    })
  }
  if (seen !== undefined && seen !== plan.version) {
    const before = await versionOf(db, plan, ['version', seen])
    if (!before) throw invalidField('planVersion', t('This plan has no such version'))
    throw termsChanged(before, plan)
  }
  const message = amountOutsidePlan(termsOf(plan), amountCents)
  if (message) throw new AppError('invalid_input', message, { fields: { amount: message } })
  return plan
}

/** @param version its number, or its row */
export function versionOf(
  db: Services['db'],
  { plan_id }: PlanRow,
  [column, value]: ['version', number] | ['id', string],
): Promise<PlanRow | undefined> {
  return db
    .selectFrom('app.plan_versions')
    .selectAll()
    .where('plan_id', '=', plan_id)
    .where(column, '=', value)
    .executeTakeFirst()
}

/** The refusal of a version that is no longer in force, with both terms. */
export function termsChanged(before: PlanRow, after: PlanRow): AppError {
  return planRefusals.error({
    reason: 'terms_changed',
    before: termsWords(termsOf(before)),
    after: termsWords(termsOf(after)),
  })
}
