import { type Kysely, sql } from 'kysely'
import type { Pool } from 'pg'
import type { Schema } from '#server/platform/database/schema.ts'
import type { InvestorBalances } from './balances.ts'
import { type InvestorKind, investorKinds } from './chart.ts'

/** Amounts moved in USD cents: on one day, in the recent days, and ever. */
export type Turnover = { todayCents: bigint; recentCents: bigint; allCents: bigint }

/** The books at a glance, in USD cents, at one moment. */
export type BooksAtAGlance = {
  /** Credited deposits at their own rates, less reversals. */
  received: Turnover
  /** Withdrawals paid. */
  paidOut: Turnover
  /** All investors' money. */
  owed: InvestorBalances
  /** Without what was voided. */
  returns: { recordedCents: bigint; paidCents: bigint; leftCents: bigint }
}

type Move = { from_kind: string; to_kind: string; today: string; recent: string; amount: string }

/**
 * The books at a glance, from the daily totals plus what is not folded yet (0014_ledger_totals.sql), so the cost does
 * not grow with accounts and entries.
 * @param today a day of UTC, YYYY-MM-DD
 * @param since the first of the recent days
 */
export async function booksAtAGlance(
  db: Kysely<Schema>,
  { today, since }: { today: string; since: string },
): Promise<BooksAtAGlance> {
  const { rows } = await sql<Move>`
    SELECT from_kind, to_kind,
           coalesce(sum(amount) FILTER (WHERE day = ${today}::date), 0)::text AS today,
           coalesce(sum(amount) FILTER (WHERE day BETWEEN ${since}::date AND ${today}::date), 0)::text AS recent,
           sum(amount)::text AS amount
      FROM ledger.moves_by_day()
     WHERE asset = 'USD'
     GROUP BY from_kind, to_kind`.execute(db)
  const sum = (chosen: Move[], of: 'today' | 'recent' | 'amount' = 'amount') =>
    chosen.reduce((total, move) => total + BigInt(move[of]), 0n)
  const turnover = (chosen: Move[]): Turnover => ({
    todayCents: sum(chosen, 'today'),
    recentCents: sum(chosen, 'recent'),
    allCents: sum(chosen),
  })
  const to = (kind: string) => rows.filter(({ to_kind }) => to_kind === kind)
  const from = (kind: string) => rows.filter(({ from_kind }) => from_kind === kind)
  const net = (chosen: Move[], back: Move[]): Turnover => {
    const [came, went] = [turnover(chosen), turnover(back)]
    return {
      todayCents: came.todayCents - went.todayCents,
      recentCents: came.recentCents - went.recentCents,
      allCents: came.allCents - went.allCents,
    }
  }
  const balance = (kind: InvestorKind) => sum(to(kind)) - sum(from(kind))
  const recordedCents = sum(to('recorded_returns')) - sum(to('returns_received'))
  const leftCents = sum(to('recorded_returns')) - sum(from('recorded_returns'))
  return {
    received: net(from('exchange'), to('exchange')),
    paidOut: turnover(to('payouts')),
    owed: Object.fromEntries(investorKinds.map(kind => [kind, balance(kind)])) as InvestorBalances,
    returns: { recordedCents, paidCents: recordedCents - leftCents, leftCents },
  }
}

/**
 * Folds what is safe into the daily totals; called every minute.
 * @returns how many extra batches were needed
 */
export async function foldDays(pool: Pool): Promise<number> {
  for (let again = 0; ; again += 1) {
    const { rows } = await pool.query<{ left: bigint }>('SELECT ledger.fold_days() AS left')
    if ((rows[0]?.left ?? 0n) === 0n) return again
  }
}

/** Coins received into custody, less reversals, in minor units by asset. */
export async function coinsReceived(db: Kysely<Schema>): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ asset: string; amount: string }>`
    SELECT asset, sum(CASE WHEN from_kind = 'custody' THEN amount ELSE -amount END)::text AS amount
      FROM ledger.moves_by_day()
     WHERE asset <> 'USD' AND 'custody' IN (from_kind, to_kind)
     GROUP BY asset`.execute(db)
  return new Map(rows.map(({ asset, amount }) => [asset, BigInt(amount)]))
}
