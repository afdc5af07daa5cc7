import { type CompiledQuery, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { inPeriod, isNarrowed, ofAmount, orderOfPeriod } from '#server/queries/filters.ts'
import {
  countOf,
  type Listed,
  type ListFilter,
  listed,
  matches,
  statusFilter,
  type Whose,
} from '#server/queries/paging.ts'
import { inOrder, pageOf, type SortColumns, sortingOf, sortOf } from '#server/queries/sorting.ts'
import { type Earning, earningStatuses } from '#shared/contract/entities.ts'
import type { EarningFilter } from '#shared/contract/tables.ts'
import { usdToJson } from '#shared/money.ts'

export type EarningRow = Selectable<Schema['app.earnings']> & {
  user_name: string | null
  plan_name: string
  investment_invoice: string
  /** Sources of the recorded returns that paid it; null unless paid. */
  sources: string | null
}

// Every row has its partners, but PostgreSQL removes unused left joins when it only counts.
function earnings(db: Kysely<Schema>) {
  return db
    .selectFrom('app.earnings as e')
    .leftJoin('app.users as u', 'u.id', 'e.user_id')
    .leftJoin('app.investments as i', 'i.id', 'e.investment_id')
    .leftJoin('app.plan_versions as p', 'p.id', 'i.plan_version_id')
}

const sources = sql<string | null>`(
  SELECT string_agg(r.source, '; ' ORDER BY r.realised_on, r.id)
    FROM app.earning_sources s JOIN app.returns r ON r.id = s.return_id
   WHERE s.earning_id = e.id)`

function rowsOf(query: ReturnType<typeof earnings>) {
  return query
    .selectAll('e')
    .select(({ ref }) => [
      'u.name as user_name',
      ref('p.name').$notNull().as('plan_name'),
      ref('i.invoice_id').$notNull().as('investment_invoice'),
      sources.as('sources'),
    ])
}

const sortColumns: SortColumns = {
  created: { value: sql.ref('e.created_at'), type: 'timestamptz' },
  amount: { value: sql.ref('e.amount_cents'), type: 'bigint' },
  status: { value: sql.ref('e.status'), type: 'text' },
}

type Of = Whose & { investmentId?: string }

function chosen(db: Kysely<Schema>, filter: EarningFilter & Of) {
  const { userId, investmentId, q } = filter
  const status = statusFilter(filter.status, earningStatuses)
  const matching = earnings(db)
    .$if(userId !== undefined, query => query.where('e.user_id', '=', userId!))
    .$if(investmentId !== undefined, query => query.where('e.investment_id', '=', investmentId!))
    .$if(status !== undefined, query => query.where('e.status', '=', status!))
    .where(({ ref }) => inPeriod(ref('e.created_at'), filter))
    .where(({ ref }) => ofAmount(ref('e.amount_cents'), filter))
    .where(({ ref }) => {
      const texts = [ref('p.name'), ref('i.invoice_id'), ref('e.note'), ref('u.name'), ref('u.email')]
      return matches(q, texts, [ref('e.id'), ref('e.investment_id'), ref('e.user_id')])
    })
  return { matching, sorting: sortingOf(orderOfPeriod(filter, '-created'), sortColumns, sql.ref('e.id')) }
}

/** The newest first unless sorted; searches plan, investment number, note, name, email and ids. */
export function listEarnings(
  db: Kysely<Schema>,
  filter: ListFilter & EarningFilter & Of,
): Promise<Listed<EarningRow>> {
  const { matching, sorting } = chosen(db, filter)
  return listed(filter, {
    rows: (...place) => pageOf(rowsOf(matching), sorting, ...place).execute(),
    count: mostMs => countOf(db, matching, mostMs),
    sort: sortOf(sorting),
    isNarrowed: isNarrowed(filter),
  })
}

/** Every matching row, for streaming. */
export function allEarnings(db: Kysely<Schema>, filter: EarningFilter): CompiledQuery<EarningRow> {
  const { matching, sorting } = chosen(db, filter)
  return inOrder(rowsOf(matching), sorting).compile()
}

/** These earnings in order of creation. */
export function earningsById(db: Kysely<Schema>, ids: string[]): Promise<EarningRow[]> {
  return rowsOf(earnings(db)).where('e.id', 'in', ids).orderBy('e.id').execute()
}

export function presentEarning(row: EarningRow): Earning {
  return {
    _id: row.id,
    user: row.user_id,
    userName: row.user_name,
    amount: usdToJson(row.amount_cents),
    source:
      row.sources ?? (row.status === 'declined' ? 'Not paid' : 'Recorded returns, named once it is paid'),
    note: row.note,
    status: row.status,
    investment: row.investment_id,
    investmentLabel: `${row.plan_name}, ${row.investment_invoice}`,
    declineReason: row.decline_reason,
    createdAt: row.created_at.toISOString(),
  }
}
