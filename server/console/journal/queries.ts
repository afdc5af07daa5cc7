import { type CompiledQuery, type Kysely, sql } from 'kysely'
import type { LedgerEvent } from '#server/ledger/chart.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { dayAfter, startOfDay } from '#server/platform/zones.ts'
import { dayOf } from '#shared/moments.ts'
import type { Asset } from '#shared/money.ts'

type Db = Kysely<Schema>

/** Whole UTC days, both included. `begun`: the first of them, or before, with a transaction of the ledger. */
export type JournalDays = { firstDay: string; lastDay: string; begun: string }

/** An account's balance at the beginning or the end. `isSum`: of all investors' accounts of a kind. */
type Balance<Part extends string> = {
  part: Part
  account: string
  isSum: boolean
  asset: Asset
  /** In minor units, credits positive. */
  amount: bigint
}
type BalanceRow = Balance<'opening'> | Balance<'closing'>

/** One entry, beside its transaction and the record that it belongs to. */
export type EntryRow = {
  part: 'entry'
  id: string
  at: Date
  event: LedgerEvent
  cancelled: boolean
  record: string
  /** Null for a return. */
  number: string | null
  /** A return's source. */
  source: string | null
  /** A withdrawal's method, and its transaction on the network once it is paid. */
  wallet: string | null
  txid: string | null
  account: string
  asset: Asset
  amount: bigint
}

export type JournalRow = BalanceRow | EntryRow

/** The UTC day of the first transaction; null without any. */
export async function firstDayOf(db: Db): Promise<string | null> {
  const { rows } = await sql<{
    day: string | null
  }>`SELECT min(day) AS day FROM ledger.moves_by_day()`.execute(db)
  return rows[0]!.day
}

/**
 * All that the file has, in its order. Balances come from the daily totals and from the running balances of investors'
 * accounts, not from the entries between them: so adding those up proves something.
 */
export function* journalRows(
  db: Db,
  { firstDay, lastDay, begun }: JournalDays,
): Generator<CompiledQuery<JournalRow>> {
  const [from, until] = [startOfDay(firstDay, 'UTC'), startOfDay(dayAfter(lastDay), 'UTC')]
  yield sums(db, 'opening', firstDay)
  yield investorsAccounts(db, 'opening', from, from)
  // By months, so that the database never sorts more than one at a time.
  for (let day = firstDay < begun ? begun : firstDay; day <= lastDay; ) {
    const next = [firstOfNextMonth(day), dayAfter(lastDay)].sort()[0]!
    yield entriesOf(db, startOfDay(day, 'UTC'), startOfDay(next, 'UTC'))
    day = next
  }
  yield investorsAccounts(db, 'closing', from, until)
  yield sums(db, 'closing', dayAfter(lastDay))
}

/** The firm's accounts before a day, and the sums of investors' accounts: those only at the end, to be compared. */
function sums(db: Db, part: BalanceRow['part'], before: string): CompiledQuery<BalanceRow> {
  return sql<BalanceRow>`
    SELECT ${part}::text AS part, ledger.public_account(k.kind) AS account, k.holder = 'investor' AS "isSum",
           m.asset, sum(side.amount)::bigint AS amount
      FROM ledger.moves_by_day() m
     CROSS JOIN LATERAL (VALUES (m.from_kind, -m.amount), (m.to_kind, m.amount)) AS side (kind, amount)
      JOIN ledger.account_kinds k ON k.kind = side.kind
     WHERE m.day < ${before}::date AND (${part} = 'closing' OR k.holder = 'firm')
     GROUP BY k.kind, k.holder, m.asset
    HAVING ${part} = 'closing' OR sum(side.amount) <> 0
     ORDER BY 2, 4`.compile(db)
}

/** Investors' accounts that are not empty at a moment, or that were moved since another one. */
function investorsAccounts(
  db: Db,
  part: BalanceRow['part'],
  since: Date,
  moment: Date,
): CompiledQuery<BalanceRow> {
  const versionAt = (at: Date) =>
    sql`CASE WHEN a.moved_at < ${at} THEN a.version ELSE ledger.version_at(a.id, ${at}) END`
  return sql<BalanceRow>`
    SELECT ${part}::text AS part, ledger.public_account(a.kind) || ':' || a.owner AS account, false AS "isSum",
           a.asset, e.new_balance AS amount
      FROM ledger.accounts a
     CROSS JOIN LATERAL (SELECT ${versionAt(since)} AS before, ${versionAt(moment)} AS upto) version
      JOIN ledger.entries e ON e.account_id = a.id AND e.version = version.upto
     WHERE a.owner <> ledger.firm() AND (e.new_balance <> 0 OR version.before < version.upto)
     ORDER BY a.owner, a.kind, a.asset`.compile(db)
}

function entriesOf(db: Db, from: Date, until: Date): CompiledQuery<EntryRow> {
  return sql<EntryRow>`
    SELECT 'entry' AS part, t.id, t.created_at AS at, t.event, t.reference_id AS record,
           coalesce(i.cancelled_by, w.cancelled_by) IS NOT NULL AS cancelled,
           coalesce(d.invoice_id, i.invoice_id, w.invoice_id, ei.invoice_id) AS number, r.source,
           w.wallet, CASE WHEN t.event = 'withdrawal.paid' THEN t.memo END AS txid,
           ledger.public_account(a.kind) || CASE WHEN a.owner = ledger.firm() THEN '' ELSE ':' || a.owner END AS account,
           a.asset, e.amount
      FROM ledger.transactions t
      JOIN ledger.entries e ON e.transaction_id = t.id
      JOIN ledger.accounts a ON a.id = e.account_id
      LEFT JOIN app.deposits d ON t.reference_kind = 'deposit' AND d.id = t.reference_id
      LEFT JOIN app.investments i ON t.reference_kind = 'investment' AND i.id = t.reference_id
      LEFT JOIN app.withdrawals w ON t.reference_kind = 'withdrawal' AND w.id = t.reference_id
      LEFT JOIN app.returns r ON t.reference_kind = 'return' AND r.id = t.reference_id
      LEFT JOIN app.earnings p ON t.reference_kind = 'earning' AND p.id = t.reference_id
      LEFT JOIN app.investments ei ON ei.id = p.investment_id
     WHERE t.created_at >= ${from} AND t.created_at < ${until}
     ORDER BY t.created_at, t.id, e.line`.compile(db)
}

function firstOfNextMonth(day: string): string {
  const [year, month] = day.split('-').map(Number)
  return dayOf(new Date(Date.UTC(year!, month!, 1)))
}
