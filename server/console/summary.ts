import { type Kysely, sql } from 'kysely'
import type { Services } from '#server/context.ts'
import { type BooksAtAGlance, booksAtAGlance, type Turnover } from '#server/ledger/daily.ts'
import { isUnexplained } from '#server/payouts/outgoing.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { consoleSummary } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { countedRows } from '#shared/limits.ts'
import { dayOf } from '#shared/moments.ts'
import { usdToJson } from '#shared/money.ts'

type Summary = CallData<typeof consoleSummary>
type Waiting = Summary['waiting']

/** Days in the recent period, today included. */
const recentDays = 30
const dayMilliseconds = 86_400_000

/**
 * The firm's figures and tasks for the console's home page.
 * @param readerId who reads them, and learns of no case of their own
 */
export async function summaryOfFirm(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  readerId: string,
): Promise<Summary> {
  const now = clock.now()
  const since = new Date(now.getTime() - (recentDays - 1) * dayMilliseconds)
  const [waiting, books] = await Promise.all([
    waitingOf(db, now, readerId),
    booksAtAGlance(db, { today: dayOf(now), since: dayOf(since) }),
  ])
  const { owed, returns } = books
  return {
    waiting,
    moneyIn: presentTurnover(books.received),
    moneyOut: presentTurnover(books.paidOut),
    liabilities: {
      available: usdToJson(owed.available),
      held: usdToJson(owed.held),
      invested: usdToJson(owed.invested),
      total: usdToJson(totalOf(owed)),
    },
    returns: {
      recorded: usdToJson(returns.recordedCents),
      paidOut: usdToJson(returns.paidCents),
      left: usdToJson(returns.leftCents),
    },
    coverage: coverageOf(books),
    asOf: now.toISOString(),
  }
}

function totalOf({ available, held, invested }: BooksAtAGlance['owed']): bigint {
  return available + held + invested
}

/** What the ledger says is there for investors, compared with what they are owed. */
function coverageOf({ received, paidOut, returns, owed }: BooksAtAGlance): Summary['coverage'] {
  const assets = received.allCents + returns.recordedCents - paidOut.allCents
  const liabilities = totalOf(owed)
  return {
    assets: usdToJson(assets),
    liabilities: usdToJson(liabilities),
    percent: liabilities === 0n ? null : Number((assets * 10_000n) / liabilities) / 100,
  }
}

function presentTurnover({ todayCents, recentCents, allCents }: Turnover) {
  return { today: usdToJson(todayCents), thirtyDays: usdToJson(recentCents), all: usdToJson(allCents) }
}

/** Counts the open tasks of each kind by index, up to the general limit of counts. */
async function waitingOf(db: Kysely<Schema>, now: Date, readerId: string): Promise<Waiting> {
  const most = countedRows + 1
  const of = (name: keyof Waiting, rows: ReturnType<typeof sql>) =>
    sql`(SELECT count(*)::int FROM (SELECT 1 ${rows} LIMIT ${most}) AS waiting) AS ${sql.ref(name)}`
  const inState = (table: string, status: string) => sql`FROM ${sql.table(table)} WHERE status = ${status}`
  const counts = {
    deposits: inState('app.deposits', 'pending'),
    differing: sql`FROM app.deposits WHERE needs_review`,
    investments: inState('app.investments', 'pending'),
    withdrawals: inState('app.withdrawals', 'pending'),
    withdrawalsToPay: inState('app.withdrawals', 'approved'),
    payoutAlerts: sql`FROM app.payout_items WHERE alert IS NOT NULL AND reviewed_at IS NULL`,
    outgoing: sql`FROM (SELECT DISTINCT s.rail, s.transaction_id FROM app.chain_spends s WHERE ${isUnexplained}) AS found`,
    earnings: inState('app.earnings', 'pending'),
    returns: sql`FROM app.returns WHERE status IN ('pending', 'void_proposed')`,
    matured: sql`FROM app.investments WHERE status = 'active' AND ending_at <= ${now}`,
    matches: sql`FROM app.current_matches WHERE decided_at IS NULL`,
    checks: sql`FROM app.identity_checks WHERE decided_at IS NULL AND user_id <> ${readerId}`,
    cases: sql`FROM app.monitoring_cases WHERE decided_at IS NULL AND user_id <> ${readerId}`,
    messages: sql`FROM app.contact_messages WHERE answered_at IS NULL AND closed_at IS NULL`,
  } satisfies Record<keyof Waiting, unknown>
  const columns = Object.entries(counts).map(([name, rows]) => of(name as keyof Waiting, rows))
  const { rows } = await sql<Record<keyof Waiting, number>>`SELECT ${sql.join(columns)}`.execute(db)
  const counted = Object.entries(rows[0]!).map(([name, count]) => [
    name,
    { count: Math.min(count, countedRows), isAtLeast: count > countedRows },
  ])
  return Object.fromEntries(counted) as Waiting
}
