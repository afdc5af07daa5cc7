import { act, type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/goals.ts'
import { goalsOf } from './queries.ts'
import { dropGoal, setEndingAlert, setGoal } from './service.ts'

export const routes: Binding[] = [
  query(call.listGoals, (_input, { services, caller }) => goalsOf(services.db, services, caller.userId)),

  act(call.newGoal, async ({ body }, ctx, tx) => {
    await setGoal(tx, ctx, body)
    return goalsOf(tx, ctx.services, ctx.caller.userId)
  }),

  act(call.removeGoal, async ({ params: { id } }, ctx, tx) => {
    await dropGoal(tx, ctx, id)
    return {}
  }),

  act(call.chooseEndingAlert, async ({ body: { days } }, ctx, tx) => {
    await setEndingAlert(tx, ctx, days)
    return goalsOf(tx, ctx.services, ctx.caller.userId)
  }),
]
