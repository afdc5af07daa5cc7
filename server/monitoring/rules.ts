import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Settings } from '#server/staff/settings-queries.ts'
import { dormantDays, monitoredDays, structuredMovements } from '#shared/limits.ts'
import type { MonitoringRule } from '#shared/monitoring.ts'

/** Movements that meet a rule. `kind`: what moved, null for both. */
export type Finding = {
  user_id: string
  rule: MonitoringRule
  kind: 'deposit' | 'withdrawal' | null
  cents: bigint
  movements: number
  first_at: Date
  last_at: Date
  limit_cents: bigint
}

type At = {
  /** Rules read the movements since this moment, each with those of the days before it. */
  from: Date
  settings: Pick<Settings, 'turnoverLimitCents' | 'reportingLimitCents' | 'dormantLimitCents'>
}

const days = sql`make_interval(days => ${monitoredDays})`
const sums = sql`at, sum(cents) OVER days AS cents, count(*) OVER days AS movements, min(at) OVER days AS first_at`
const summed = sql`cents::bigint, movements::int, first_at, at AS last_at`
const isJustBelow = (limit: RawBuilder<unknown>) => sql`cents < ${limit} AND cents * 10 >= ${limit} * 8`

/**
 * What the rules find among the movements of these accounts: of each rule the newest. What moved until a person decided about a case was
 * part of it, so a rule adds up only later movements.
 */
export async function findings(tx: Tx, users: readonly string[], { from, settings }: At): Promise<Finding[]> {
  const turnover = sql`${settings.turnoverLimitCents}::bigint`
  const reporting = sql`${settings.reportingLimitCents}::bigint`
  const dormant = sql`${settings.dormantLimitCents}::bigint`
  const undecided = (rule: MonitoringRule) => sql`
    (SELECT m.* FROM moved m LEFT JOIN decided d ON d.user_id = m.user_id AND d.rule = ${rule}
      WHERE m.at > coalesce(d.through, '-infinity') AND m.at >= ${from}::timestamptz - ${days}) AS m`
  const window = (by: RawBuilder<unknown>) => sql`
    WINDOW days AS (PARTITION BY ${by} ORDER BY at RANGE BETWEEN ${days} PRECEDING AND CURRENT ROW)`
  const eachKind = window(sql`user_id, kind`)
  const { rows } = await sql<Finding>`
    WITH moved AS MATERIALIZED (
           SELECT m.*, lag(m.at) OVER (PARTITION BY m.user_id ORDER BY m.at, m.id) AS before
             FROM app.outside_movements m WHERE m.user_id = ANY (${users}::uuid[])),
         decided AS (SELECT user_id, rule, max(decided_at) AS through FROM app.monitoring_cases
                      WHERE user_id = ANY (${users}::uuid[]) GROUP BY user_id, rule),
         found AS (
    SELECT user_id, 'turnover' AS rule, kind, ${summed}, ${turnover} AS limit_cents
      FROM (SELECT user_id, kind, ${sums} FROM ${undecided('turnover')} ${eachKind}) AS s
     WHERE cents >= ${turnover}
    UNION ALL
    SELECT user_id, 'structuring', kind, ${summed}, ${reporting}
      FROM (SELECT user_id, kind, ${sums} FROM ${undecided('structuring')} WHERE ${isJustBelow(reporting)} ${eachKind}) AS s
     WHERE movements >= ${structuredMovements}
    UNION ALL
    SELECT user_id, 'passing', NULL, ${summed}, ${reporting}
      FROM (SELECT user_id, ${sums}, sum(cents) FILTER (WHERE kind = 'deposit') OVER days AS paid_in,
                   sum(cents) FILTER (WHERE kind = 'withdrawal') OVER days AS paid_out
              FROM ${undecided('passing')} ${window(sql`user_id`)}) AS s
     WHERE paid_in >= ${reporting} AND paid_out * 10 >= paid_in * 8
    UNION ALL
    SELECT user_id, 'dormant', kind, cents, 1, at, at, ${dormant}
      FROM ${undecided('dormant')}
     WHERE cents >= ${dormant} AND before < at - make_interval(days => ${dormantDays}))
    SELECT DISTINCT ON (user_id, rule) * FROM found
     WHERE last_at >= ${from} ORDER BY user_id, rule, last_at DESC, cents DESC`.execute(tx)
  return rows
}
