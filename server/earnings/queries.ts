import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import { type Earning, earningStatuses } from '#shared/contract/entities.ts'
import { t } from '#shared/i18n/t.ts'
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

/** The newest first unless sorted. */
export const earningList = defineList({
  from: earnings,
  columns: rowsOf,
  present: (rows: EarningRow[]) => rows.map(presentEarning),
  id: 'e.id',
  status: { known: earningStatuses, column: 'e.status' },
  exactly: { userId: 'e.user_id', investmentId: 'e.investment_id' },
  period: { moment: 'e.created_at', sort: '-created' },
  cents: 'e.amount_cents',
  search: {
    texts: ['p.name', 'i.invoice_id', 'e.note', 'u.name', 'u.email'],
    ids: ['e.id', 'e.investment_id', 'e.user_id'],
  },
  sorts: {
    created: { value: 'e.created_at', type: 'timestamptz' },
    amount: { value: 'e.amount_cents', type: 'bigint' },
    status: { value: 'e.status', type: 'text' },
  },
})

/** These earnings in order of creation. */
export function earningsById(db: Kysely<Schema>, ids: string[]): Promise<EarningRow[]> {
  return rowsOf(earnings(db)).where('e.id', '=', sql<string>`ANY (${ids}::uuid[])`).orderBy('e.id').execute()
}

export function presentEarning(row: EarningRow): Earning {
  return {
    _id: row.id,
    user: row.user_id,
    userName: row.user_name,
    amount: usdToJson(row.amount_cents),
    beyondAccrued: usdToJson(row.beyond_accrued_cents),
    source:
      row.sources ??
      (row.status === 'declined' ? t('Not paid') : t('Recorded returns, named once it is paid')),
    note: row.note,
    status: row.status,
    investment: row.investment_id,
    investmentLabel: `${row.plan_name}, ${row.investment_invoice}`,
    declineReason: row.decline_reason,
    createdAt: row.created_at.toISOString(),
  }
}
