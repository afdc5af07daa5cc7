import { act, type Binding, query } from '#server/context.ts'
import { recordedReturns } from '#server/ledger/balances.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import * as call from '#shared/contract/returns.ts'
import { usdFromJson, usdToJson } from '#shared/money.ts'
import { may } from '#shared/roles.ts'
import { returnColumns } from './csv.ts'
import { returnDetail, returnPayments } from './detail.ts'
import { evidenceOf, storeEvidence } from './evidence.ts'
import { nextReturn, presentReturn, returnById, returnList } from './queries.ts'
import { recordReturn } from './service.ts'

export const routes: Binding[] = [
  query(call.getReturn, ({ params: { id } }, ctx) => returnDetail(ctx, id)),

  query(call.listReturnPayments, ({ query: filter }, { services }) => returnPayments(services, filter)),

  act(call.newReturn, async ({ body: { amount, ...body } }, ctx, tx) => {
    const id = await recordReturn(tx, ctx, { ...body, amountCents: usdFromJson(amount)! })
    return presentReturn(await returnById(tx, id))
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
    const { recordedCents, paidOutCents, leftCents } = await recordedReturns(services.db)
    const next = may(caller.role, 'console') ? await nextReturn(services.db) : undefined
    return {
      recorded: usdToJson(recordedCents),
      paidOut: usdToJson(paidOutCents),
      left: usdToJson(leftCents),
      asOf: services.clock.now().toISOString(),
      next: next ? { source: next.source, realisedAt: next.realised_on } : null,
    }
  }),
]
