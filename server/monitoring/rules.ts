import { sql } from 'kysely'
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
  now: Date
  settings: Pick<Settings, 'turnoverLimitCents' | 'reportingLimitCents' | 'dormantLimitCents'>
}

const columns = sql`cents, movements, first_at, last_at`
const sums = sql`sum(cents)::bigint AS cents, count(*)::int AS movements, min(at) AS first_at, max(at) AS last_at`

/**
 * What the rules find among the movements of these accounts. What moved until a person decided about a case was part of it, so a rule adds
 * up only later ones.
 */
export async function findings(tx: Tx, users: readonly string[], { now, settings }: At): Promise<Finding[]> {
  const {
    turnoverLimitCents: turnover,
    reportingLimitCents: reporting,
    dormantLimitCents: dormant,
  } = settings
  const since = (rule: MonitoringRule) => sql`
    (SELECT m.* FROM recent m LEFT JOIN decided d ON d.user_id = m.user_id AND d.rule = ${rule}
      WHERE m.at > coalesce(d.through, '-infinity')) AS m`
  const { rows } = await sql<Finding>`
    WITH moved AS MATERIALIZED (
           SELECT m.*, lag(m.at) OVER (PARTITION BY m.user_id ORDER BY m.at, m.id) AS before
             FROM app.outside_movements m WHERE m.user_id = ANY (${users}::uuid[]) AND m.at <= ${now}),
         recent AS (SELECT * FROM moved WHERE at > ${now}::timestamptz - make_interval(days => ${monitoredDays})),
         decided AS (SELECT user_id, rule, max(decided_at) AS through FROM app.monitoring_cases
                      WHERE user_id = ANY (${users}::uuid[]) GROUP BY user_id, rule)
    SELECT user_id, 'turnover' AS rule, kind, ${columns}, ${turnover}::bigint AS limit_cents
      FROM (SELECT user_id, kind, ${sums} FROM ${since('turnover')} GROUP BY user_id, kind) AS s
     WHERE cents >= ${turnover}
    UNION ALL
    SELECT user_id, 'structuring', kind, ${columns}, ${reporting}
      FROM (SELECT user_id, kind, ${sums} FROM ${since('structuring')}
             WHERE cents * 10 >= ${reporting}::bigint * 8 AND cents < ${reporting} GROUP BY user_id, kind) AS s
     WHERE movements >= ${structuredMovements}
    UNION ALL
    SELECT user_id, 'passing', NULL, ${columns}, ${reporting}
      FROM (SELECT user_id, ${sums}, sum(cents) FILTER (WHERE kind = 'deposit') AS paid_in,
                   sum(cents) FILTER (WHERE kind = 'withdrawal') AS paid_out
              FROM ${since('passing')} GROUP BY user_id) AS s
     WHERE paid_in >= ${reporting} AND paid_out * 10 >= paid_in * 8
    UNION ALL
    SELECT user_id, 'dormant', kind, cents, 1, at, at, ${dormant}
      FROM ${since('dormant')}
     WHERE cents >= ${dormant} AND before < at - make_interval(days => ${dormantDays})`.execute(tx)
  return rows
}
