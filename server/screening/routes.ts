import { act, type Binding, query } from '#server/context.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import * as call from '#shared/contract/screening.ts'
import { compareBirths } from './births.ts'
import { matchColumns } from './csv.ts'
import { decideMatch } from './decide.ts'
import { listsInForce, matchDetail, matchList } from './queries.ts'

export const routes: Binding[] = [
  query(call.listMatches, ({ query: filter }, { services }) => matchList.page(services, filter)),

  query(call.matchesCsv, ({ query: filter }, ctx) =>
    tableAsCsv(ctx, {
      name: 'matches',
      filter,
      rows: matchList.all(ctx.services, filter),
      items: rows => rows,
      columns: matchColumns,
    }),
  ),

  query(call.getMatch, ({ params: { id } }, { services: { db } }) => matchDetail(db, id)),

  act(call.decideMatch, async ({ params: { id }, body }, ctx, tx) => {
    await decideMatch(tx, ctx, id, body)
    return matchDetail(tx, id)
  }),

  act(call.compareBirths, async ({ params: { id } }, ctx, tx) => ({
    verdict: await compareBirths(tx, ctx, id),
  })),

  query(call.listSanctionsLists, (_input, { services }) => listsInForce(services)),
]
