import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Settings } from '#server/staff/settings-queries.ts'
import { dormantDays, monitoredDays, nearPercent, structuredMovements } from '#shared/limits.ts'
import type { MonitoringRule } from '#shared/monitoring.ts'

/** Movements that meet a rule. */
export type Finding = {
  user_id: string
  rule: MonitoringRule
  kind: 'deposit' | 'withdrawal'
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
const isNear = (cents: RawBuilder<unknown>, limit: RawBuilder<unknown>) =>
  sql`${cents} * 100 >= ${limit} * ${nearPercent}`

/**
 * What the rules find among the movements of these accounts: of each rule the newest, from the first movement on. What a person has
 * decided about is over: a rule adds up only later movements.
 */
export async function findings(tx: Tx, users: readonly string[], { from, settings }: At): Promise<Finding[]> {
  const turnover = sql`${settings.turnoverLimitCents}::bigint`
  const reporting = sql`${settings.reportingLimitCents}::bigint`
  const dormant = sql`${settings.dormantLimitCents}::bigint`
  const cents = sql`cents`
  const undecided = (rule: MonitoringRule) => sql`
    (SELECT m.* FROM moved m LEFT JOIN decided d ON d.user_id = m.user_id AND d.rule = ${rule}
      WHERE m.at > coalesce(d.through, '-infinity') AND m.at >= ${from}::timestamptz - ${days}) AS m`
  const within = (by: RawBuilder<unknown>) => sql`
    WINDOW days AS (PARTITION BY ${by} ORDER BY at RANGE BETWEEN ${days} PRECEDING AND CURRENT ROW)`
  const eachKind = within(sql`user_id, kind`)
  const both = within(sql`user_id`)
  const { rows } = await sql<Finding>`
    WITH following AS MATERIALIZED (
           SELECT m.*, lag(m.at) OVER (PARTITION BY m.user_id ORDER BY m.at, m.id) AS before
             FROM app.outside_movements m WHERE m.user_id = ANY (${users}::uuid[])),
         moved AS MATERIALIZED (
           SELECT f.*, max(at) FILTER (WHERE before < at - make_interval(days => ${dormantDays}))
                         OVER (PARTITION BY user_id ORDER BY at, id) AS woken_at FROM following f),
         decided AS (SELECT user_id, rule, max(through) AS through FROM app.monitoring_cases
                      WHERE user_id = ANY (${users}::uuid[]) GROUP BY user_id, rule),
         found AS (
    SELECT user_id, 'turnover' AS rule, kind, ${summed}, ${turnover} AS limit_cents
      FROM (SELECT user_id, kind, ${sums} FROM ${undecided('turnover')} ${eachKind}) AS s
     WHERE cents >= ${turnover}
    UNION ALL
    SELECT user_id, 'structuring', kind, ${summed}, ${reporting}
      FROM (SELECT user_id, kind, ${sums} FROM ${undecided('structuring')}
             WHERE cents < ${reporting} AND ${isNear(cents, reporting)} ${eachKind}) AS s
     WHERE movements >= ${structuredMovements}
    UNION ALL
    SELECT user_id, 'passing', kind, ${summed}, ${reporting}
      FROM (SELECT user_id, kind, paid_in, ${sums}
              FROM (SELECT m.*, sum(cents) FILTER (WHERE kind = 'deposit') OVER days AS paid_in
                      FROM ${undecided('passing')} ${both}) AS m
             WHERE kind = 'withdrawal' AND paid_in > 0 ${eachKind}) AS s
     WHERE paid_in >= ${reporting} AND ${isNear(cents, sql`paid_in`)}
    UNION ALL
    SELECT user_id, 'dormant', kind, ${summed}, ${dormant}
      FROM (SELECT user_id, kind, ${sums} FROM ${undecided('dormant')} WHERE at <= woken_at + ${days} ${eachKind}) AS s
     WHERE cents >= ${dormant})
    SELECT DISTINCT ON (user_id, rule) user_id, rule, kind, cents, movements, last_at, limit_cents,
           min(first_at) OVER (PARTITION BY user_id, rule) AS first_at
      FROM found WHERE last_at >= ${from} ORDER BY user_id, rule, last_at DESC, cents DESC`.execute(tx)
  return rows
}
