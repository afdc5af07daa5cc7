import { type Kysely, sql } from 'kysely'
import type { AccountKind, LedgerEvent } from '#server/ledger/chart.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { describeEvent } from '#server/statements/lines.ts'
import type { PostedEvent } from '#shared/contract/console.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { type Asset, assetDecimals, formatDecimal } from '#shared/money.ts'

/** Most events shown for one record; the latest ones. */
const mostEvents = 200

/** The accounts' names; an investor's name is appended. */
const accountWords: Record<AccountKind, string> = {
  available: msg('Available'),
  held: msg('On hold'),
  invested: msg('In plans'),
  recorded_returns: msg('Recorded returns'),
  returns_received: msg('Returns received'),
  custody: msg('Coins in custody'),
  exchange: msg('Exchange'),
  payouts: msg('Withdrawals paid'),
  rounding: msg('Rounding'),
  receivable: msg('Receivable'),
}

type LegRow = {
  id: string
  at: Date
  event: LedgerEvent
  actor: string | null
  memo: string | null
  /** Its record was cancelled by the investor. */
  cancelled: boolean
  asset: Asset
  amount: bigint
  from_kind: AccountKind
  from_name: string | null
  to_kind: AccountKind
  to_name: string | null
}

/** The record's id; for an investment, with those of its deposit and earnings. */
function belongsTo(id: string) {
  return sql`SELECT ${id}::uuid UNION ALL SELECT id FROM app.deposits WHERE investment_id = ${id}
    UNION ALL SELECT id FROM app.earnings WHERE investment_id = ${id}`
}

/**
 * Every business event of a record with all its legs, oldest first. An investment includes its deposit and earnings; a
 * deposit settled by its investment's approval includes that event.
 */
export async function postingsOf(db: Kysely<Schema>, referenceId: string): Promise<PostedEvent[]> {
  const { rows } = await sql<LegRow>`
    SELECT t.id, t.created_at AS at, t.event, actor.name AS actor, t.memo, ca.asset, c.amount,
           da.kind AS from_kind, debtor.name AS from_name, ca.kind AS to_kind, creditor.name AS to_name,
           EXISTS (SELECT FROM app.investments r WHERE r.id = t.reference_id AND r.cancelled_by IS NOT NULL)
             OR EXISTS (SELECT FROM app.withdrawals r WHERE r.id = t.reference_id AND r.cancelled_by IS NOT NULL) AS cancelled
      FROM (SELECT * FROM ledger.transactions
             WHERE reference_id = ANY (ARRAY(${belongsTo(referenceId)})) OR (event = 'investment.funded'
                   AND reference_id = (SELECT investment_id FROM app.deposits WHERE id = ${referenceId}))
             ORDER BY created_at DESC, id DESC LIMIT ${mostEvents}) t
      JOIN ledger.entries c ON c.transaction_id = t.id AND c.line % 2 = 0
      JOIN ledger.entries d ON d.transaction_id = t.id AND d.line = c.line - 1
      JOIN ledger.accounts da ON da.id = d.account_id
      JOIN ledger.accounts ca ON ca.id = c.account_id
      LEFT JOIN app.users debtor ON debtor.id = da.owner
      LEFT JOIN app.users creditor ON creditor.id = ca.owner
      LEFT JOIN app.users actor ON actor.id = t.actor
     ORDER BY t.created_at, t.id, c.line`.execute(db)
  const events = new Map<string, PostedEvent>()
  for (const row of rows) {
    const event = events.get(row.id) ?? presentEvent(row)
    event.legs.push({
      from: accountOf(row.from_kind, row.from_name),
      to: accountOf(row.to_kind, row.to_name),
      asset: row.asset,
      amount: formatDecimal(row.amount, assetDecimals[row.asset]),
    })
    events.set(row.id, event)
  }
  return [...events.values()]
}

function presentEvent({ id, at, event, actor, memo, cancelled }: LegRow): PostedEvent {
  return {
    _id: id,
    at: at.toISOString(),
    event,
    description: translate(describeEvent(event, cancelled)),
    actorName: actor,
    note: memo,
    legs: [],
  }
}

function accountOf(kind: AccountKind, name: string | null): string {
  const account = translate(accountWords[kind])
  return name === null ? account : t('{account}, {name}', { account, name })
}
