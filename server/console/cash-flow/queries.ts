import { type Kysely, sql } from 'kysely'
import { investorKinds } from '#server/ledger/chart.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { cashFlowMonths, cashFlowWeeks, mostCohorts } from '#shared/limits.ts'

type Db = Kysely<Schema>

/** Principal that falls due in one week from `from`: -1 if its plan has ended, `cashFlowWeeks` if it is later. */
export type DueRow = { week: number; investments: number; cents: bigint }

/** Principal of active plans by the week of their ending date. */
export async function principalDue(db: Db, from: Date, now: Date): Promise<DueRow[]> {
  const { rows } = await sql<DueRow>`
    SELECT week, count(*)::int AS investments, sum(amount_cents)::bigint AS cents
      FROM (SELECT amount_cents,
                   CASE WHEN ending_at <= ${now} THEN -1
                        ELSE least(floor(extract(epoch FROM ending_at - ${from}::timestamptz) / 604800), ${cashFlowWeeks})::int
                   END AS week
              FROM app.investments WHERE status = 'active') AS active
     GROUP BY week`.execute(db)
  return rows
}

/** Withdrawals that are requested and not paid, in cents. */
export async function openWithdrawals(db: Db): Promise<{ pending: bigint; approved: bigint }> {
  const { rows } = await sql<{ pending: bigint; approved: bigint }>`
    SELECT coalesce(sum(amount_cents) FILTER (WHERE status = 'pending'), 0)::bigint AS pending,
           coalesce(sum(amount_cents) FILTER (WHERE status = 'approved'), 0)::bigint AS approved
      FROM app.withdrawals WHERE status IN ('pending', 'approved')`.execute(db)
  return rows[0]!
}

export type MonthRow = {
  month: string
  deposits: bigint
  withdrawals: bigint
  earnings: bigint
  returns: bigint
}

/** Money in and out by UTC month, from the daily totals; months without a posting have zeros. */
export async function moneyByMonth(db: Db, now: Date): Promise<MonthRow[]> {
  /** Net outflow of a kind of account. */
  const out = (kind: string) =>
    sql`coalesce(sum(CASE WHEN from_kind = ${kind} THEN amount ELSE -amount END)
                 FILTER (WHERE ${kind} IN (from_kind, to_kind)), 0)::bigint`
  const { rows } = await sql<MonthRow>`
    SELECT to_char(m.first, 'YYYY-MM') AS month,
           ${out('exchange')} AS deposits, -${out('payouts')} AS withdrawals,
           coalesce(sum(amount) FILTER (WHERE event = 'earning.paid'), 0)::bigint AS earnings,
           ${out('returns_received')} AS returns
      FROM generate_series(date_trunc('month', ${now}::timestamptz AT TIME ZONE 'UTC') - ${`${cashFlowMonths - 1} months`}::interval,
                           date_trunc('month', ${now}::timestamptz AT TIME ZONE 'UTC'), interval '1 month') AS m (first)
      LEFT JOIN ledger.moves_by_day() d
        ON d.asset = 'USD' AND d.day >= m.first AND d.day < m.first + interval '1 month'
     GROUP BY m.first ORDER BY m.first`.execute(db)
  return rows
}

export type CohortRow = {
  month: string
  investors: number
  paid_in: bigint
  earned: bigint
  withdrawn: bigint
  available: bigint
  invested: bigint
}

/** Investors by the UTC month of their first credited deposit, from the entries of their accounts. */
export async function cohortsOf(db: Db): Promise<CohortRow[]> {
  const { rows } = await sql<CohortRow>`
    WITH moved AS (
      SELECT a.owner, min(t.created_at) FILTER (WHERE t.event LIKE 'deposit.%' OR t.event = 'investment.funded') AS first,
             sum(e.amount) FILTER (WHERE t.event LIKE 'deposit.%' OR t.event = 'investment.funded') AS paid_in,
             sum(e.amount) FILTER (WHERE t.event = 'earning.paid') AS earned,
             -sum(e.amount) FILTER (WHERE t.event = 'withdrawal.paid') AS withdrawn
        FROM ledger.accounts a
        JOIN ledger.entries e ON e.account_id = a.id
        JOIN ledger.transactions t ON t.id = e.transaction_id
       WHERE a.asset = 'USD' AND a.owner <> ledger.firm()
         AND (a.kind = 'available' AND (t.event LIKE 'deposit.%' OR t.event = 'earning.paid' OR t.event = 'investment.funded' AND e.amount > 0)
              OR a.kind = 'held' AND t.event = 'withdrawal.paid')
       GROUP BY a.owner),
    owed AS (
      SELECT owner, sum(balance) FILTER (WHERE kind <> 'invested') AS available,
             sum(balance) FILTER (WHERE kind = 'invested') AS invested
        FROM ledger.accounts WHERE kind = ANY (${[...investorKinds]}::text[]) AND owner <> ledger.firm() GROUP BY owner)
    SELECT to_char(first AT TIME ZONE 'UTC', 'YYYY-MM') AS month, count(*)::int AS investors,
           coalesce(sum(paid_in), 0)::bigint AS paid_in, coalesce(sum(earned), 0)::bigint AS earned,
           coalesce(sum(withdrawn), 0)::bigint AS withdrawn,
           coalesce(sum(available), 0)::bigint AS available, coalesce(sum(invested), 0)::bigint AS invested
      FROM moved JOIN owed USING (owner)
     WHERE first IS NOT NULL
     GROUP BY 1 ORDER BY 1 DESC LIMIT ${mostCohorts}`.execute(db)
  return rows
}

/** What we owe to everybody, to the largest investor, the ten and the hundred largest, in cents. */
export type ConcentrationRow = {
  investors: number
  owed: bigint
  one: bigint
  ten: bigint
  hundred: bigint
}

export async function largestInvestors(db: Db): Promise<ConcentrationRow> {
  const { rows } = await sql<ConcentrationRow>`
    WITH owed AS (
      SELECT sum(balance) AS cents FROM ledger.accounts
       WHERE kind = ANY (${[...investorKinds]}::text[]) AND owner <> ledger.firm() GROUP BY owner HAVING sum(balance) > 0),
    most AS (SELECT cents, row_number() OVER (ORDER BY cents DESC) AS place FROM (SELECT cents FROM owed ORDER BY cents DESC LIMIT 100) AS top)
    SELECT (SELECT count(*)::int FROM owed) AS investors, (SELECT coalesce(sum(cents), 0)::bigint FROM owed) AS owed,
           coalesce(sum(cents) FILTER (WHERE place = 1), 0)::bigint AS one,
           coalesce(sum(cents) FILTER (WHERE place <= 10), 0)::bigint AS ten,
           coalesce(sum(cents), 0)::bigint AS hundred
      FROM most`.execute(db)
  return rows[0]!
}

export type PlanRow = { plan: string; investments: number; cents: bigint }

/** Money in active plans, by the plan's newest name. */
export async function investedByPlan(db: Db): Promise<PlanRow[]> {
  const { rows } = await sql<PlanRow>`
    WITH versions AS (
      SELECT plan_version_id, count(*)::int AS investments, sum(amount_cents) AS cents
        FROM app.investments WHERE status = 'active' GROUP BY plan_version_id)
    SELECT (SELECT name FROM app.plan_versions n WHERE n.plan_id = v.plan_id ORDER BY version DESC LIMIT 1) AS plan,
           sum(investments)::int AS investments, sum(cents)::bigint AS cents
      FROM versions JOIN app.plan_versions v ON v.id = plan_version_id
     GROUP BY v.plan_id ORDER BY cents DESC, plan`.execute(db)
  return rows
}
