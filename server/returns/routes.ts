import { act, type Binding, callerMay, query, type Services, type Tx } from '#server/context.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import { settingsNow } from '#server/staff/settings-queries.ts'
import type { RealisedReturn } from '#shared/contract/entities.ts'
import * as call from '#shared/contract/returns.ts'
import { usdFromJson, usdToJson } from '#shared/money.ts'
import { approveReturn, declineReturn } from './approval.ts'
import { returnColumns } from './csv.ts'
import { returnDetail, returnPayments } from './detail.ts'
import { evidenceOf, storeEvidence } from './evidence.ts'
import { nextReturn, presentReturn, recordedAlone, returnById, returnList, returnTotals } from './queries.ts'
import { recordReturn } from './service.ts'
import { proposeVoid, rejectVoid, voidReturn } from './voiding.ts'

async function answer(tx: Tx, id: string): Promise<RealisedReturn> {
  return presentReturn(await returnById(tx, id))
}

async function leftToRecord(services: Services, userId: string) {
  const { largeReturnCents } = await settingsNow(services)
  const left = largeReturnCents - (await recordedAlone(services.db, userId, services.clock.now()))
  return { limit: usdToJson(largeReturnCents), left: usdToJson(left > 0n ? left : 0n) }
}

export const routes: Binding[] = [
  query(call.getReturn, ({ params: { id } }, ctx) => returnDetail(ctx, id)),

  query(call.listReturnPayments, ({ query: filter }, { services }) => returnPayments(services, filter)),

  act(call.newReturn, async ({ body: { amount, ...body } }, ctx, tx) => {
    const id = await recordReturn(tx, ctx, { ...body, amountCents: usdFromJson(amount)! })
    return answer(tx, id)
  }),

  act(call.approveReturn, async ({ params: { id } }, ctx, tx) => {
    await approveReturn(tx, ctx, id)
    return answer(tx, id)
  }),

  act(call.declineReturn, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await declineReturn(tx, ctx, id, reason)
    return answer(tx, id)
  }),

  act(call.proposeVoid, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await proposeVoid(tx, ctx, id, reason)
    return answer(tx, id)
  }),

  act(call.voidReturn, async ({ params: { id } }, ctx, tx) => {
    await voidReturn(tx, ctx, id)
    return answer(tx, id)
  }),

  act(call.rejectVoid, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await rejectVoid(tx, ctx, id, reason)
    return answer(tx, id)
  }),

  act(call.uploadEvidence, ({ query: { name }, body }, ctx, tx) => storeEvidence(tx, ctx, name, body)),

  query(call.returnEvidence, ({ params: { id } }, ctx) => evidenceOf(ctx, id)),

  query(call.listReturns, ({ query: filter }, { services }) => returnList.page(services, filter)),

  query(call.returnsCsv, ({ query: filter }, ctx) =>
    tableAsCsv(ctx, {
      name: 'returns',
      filter,
      rows: returnList.all(ctx.services, filter),
      items: rows => rows,
      columns: returnColumns,
    }),
  ),

  query(call.returnSummary, async (_input, { services, caller }) => {
    const totals = await returnTotals(services.db)
    const next = callerMay(caller, 'console') ? await nextReturn(services.db) : undefined
    return {
      recorded: usdToJson(totals.recordedCents),
      paidOut: usdToJson(totals.paidOutCents),
      left: usdToJson(totals.leftCents),
      voidProposed: usdToJson(totals.voidProposedCents),
      asOf: services.clock.now().toISOString(),
      alone: callerMay(caller, 'decide') ? await leftToRecord(services, caller.userId) : null,
      next: next ? { source: next.source, realisedAt: next.realised_on } : null,
    }
  }),
]
