import type { Kysely } from 'kysely'
import { historyOf } from '#server/audit/history.ts'
import type { Services, SignedInContext } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { epochOfReturn } from '#server/proof/evidence.ts'
import { defineList } from '#server/queries/list.ts'
import type { CallData, ListQuery } from '#shared/contract/define.ts'
import type { getReturn } from '#shared/contract/returns.ts'
import { usdToJson } from '#shared/money.ts'
import { findReturn, noSuchReturn, presentReturn } from './queries.ts'

/**
 * A recorded return with the amount left and its history.
 * @throws AppError not_found
 */
export async function returnDetail(
  { services: { db, pool }, caller }: SignedInContext,
  id: string,
): Promise<CallData<typeof getReturn>> {
  const row = await findReturn(db, id)
  if (!row) throw noSuchReturn()
  return {
    ...presentReturn(row),
    history: await historyOf(db, [id], caller),
    sealedInEpoch: await epochOfReturn(pool, id),
  }
}

/**
 * The earnings that a return paid, the newest first.
 * @throws AppError not_found
 */
export async function returnPayments(
  services: Pick<Services, 'db' | 'clock'>,
  { returnId, ...filter }: ListQuery & { returnId: string },
) {
  if (!(await findReturn(services.db, returnId))) throw noSuchReturn()
  return paymentsOf(returnId).page(services, filter)
}

const paymentsOf = (returnId: string) =>
  defineList({
    from: (db: Kysely<Schema>) =>
      db
        .selectFrom('app.earning_sources as s')
        .innerJoin('app.earnings as e', 'e.id', 's.earning_id')
        .innerJoin('app.investments as i', 'i.id', 'e.investment_id')
        .innerJoin('app.plan_versions as p', 'p.id', 'i.plan_version_id')
        .innerJoin('app.users as u', 'u.id', 'e.user_id')
        .where('s.return_id', '=', returnId),
    columns: query =>
      query
        .select(['e.id', 'e.user_id', 'e.paid_at', 'e.investment_id', 'i.invoice_id'])
        .select(['u.name as user_name', 'p.name as plan'])
        .select(['s.amount_cents as part_cents', 'e.amount_cents as earning_cents']),
    present: rows =>
      rows.map(row => ({
        _id: row.id,
        user: row.user_id,
        userName: row.user_name,
        investment: row.investment_id,
        investmentLabel: `${row.plan}, ${row.invoice_id}`,
        amount: usdToJson(row.part_cents),
        earning: usdToJson(row.earning_cents),
        paidAt: row.paid_at?.toISOString() ?? null,
      })),
    id: 's.earning_id',
    search: { texts: ['u.name', 'u.email', 'p.name', 'i.invoice_id'], ids: ['e.id'] },
  })
