import { act, actTogether, type Binding, bulk, query, type Tx } from '#server/context.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import * as call from '#shared/contract/earnings.ts'
import type { Earning } from '#shared/contract/entities.ts'
import { usdFromJson } from '#shared/money.ts'
import { earningColumns } from './csv.ts'
import { earningDetail } from './detail.ts'
import { addForPlan, planShares, previewPlan, requirePlan } from './plan.ts'
import { earningList, earningsById, presentEarning } from './queries.ts'
import { findRun, latestRun } from './run-queries.ts'
import { cancelRun } from './runs.ts'
import { addEarnings, approveEarning, declineEarning } from './service.ts'

async function answer(tx: Tx, id: string): Promise<Earning> {
  const [row] = await earningsById(tx, [id])
  return presentEarning(row!)
}

const approve = act(call.approveEarning, async ({ params: { id } }, ctx, tx) => {
  await approveEarning(tx, ctx, id)
  return answer(tx, id)
})

const decline = act(call.declineEarning, async ({ params: { id }, body: { reason } }, ctx, tx) => {
  await declineEarning(tx, ctx, id, reason)
  return answer(tx, id)
})

export const routes: Binding[] = [
  actTogether(call.addEarning, async (asked, services, tx) => {
    const additions = asked.map(({ input, ctx }) => {
      const { amount, ...body } = input.body
      const amountCents = amount === undefined ? undefined : usdFromJson(amount)!
      return { userId: input.params.userId, by: ctx, amountCents, ...body }
    })
    const { ids, refused } = await addEarnings(tx, services, additions)
    const rows = await earningsById(tx, ids)
    const byUser = Map.groupBy(rows, ({ user_id }) => user_id)
    return additions.map(({ userId }) => refused.get(userId) ?? byUser.get(userId)!.map(presentEarning))
  }),

  query(call.previewPlanEarnings, ({ params: { id }, query: { asOf } }, ctx) => previewPlan(ctx, id, asOf)),

  query(call.listPlanShares, async ({ query: { plan, ...filter } }, ctx) => {
    const { rows, page } = await planShares(ctx, plan, filter)
    return { data: rows, page }
  }),

  act(call.addPlanEarnings, ({ params: { id }, body }, ctx, tx) => addForPlan(tx, ctx, id, body)),

  query(call.getPlanRun, async ({ params: { id } }, { services: { db } }) => {
    await requirePlan(db, id)
    return latestRun(db, id)
  }),

  act(call.cancelPlanRun, async ({ params: { id } }, ctx, tx) => {
    await cancelRun(tx, ctx, id)
    return (await findRun(tx, id))!
  }),

  approve,
  bulk(call.approveEarnings, approve),
  decline,
  bulk(call.declineEarnings, decline),
  query(call.listOwnEarnings, ({ query: filter }, { services, caller }) =>
    earningList.page(services, { ...filter, userId: caller.userId }),
  ),

  query(call.listEarnings, ({ query: filter }, { services }) => earningList.page(services, filter)),

  query(call.earningsCsv, ({ query: filter }, ctx) =>
    tableAsCsv(ctx, {
      name: 'earnings',
      filter,
      rows: earningList.all(ctx.services, filter),
      items: rows => rows,
      columns: earningColumns,
    }),
  ),

  query(call.getEarning, ({ params: { id } }, ctx) => earningDetail(ctx, id)),
]
