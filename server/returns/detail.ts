import type { Kysely } from 'kysely'
import { historyOf } from '#server/audit/history.ts'
import type { SignedInContext } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { countOf, listed, matches } from '#server/queries/paging.ts'
import type { CallData, ListQuery, Page } from '#shared/contract/define.ts'
import type { getReturn, listReturnPayments } from '#shared/contract/returns.ts'
import { AppError } from '#shared/errors.ts'
import { usdToJson } from '#shared/money.ts'
import { findReturn, presentReturn } from './queries.ts'

/**
 * A recorded return with the amount left and its history.
 * @throws AppError not_found
 */
export async function returnDetail(
  { services: { db }, caller }: SignedInContext,
  id: string,
): Promise<CallData<typeof getReturn>> {
  const row = await findReturn(db, id)
  if (!row) throw noSuchReturn()
  return {
    ...presentReturn(row),
    left: usdToJson(row.amount_cents - row.spent_cents),
    history: await historyOf(db, [id], caller),
  }
}

function noSuchReturn(): AppError {
  return new AppError('not_found', 'There is no such return')
}

/**
 * The earnings that a return paid, the newest first.
 * @throws AppError not_found
 */
export async function returnPayments(
  db: Kysely<Schema>,
  filter: ListQuery & { returnId: string },
): Promise<{ data: CallData<typeof listReturnPayments>; page: Page }> {
  if (!(await findReturn(db, filter.returnId))) throw noSuchReturn()
  const matching = db
    .selectFrom('app.earning_sources as s')
    .innerJoin('app.earnings as e', 'e.id', 's.earning_id')
    .innerJoin('app.investments as i', 'i.id', 'e.investment_id')
    .innerJoin('app.plan_versions as p', 'p.id', 'i.plan_version_id')
    .innerJoin('app.users as u', 'u.id', 'e.user_id')
    .where('s.return_id', '=', filter.returnId)
    .where(({ ref }) =>
      matches(filter.q, [ref('u.name'), ref('u.email'), ref('p.name'), ref('i.invoice_id')], [ref('e.id')]),
    )
  const { rows, page } = await listed(filter, {
    rows: (limit, below) =>
      matching
        .select(({ ref }) => [
          'e.id',
          'e.user_id',
          'e.paid_at',
          'e.investment_id',
          'i.invoice_id',
          'u.name as user_name',
          'p.name as plan',
          's.amount_cents as part_cents',
          ref('e.amount_cents').as('earning_cents'),
        ])
        .$if(below !== undefined, query => query.where('s.earning_id', '<', below!))
        .orderBy('s.earning_id', 'desc')
        .limit(limit)
        .execute(),
    count: mostMs => countOf(db, matching, mostMs),
  })
  const data = rows.map(row => ({
    _id: row.id,
    user: row.user_id,
    userName: row.user_name,
    investment: row.investment_id,
    investmentLabel: `${row.plan}, ${row.invoice_id}`,
    amount: usdToJson(row.part_cents),
    earning: usdToJson(row.earning_cents),
    paidAt: row.paid_at?.toISOString() ?? null,
  }))
  return { data, page }
}
