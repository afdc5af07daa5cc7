import { act, type Binding, query } from '#server/context.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import * as call from '#shared/contract/monitoring.ts'
import { caseColumns, reportColumns } from './csv.ts'
import { decideCase } from './decide.ts'
import { caseDetail, caseList, findCase, reportOf } from './queries.ts'

export const routes: Binding[] = [
  query(call.listCases, ({ query: filter }, { services, caller }) =>
    caseList.page(services, { ...filter, hiddenFrom: caller.userId }),
  ),

  query(call.casesCsv, ({ query: filter }, ctx) =>
    tableAsCsv(ctx, {
      name: 'cases',
      filter,
      rows: caseList.all(ctx.services, { ...filter, hiddenFrom: ctx.caller.userId }),
      items: rows => rows,
      columns: caseColumns,
    }),
  ),

  query(call.getCase, ({ params: { id } }, { services: { db }, caller }) =>
    caseDetail(db, id, caller.userId),
  ),

  query(call.caseReport, async ({ params: { id }, query: filter }, ctx) => {
    await findCase(ctx.services.db, id, ctx.caller.userId)
    return tableAsCsv(ctx, {
      name: 'case',
      filter,
      rows: reportOf(id).compile(ctx.services.db),
      items: rows => rows,
      columns: reportColumns,
    })
  }),

  act(call.decideCase, async ({ params: { id }, body }, ctx, tx) => {
    await decideCase(tx, ctx, id, body)
    return findCase(tx, id, ctx.caller.userId)
  }),
]
