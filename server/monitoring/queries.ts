import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { getCase, MonitoringCase, MovementStatus } from '#shared/contract/monitoring.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { monitoredDays, mostCaseMovements } from '#shared/limits.ts'
import { usdToJson } from '#shared/money.ts'
import { type CaseStatus, caseStatuses, type MonitoringRule, ruleWords } from '#shared/monitoring.ts'
import type { Finding } from './rules.ts'

/** Other cases of a person on the page of one. */
const MOST_OTHERS = 100

export type CaseRow = Finding & {
  id: string
  user_name: string | null
  found_at: Date
  decision: Exclude<CaseStatus, 'open'> | null
  decided_by_name: string | null
  decided_at: Date | null
  reason: string | null
}

// Left joins, although every row has its partners: PostgreSQL drops them from queries that only count rows.
function cases(db: Kysely<Schema>) {
  return db
    .selectFrom('app.monitoring_cases as c')
    .leftJoin('app.users as u', 'u.id', 'c.user_id')
    .leftJoin('app.users as d', 'd.id', 'c.decided_by')
}

function rowsOf(query: ReturnType<typeof cases>) {
  return query
    .select(['c.id', 'c.user_id', 'u.name as user_name', 'c.cents', 'c.movements', 'c.first_at', 'c.last_at'])
    .select(['c.limit_cents', 'c.found_at', 'c.decided_at', 'c.reason', 'd.name as decided_by_name'])
    .select([
      sql<CaseRow['rule']>`c.rule`.as('rule'),
      sql<CaseRow['kind']>`c.kind`.as('kind'),
      sql<CaseRow['decision']>`c.decision`.as('decision'),
    ])
}

export const caseList = defineList({
  from: cases,
  columns: rowsOf,
  present: (rows: CaseRow[]) => rows.map(presentCase),
  id: 'c.id',
  status: { known: caseStatuses, column: 'c.decision', special: { open: () => sql`(c.decided_at IS NULL)` } },
  exactly: {
    rule: 'c.rule',
    // Nobody reads a case of their own.
    hiddenFrom: (userId: string) => sql`c.user_id <> ${userId}`,
  },
  period: { moment: 'c.found_at', sort: '-found' },
  search: { texts: ['u.name', 'u.email'], ids: ['c.id', 'c.user_id'] },
  sorts: {
    found: { value: 'c.found_at', type: 'timestamptz' },
    amount: { value: 'c.cents', type: 'bigint' },
    name: { value: 'u.name', type: 'text' },
  },
})

/** A movement of a case, with what the report to an authority says about the account's person. */
export type MovementRow = {
  case_id: string
  rule: MonitoringRule
  user_id: string
  name: string
  email: string
  phone: string
  country: string
  since: Date
  id: string
  /** One of those that met the rule. */
  is_found: boolean
  kind: 'deposit' | 'withdrawal'
  record_id: string
  number: string
  at: Date
  cents: bigint
  coin: string
  address: string
  transaction_id: string | null
  status: MovementStatus
}

/** The movements of a case, the newest first: from some days before the first that was found to the decision, or to now. */
export function reportOf(id: string): RawBuilder<MovementRow> {
  return sql<MovementRow>`
    SELECT c.id AS case_id, c.rule, u.id AS user_id, u.name, u.email, u.phone, u.country, u.created_at AS since,
           m.id, m.kind, coalesce(w.id, d.id) AS record_id, coalesce(w.invoice_id, d.invoice_id) AS number, m.at, m.cents,
           m.kind = c.kind AND m.at >= c.first_at AND m.at < c.last_at + interval '1 ms' AS is_found,
           coalesce(w.wallet, d.asset || ' on ' || d.network) AS coin, coalesce(w.address, d.address) AS address,
           coalesce(w.transaction_id, r.transactions) AS transaction_id, CASE WHEN coalesce(w.cancelled_by, d.cancelled_by) IS NOT NULL THEN 'cancelled' ELSE coalesce(w.status, d.status) END AS status
      FROM app.monitoring_cases c
      JOIN app.users u ON u.id = c.user_id
      JOIN app.outside_movements m ON m.user_id = c.user_id
       AND m.at BETWEEN c.first_at - make_interval(days => ${monitoredDays}) AND coalesce(c.through, 'infinity')
      LEFT JOIN app.withdrawals w ON m.kind = 'withdrawal' AND w.id = m.record_id
      LEFT JOIN LATERAL (
           SELECT min(r.deposit_id::text)::uuid AS deposit_id,
                  string_agg(coalesce(r.transaction_id, t.transaction_id), ' ' ORDER BY r.id) AS transactions
             FROM app.deposit_credits r LEFT JOIN app.chain_transfers t ON t.id = r.transfer_id
            WHERE m.kind = 'deposit' AND r.posting = m.id) AS r ON true
      LEFT JOIN app.deposits d ON d.id = coalesce(r.deposit_id, m.record_id)
     WHERE c.id = ${id}
     ORDER BY m.at DESC, m.id DESC`
}

/**
 * @param readerId who reads it; not the account's owner
 * @throws AppError not_found
 */
export async function findCase(db: Kysely<Schema>, id: string, readerId: string): Promise<MonitoringCase> {
  const row = await rowsOf(cases(db))
    .where('c.id', '=', id)
    .where('c.user_id', '<>', readerId)
    .executeTakeFirst()
  if (!row) throw noSuchCase()
  return presentCase(row)
}

/**
 * A case with its person and movements.
 * @param readerId who reads it; not the account's owner
 * @throws AppError not_found
 */
export async function caseDetail(
  db: Kysely<Schema>,
  id: string,
  readerId: string,
): Promise<CallData<typeof getCase>> {
  const row = await rowsOf(cases(db))
    .select(['u.email', 'u.phone', 'u.country', 'u.created_at', 'u.frozen_at', 'u.closed_at'])
    .where('c.id', '=', id)
    .where('c.user_id', '<>', readerId)
    .executeTakeFirst()
  if (!row) throw noSuchCase()
  const others = await rowsOf(cases(db))
    .where('c.user_id', '=', row.user_id)
    .where('c.id', '<>', id)
    .orderBy('c.id', 'desc')
    .limit(MOST_OTHERS)
    .execute()
  const { rows: movements } = await sql<MovementRow>`
    ${reportOf(id)} LIMIT ${mostCaseMovements}`.execute(db)
  return {
    ...presentCase(row),
    person: {
      email: row.email!,
      phone: row.phone!,
      country: row.country!,
      since: row.created_at!.toISOString(),
      frozen: row.frozen_at !== null && row.closed_at === null,
      closed: row.closed_at !== null,
    },
    moved: movements.map(presentMovement),
    others: others.map(presentCase),
  }
}

export function noSuchCase(): AppError {
  return new AppError('not_found', t('There is no such case'))
}

function presentMovement(row: MovementRow): CallData<typeof getCase>['moved'][number] {
  return {
    _id: row.id,
    found: row.is_found,
    kind: row.kind,
    record: row.record_id,
    number: row.number,
    at: row.at.toISOString(),
    amount: usdToJson(row.cents),
    coin: row.coin,
    address: row.address,
    transactionId: row.transaction_id,
    status: row.status,
  }
}

function presentCase(row: CaseRow): MonitoringCase {
  return {
    _id: row.id,
    user: row.user_id,
    userName: row.user_name!,
    rule: row.rule,
    looksFor: ruleWords(row.rule, row.limit_cents),
    kind: row.kind,
    amount: usdToJson(row.cents),
    movements: row.movements,
    firstAt: row.first_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    status: row.decision ?? 'open',
    foundAt: row.found_at.toISOString(),
    decidedBy: row.decided_by_name,
    decidedAt: row.decided_at?.toISOString() ?? null,
    reason: row.reason,
  }
}
