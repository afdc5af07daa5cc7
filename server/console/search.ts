import { type RawBuilder, sql } from 'kysely'
import { validate as isUuid } from 'uuid'
import { type Caller, callerMay, type SignedInContext } from '#server/context.ts'
import { hashesIn } from '#server/deposits/queries.ts'
import { listUsers } from '#shared/contract/accounts.ts'
import type { CallData, CallDefinition } from '#shared/contract/define.ts'
import { listDeposits } from '#shared/contract/deposits.ts'
import { listEarnings } from '#shared/contract/earnings.ts'
import { listInvestments } from '#shared/contract/investments.ts'
import { listPayouts } from '#shared/contract/payouts.ts'
import { listReturns } from '#shared/contract/returns.ts'
import { type Found, type SearchKind, type search, searchKinds } from '#shared/contract/search.ts'
import { listContactMessages } from '#shared/contract/site.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { searchResults } from '#shared/limits.ts'
import { usdToJson } from '#shared/money.ts'
import { rightFor } from '#shared/roles.ts'

/** A number without its year is looked up in this year and so many before it. */
const earlierYears = 10

/** One more than shown, which says that there are more. */
const mostRows = searchResults + 1

type Fragment = RawBuilder<unknown>

/** What is searched for, in the forms in which the database has it. */
type Wanted = {
  /** Text with something to compare words with. */
  words?: string
  /** Possible document numbers, without their prefixes. */
  numbers: string[]
  id?: string
  /** Forms of a transaction's id. */
  transactions: string[]
  address?: string
}

type Kind = {
  /** The list that has these records: nobody finds what they may not list. */
  list: CallDefinition
  /** Queries for `id`, `by` and `rank`, each by an index. */
  hits: (wanted: Wanted) => Fragment[]
  /** Rows `r` by id, with the columns of the answer. */
  rows: Fragment
}

type Row = {
  kind: SearchKind
  id: string
  title: string
  detail: string | null
  cents: bigint | null
  by: Found['by']
}

/** 'DEP-2026-000123', '2026-000123', 'DEP 123', '#123' or '123'. */
const numberForm = /^#?(?:([a-z]{3})[- ]?)?(?:(\d{4})[- ])?0*([1-9]\d{0,11})$/i

const prefixes = { deposit: 'DEP', investment: 'INV', withdrawal: 'WDR', payout: 'PAY' }
type Numbered = keyof typeof prefixes

/** Separators of words, as in app.search_words. */
const separators = /^[\s!-/:-@[-`{-~]*$/

function wantedBy(q: string, now: Date): Wanted {
  const isOneWord = !/\s/.test(q)
  const hashes = hashesIn(q)
  return {
    ...(separators.test(q) ? {} : { words: q }),
    numbers: numbersIn(q, now),
    ...(isUuid(q) ? { id: q } : {}),
    transactions: hashes.length > 0 || !isOneWord ? hashes : [q.toLowerCase()],
    ...(isOneWord ? { address: q } : {}),
  }
}

/** 'DEP-2026-000123' if the prefix is known, else '-2026-000123' for every prefix. */
function numbersIn(q: string, now: Date): string[] {
  const [, prefix = '', year, number] = numberForm.exec(q) ?? []
  if (number === undefined) return []
  const thisYear = now.getUTCFullYear()
  const years = year === undefined ? Array.from({ length: earlierYears + 1 }, (_, n) => thisYear - n) : [year]
  return years.map(one => `${prefix.toUpperCase()}-${one}-${number.padStart(6, '0')}`)
}

/** @param query selects the id of what matches; a part of its condition must have an index */
function hit(by: Found['by'], query: Fragment, rank = sql`0`): Fragment {
  return sql`(SELECT found.id, ${sql.lit(by)} AS by, ${rank} AS rank FROM (${query}) found)`
}

function byId({ id }: Wanted, table: string): Fragment[] {
  return id === undefined ? [] : [hit('id', sql`SELECT id FROM ${sql.table(table)} WHERE id = ${id}::uuid`)]
}

function byNumber({ numbers }: Wanted, kind: Numbered): Fragment[] {
  const [table, column] =
    kind === 'payout' ? ['app.payout_batches', 'number'] : [`app.${kind}s`, 'invoice_id']
  const prefix = prefixes[kind]
  const own = numbers
    .map(number => (number.startsWith('-') ? `${prefix}${number}` : number))
    .filter(number => number.startsWith(prefix))
  if (own.length === 0) return []
  const isOne = sql`${sql.ref(column!)} = ANY (${own}::text[])`
  return [hit('number', sql`SELECT id FROM ${sql.table(table!)} WHERE ${isOne}`)]
}

function byTransaction({ transactions }: Wanted, queries: (forms: Fragment) => Fragment[]): Fragment[] {
  if (transactions.length === 0) return []
  return queries(sql`(${transactions}::text[])`).map(query => hit('transaction', query))
}

function byAddress({ address }: Wanted, queries: (key: Fragment) => Fragment[]): Fragment[] {
  if (address === undefined) return []
  return queries(sql`app.address_key(${address})`).map(query => hit('address', query))
}

/** Rows whose name or email has these words, those with exactly this name or email first. */
function byWords({ words }: Wanted, table: string): Fragment[] {
  if (words === undefined) return []
  const isExact = sql`lower(r.name) = lower(${words}) OR r.email = lower(${words})`
  return [
    sql`(SELECT r.id, 'name' AS by, CASE WHEN ${isExact} THEN 0 ELSE 1 END AS rank FROM ${sql.table(table)} r
          WHERE app.search_words(r.name || ' ' || r.email) @@ app.search_prefixes(${words})
          ORDER BY 3, 1 DESC LIMIT ${mostRows})`,
  ]
}

const ownedRows = (table: string) => sql`
  SELECT r.id, r.invoice_id AS title, u.name AS detail, r.amount_cents AS cents
    FROM ${sql.table(table)} r JOIN app.users u ON u.id = r.user_id`

const kinds: Record<SearchKind, Kind> = {
  user: {
    list: listUsers,
    hits: wanted => [
      ...byWords(wanted, 'app.users'),
      ...byId(wanted, 'app.users'),
      ...(wanted.words === undefined
        ? []
        : [hit('code', sql`SELECT id FROM app.users WHERE referral_code = upper(${wanted.words})`)]),
      ...byAddress(wanted, key => [
        sql`SELECT user_id AS id FROM app.payout_addresses WHERE app.address_key(address) = ${key}`,
        sql`SELECT user_id AS id FROM app.payment_addresses WHERE app.address_key(address) = ${key} AND user_id IS NOT NULL`,
      ]),
    ],
    rows: sql`SELECT r.id, r.name AS title, r.email AS detail, NULL::bigint AS cents FROM app.users r`,
  },
  deposit: {
    list: listDeposits,
    hits: wanted => [
      ...byNumber(wanted, 'deposit'),
      ...byId(wanted, 'app.deposits'),
      ...byTransaction(wanted, forms => [
        sql`SELECT deposit_id AS id FROM app.deposit_credits WHERE lower(transaction_id) = ANY ${forms}`,
        sql`SELECT d.id FROM app.chain_transfers t JOIN app.deposits d ON app.address_key(d.address) = t.address
             WHERE t.rail IN ('bitcoin', 'usdt', 'ethereum') AND t.transaction_id = ANY ${forms}`,
      ]),
      ...byAddress(wanted, key => [
        sql`SELECT id FROM app.deposits WHERE app.address_key(address) = ${key} ORDER BY id DESC LIMIT ${mostRows}`,
      ]),
    ],
    rows: ownedRows('app.deposits'),
  },
  withdrawal: {
    list: listWithdrawals,
    hits: wanted => [
      ...byNumber(wanted, 'withdrawal'),
      ...byId(wanted, 'app.withdrawals'),
      ...byTransaction(wanted, forms => [
        sql`SELECT id FROM app.withdrawals WHERE transaction_id IS NOT NULL AND lower(transaction_id) = ANY ${forms}`,
      ]),
      // Each withdrawal goes to an address of its owner's book, which is much smaller.
      ...byAddress(wanted, key => [
        sql`SELECT w.id FROM app.payout_addresses b JOIN app.withdrawals w ON w.user_id = b.user_id
             WHERE app.address_key(b.address) = ${key} AND app.address_key(w.address) = ${key}`,
      ]),
    ],
    rows: ownedRows('app.withdrawals'),
  },
  investment: {
    list: listInvestments,
    hits: wanted => [...byNumber(wanted, 'investment'), ...byId(wanted, 'app.investments')],
    rows: ownedRows('app.investments'),
  },
  earning: {
    list: listEarnings,
    hits: wanted => byId(wanted, 'app.earnings'),
    rows: sql`
      SELECT r.id, i.invoice_id AS title, u.name AS detail, r.amount_cents AS cents
        FROM app.earnings r JOIN app.investments i ON i.id = r.investment_id JOIN app.users u ON u.id = r.user_id`,
  },
  payout: {
    list: listPayouts,
    hits: wanted => [
      ...byNumber(wanted, 'payout'),
      ...byId(wanted, 'app.payout_batches'),
      ...byTransaction(wanted, forms => [
        sql`SELECT batch_id AS id FROM app.payout_drafts WHERE transaction_id = ANY ${forms}`,
        sql`SELECT p.batch_id AS id FROM app.chain_spends s JOIN app.payout_slots p ON p.slot = s.slot
             WHERE s.transaction_id = ANY ${forms}`,
      ]),
    ],
    rows: sql`SELECT r.id, r.number AS title, r.wallet AS detail, NULL::bigint AS cents FROM app.payout_batches r`,
  },
  return: {
    list: listReturns,
    hits: wanted => [
      ...byId(wanted, 'app.returns'),
      ...byTransaction(wanted, forms => [
        sql`SELECT id FROM app.returns WHERE evidence_kind = 'transaction' AND lower(evidence) = ANY ${forms}`,
      ]),
    ],
    rows: sql`SELECT r.id, r.source AS title, NULL AS detail, r.amount_cents AS cents FROM app.returns r`,
  },
  message: {
    list: listContactMessages,
    hits: wanted => [...byWords(wanted, 'app.contact_messages'), ...byId(wanted, 'app.contact_messages')],
    rows: sql`SELECT r.id, r.name AS title, r.subject AS detail, NULL::bigint AS cents FROM app.contact_messages r`,
  },
}

/** The results of one kind; undefined if the text can be nothing of it. */
function resultsOf(kind: SearchKind, wanted: Wanted): Fragment | undefined {
  const { hits, rows } = kinds[kind]
  const queries = hits(wanted)
  if (queries.length === 0) return undefined
  return sql`(
    SELECT ${sql.lit(kind)} AS kind, r.*, h.by, h.rank
      FROM (SELECT id, min(by) AS by, min(rank) AS rank FROM (${sql.join(queries, sql` UNION ALL `)}) hits
             GROUP BY id ORDER BY 3, 1 DESC LIMIT ${mostRows}) h
      JOIN LATERAL (${rows} WHERE r.id = h.id) r ON true)`
}

/** One statement for all that the text may name and the caller may list; undefined if that is nothing. */
export function searchStatement(
  caller: Pick<Caller, 'role' | 'keyRights'>,
  q: string,
  now: Date,
): RawBuilder<Row> | undefined {
  const wanted = wantedBy(q, now)
  const open = searchKinds.filter(kind => callerMay(caller, rightFor(kinds[kind].list)!))
  const queries = open.flatMap(kind => resultsOf(kind, wanted) ?? [])
  if (queries.length === 0) return undefined
  return sql<Row>`SELECT * FROM (${sql.join(queries, sql` UNION ALL `)}) found ORDER BY rank, id DESC`
}

/** What the text names, of all that the caller may list. */
export async function searchConsole(
  { services: { db, clock }, caller }: SignedInContext,
  q: string,
): Promise<CallData<typeof search>> {
  const found = await searchStatement(caller, q, clock.now())?.execute(db)
  const rows = found?.rows ?? []
  return searchKinds.flatMap(kind => {
    const own = rows.filter(row => row.kind === kind)
    if (own.length === 0) return []
    return [{ kind, results: own.slice(0, searchResults).map(present), hasMore: own.length > searchResults }]
  })
}

function present({ id, title, detail, cents, by }: Row): Found {
  return { _id: id, title, detail, amount: cents === null ? null : usdToJson(cents), by }
}
