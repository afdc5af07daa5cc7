import { type Kysely, sql } from 'kysely'
import type { AccountKind, LedgerEvent } from '#server/ledger/chart.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { eventWords } from '#server/records/statement.ts'
import type { PostedEvent } from '#shared/contract/console.ts'
import { type Asset, assetDecimals, formatDecimal } from '#shared/money.ts'

/** Events of one record that are shown at most: the latest. */
const mostEvents = 200

/** What an account is called; an investor's has his name behind it. */
const accountWords: Record<AccountKind, string> = {
  available: 'Available',
  held: 'On hold',
  invested: 'In plans',
  recorded_returns: 'Recorded returns',
  returns_received: 'Returns received',
  custody: 'Coins in custody',
  exchange: 'Exchange',
  payouts: 'Withdrawals paid',
  rounding: 'Rounding',
  receivable: 'Receivable',
}

type LegRow = {
  id: string
  at: Date
  event: LedgerEvent
  actor: string | null
  memo: string | null
  asset: Asset
  amount: bigint
  from_kind: AccountKind
  from_name: string | null
  to_kind: AccountKind
  to_name: string | null
}

/** A record; of an investment, the deposit that pays it and its earnings with it. */
function belongsTo(id: string) {
  return sql`SELECT ${id}::uuid UNION ALL SELECT id FROM app.deposits WHERE investment_id = ${id}
    UNION ALL SELECT id FROM app.earnings WHERE investment_id = ${id}`
}

/**
 * Every business event about a record with all its legs, the oldest first: both sides of the books. An investment has those
 * of its deposit and of its earnings; a deposit that was settled together with the approval of its investment has that event.
 */
export async function postingsOf(db: Kysely<Schema>, referenceId: string): Promise<PostedEvent[]> {
  const { rows } = await sql<LegRow>`
    SELECT t.id, t.created_at AS at, t.event, actor.name AS actor, t.memo, ca.asset, c.amount,
           da.kind AS from_kind, debtor.name AS from_name, ca.kind AS to_kind, creditor.name AS to_name
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

function presentEvent({ id, at, event, actor, memo }: LegRow): PostedEvent {
  return {
    _id: id,
    at: at.toISOString(),
    event,
    description: eventWords[event],
    actorName: actor,
    note: memo,
    legs: [],
  }
}

function accountOf(kind: AccountKind, name: string | null): string {
  return name === null ? accountWords[kind] : `${accountWords[kind]}, ${name}`
}
