import { type Kysely, sql } from 'kysely'
import type { InvestorBalances } from '#server/ledger/balances.ts'
import type { InvestorKind } from '#server/ledger/chart.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { mostEndings } from '#shared/limits.ts'

/** Where an investor's money is, in USD cents: `plans` add up to `balances.invested`. */
export type Allocation = {
  /** By the plan's name at the time of the investment, the largest first. */
  plans: { plan: string; investments: number; amountCents: bigint }[]
  balances: InvestorBalances
  /** Active investments that have ended, or else those that end on the first day (UTC). */
  next: { investments: number; endingAt: Date; amountCents: bigint } | null
  /** Active investments by the day (UTC) on which they end, the earliest first. */
  endings: Ending[]
}

type Ending = { day: string; investments: number; amountCents: bigint; reinvestedCents: bigint }

type Row = {
  part: 'plan' | 'account' | 'next'
  name: string
  investments: bigint
  cents: string
  at: Date | null
}

/** Reads the amounts locked by active investments, from their postings, and the balances in one snapshot. */
export async function allocationOf(db: Kysely<Schema>, userId: string, now: Date): Promise<Allocation> {
  const { rows } = await sql<Row>`
    SELECT 'plan' AS part, p.name, count(*) AS investments, sum(locked.cents) AS cents, NULL::timestamptz AS at
      FROM app.investments i
      JOIN app.plan_versions p ON p.id = i.plan_version_id
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(e.amount), 0) AS cents
         FROM ledger.transactions t
         JOIN ledger.entries e ON e.transaction_id = t.id
         JOIN ledger.accounts a ON a.id = e.account_id AND a.kind = 'invested' AND a.owner = i.user_id
        WHERE t.reference_id = i.id
     ) locked
     WHERE i.user_id = ${userId} AND i.status = 'active'
     GROUP BY p.name
     UNION ALL
    SELECT 'account', kind, 0, balance, NULL FROM ledger.accounts
     WHERE owner = ${userId} AND asset = 'USD' AND floor IS NOT NULL
     UNION ALL
    SELECT 'next', '', count(*), sum(amount_cents), min(ending_at)
      FROM (SELECT amount_cents, ending_at, min(ending_at) OVER () AS first
              FROM app.investments WHERE user_id = ${userId} AND status = 'active') active
     WHERE ending_at <= ${now}
        OR first > ${now} AND date_trunc('day', ending_at, 'UTC') = date_trunc('day', first, 'UTC')
    HAVING count(*) > 0
     ORDER BY cents DESC, name`.execute(db)
  const balances: InvestorBalances = { available: 0n, held: 0n, invested: 0n }
  const plans: Allocation['plans'] = []
  let next: Allocation['next'] = null
  for (const { part, name, investments, cents, at } of rows) {
    if (part === 'next')
      next = { investments: Number(investments), endingAt: at!, amountCents: BigInt(cents) }
    else if (part === 'account') balances[name as InvestorKind] = BigInt(cents)
    else plans.push({ plan: name, investments: Number(investments), amountCents: BigInt(cents) })
  }
  return { plans, balances, next, endings: await endingsOf(db, userId) }
}

async function endingsOf(db: Kysely<Schema>, userId: string): Promise<Ending[]> {
  const { rows } = await sql<{ day: string; investments: bigint; cents: string; reinvested: string }>`
    SELECT to_char(ending_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, count(*) AS investments, sum(amount_cents) AS cents,
           coalesce(sum(amount_cents) FILTER (WHERE reinvestment = 'requested'), 0) AS reinvested
      FROM app.investments
     WHERE user_id = ${userId} AND status = 'active'
     GROUP BY day ORDER BY day LIMIT ${mostEndings}`.execute(db)
  return rows.map(({ day, investments, cents, reinvested }) => ({
    day,
    investments: Number(investments),
    amountCents: BigInt(cents),
    reinvestedCents: BigInt(reinvested),
  }))
}
