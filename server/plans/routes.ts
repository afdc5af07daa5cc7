import { act, type Binding, query } from '#server/context.ts'
import type { CallInput } from '#shared/contract/define.ts'
import * as call from '#shared/contract/plans.ts'
import { parseDecimal, usdFromJson } from '#shared/money.ts'
import { catalogue, currentPlans, planVersions, presentPlan } from './queries.ts'
import { addPlan, orderPlans, type PlanTermsBody, restorePlan, retirePlan, updatePlan } from './service.ts'

export const routes: Binding[] = [
  query(call.listPlans, async (_input, { services }) => (await currentPlans(services.db)).map(presentPlan)),

  query(call.listCatalogue, (_input, { services }) => catalogue(services)),

  query(call.listPlanVersions, ({ params: { id }, query: filter }, { services }) =>
    planVersions(services, id, filter),
  ),

  act(call.newPlan, async ({ body }, ctx, tx) =>
    presentPlan(await addPlan(tx, ctx, termsIn(body), body.reason)),
  ),

  act(call.updatePlan, async ({ params: { id }, body }, ctx, tx) => {
    const { version, reason } = body
    return presentPlan(await updatePlan(tx, ctx, id, termsIn(body), { version, reason }))
  }),

  act(call.retirePlan, async ({ params: { id }, body: { reason } }, ctx, tx) =>
    presentPlan(await retirePlan(tx, ctx, id, reason)),
  ),

  act(call.restorePlan, async ({ params: { id }, body: { reason } }, ctx, tx) =>
    presentPlan(await restorePlan(tx, ctx, id, reason)),
  ),

  act(call.orderPlans, async ({ body: { ids } }, ctx, tx) => {
    await orderPlans(tx, ctx, ids)
    return {}
  }),
]

/** Converts percentages to basis points and amounts to cents. */
function termsIn(body: CallInput<typeof call.updatePlan>['body']): PlanTermsBody {
  return {
    name: body.name,
    percentage_bp: Number(parseDecimal(String(body.percentage), 2)),
    minimum_cents: usdFromJson(body.minimum)!,
    maximum_cents: body.maximum === null ? null : usdFromJson(body.maximum)!,
    duration: body.duration,
    duration_days: body.durationDays,
    note: body.note,
  }
}
