import { act, type Binding, query } from '#server/context.ts'
import { currentPlans, presentPlan } from '#server/records/plans.ts'
import * as call from '#shared/contract/plans.ts'
import { parseDecimal, usdFromJson } from '#shared/money.ts'
import { updatePlan } from './service.ts'

export const routes: Binding[] = [
  query(call.listPlans, async (_input, { services }) => (await currentPlans(services.db)).map(presentPlan)),

  act(call.updatePlan, async ({ params: { id }, body }, ctx, tx) => {
    const plan = await updatePlan(tx, ctx, id, {
      name: body.name,
      percentage_bp: Number(parseDecimal(String(body.percentage), 2)),
      minimum_cents: usdFromJson(body.minimum)!,
      maximum_cents: body.maximum === null ? null : usdFromJson(body.maximum)!,
      duration: body.duration,
      duration_days: body.durationDays,
      note: body.note,
    })
    return presentPlan(plan)
  }),
]
