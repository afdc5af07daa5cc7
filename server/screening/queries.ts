import { type Kysely, sql } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { getMatch, listSanctionsLists, NameMatch } from '#shared/contract/screening.ts'
import { countries } from '#shared/countries.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { countedRows, staleListDays } from '#shared/limits.ts'
import { type EntryKind, matchStatuses, type NameList, nameLists, publisherOf } from '#shared/sanctions.ts'

const DAY_MS = 86_400_000
/** Other matches of a person on the page of one. */
const MOST_OTHERS = 100

export type MatchRow = {
  id: string
  user_id: string
  user_name: string
  list: NameList
  entry: string
  kind: EntryKind
  listed_name: string
  score: number
  status: NameMatch['status']
  in_force: boolean
  found_at: Date
  decided_by: string | null
  decided_by_name: string | null
  decided_at: Date | null
  reason: string | null
}
type DetailRow = MatchRow & {
  person: CallData<typeof getMatch>['person']
  details: CallData<typeof getMatch>['details']
}

/** True of a match `m` whose entry is on its list. */
export const isInForce = sql<boolean>`EXISTS (
  SELECT FROM app.list_entries i WHERE i.list = m.list AND i.entry = m.entry AND i.removed_by IS NULL)`

/** The status of a match `m`. */
export const statusOf = sql<NameMatch['status']>`CASE WHEN m.decision IS NOT NULL THEN m.decision
  WHEN ${isInForce} THEN 'open' ELSE 'lapsed' END`

// Left joins, although every row has its partners: PostgreSQL drops them from queries that only count rows.
function matches(db: Kysely<Schema>) {
  return db
    .selectFrom('app.name_matches as m')
    .leftJoin('app.users as u', 'u.id', 'm.user_id')
    .leftJoin('app.users as d', 'd.id', 'm.decided_by')
}

/** The entry of a match `m` as it is, or as it was last. */
const newestEntry = sql`(SELECT * FROM app.list_entries e
  WHERE e.list = m.list AND e.entry = m.entry ORDER BY e.added_by DESC LIMIT 1)`

function rowsOf(query: ReturnType<typeof matches>) {
  return query
    .select(['m.id', 'm.user_id', 'm.user_name', 'm.entry', 'm.listed_name', 'm.score', 'm.found_at'])
    .select(['m.decided_at', 'm.decided_by', 'm.reason', 'd.name as decided_by_name'])
    .select([
      sql<NameList>`m.list`.as('list'),
      sql<EntryKind>`(SELECT n.kind FROM ${newestEntry} AS n)`.as('kind'),
      statusOf.as('status'),
      isInForce.as('in_force'),
    ])
}

export const matchList = defineList({
  from: matches,
  columns: rowsOf,
  present: (rows: MatchRow[]) => rows.map(presentMatch),
  id: 'm.id',
  status: {
    known: matchStatuses,
    column: 'm.decision',
    special: {
      open: () => sql`(m.decided_at IS NULL AND ${isInForce})`,
      lapsed: () => sql`(m.decided_at IS NULL AND NOT ${isInForce})`,
    },
  },
  exactly: { list: 'm.list' },
  period: { moment: 'm.found_at', sort: '-found' },
  search: {
    texts: ['m.user_name', 'm.listed_name', 'm.entry', 'u.name', 'u.email'],
    ids: ['m.id', 'm.user_id'],
  },
  sorts: {
    found: { value: 'm.found_at', type: 'timestamptz' },
    score: { value: 'm.score', type: 'bigint' },
    name: { value: 'm.user_name', type: 'text' },
  },
})

/**
 * A match with its person and what its list says.
 * @throws AppError not_found
 */
export async function matchDetail(db: Kysely<Schema>, id: string): Promise<CallData<typeof getMatch>> {
  const row: DetailRow | undefined = await rowsOf(matches(db))
    .select([
      sql<
        DetailRow['person']
      >`json_build_object('_id', u.id, 'name', u.name, 'email', u.email, 'country', u.country,
        'frozen', u.frozen_at IS NOT NULL AND u.closed_at IS NULL, 'closed', u.closed_at IS NOT NULL)`.as(
        'person',
      ),
      sql<
        DetailRow['details']
      >`(SELECT json_build_object('names', n.names, 'weak', n.weak, 'births', n.births,
        'countries', n.countries, 'programmes', n.programmes) FROM ${newestEntry} AS n)`.as('details'),
    ])
    .where('m.id', '=', id)
    .executeTakeFirst()
  if (!row) throw noSuchMatch()
  const others: MatchRow[] = await rowsOf(matches(db))
    .where('m.user_id', '=', row.user_id)
    .where('m.id', '<>', id)
    .orderBy('m.id', 'desc')
    .limit(MOST_OTHERS)
    .execute()
  const details =
    row.list === 'pep' ? { ...row.details, countries: row.details.countries.map(countryOf) } : row.details
  return { ...presentMatch(row), person: row.person, details, others: others.map(presentMatch) }
}

const names = new Map<string, string>(Object.entries(countries))

/** OpenSanctions writes 'de', but also 'ua-cri' and 'suhh', which have no name here. */
function countryOf(code: string): string {
  return names.get(code.toUpperCase()) ?? code
}

export function noSuchMatch(): AppError {
  return new AppError('not_found', t('There is no such match'))
}

function presentMatch(row: MatchRow): NameMatch {
  return {
    _id: row.id,
    user: row.user_id,
    userName: row.user_name,
    list: row.list,
    publisher: publisherOf(row.list),
    entry: row.entry,
    kind: row.kind,
    listedName: row.listed_name,
    score: row.score,
    status: row.status,
    inForce: row.in_force,
    foundAt: row.found_at.toISOString(),
    decidedBy: row.decided_by_name,
    decider: row.decided_by,
    decidedAt: row.decided_at?.toISOString() ?? null,
    reason: row.reason,
  }
}

type FetchRow = {
  list: string
  checked_at: Date | null
  failing_since: Date | null
  failure: string | null
  refused_at: Date | null
}
type ImportRow = { list: string; published_on: string; entries: number; wallets: number; imported_at: Date }

/** Each list that can be imported, with its newest import and its last check, and what still has to be compared with them. */
export async function listsInForce({
  db,
  clock,
  config,
}: Services): Promise<CallData<typeof listSanctionsLists>> {
  const { rows } = await sql<ImportRow>`
    SELECT DISTINCT ON (list) list, published_on::text, entries, wallets, imported_at
      FROM app.list_imports ORDER BY list, id DESC`.execute(db)
  const byList = new Map(rows.map(row => [row.list, row]))
  const fetches = await db
    .selectFrom('app.list_fetches')
    .select(['list', 'checked_at', 'failing_since', 'failure', 'refused_at'])
    .execute()
  const fetchOf = new Map(fetches.map(row => [row.list, row]))
  const lists = nameLists.map(list => ({
    list,
    publisher: publisherOf(list),
    inForce: presentImport(byList.get(list)),
    fetched: config.listAddresses[list] !== undefined,
    ...presentFetch(fetchOf.get(list), clock.now()),
  }))
  const due = await namesToCompare(db)
  return { lists, toCompare: { count: Math.min(due, countedRows), isAtLeast: due > countedRows } }
}

/** Names that were not compared with the newest import of a kind yet; a few more than are counted if there are more. */
async function namesToCompare(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM (
      SELECT FROM app.name_screenings
       WHERE through < (SELECT max(id) FROM app.list_imports WHERE list <> 'pep')
          OR pep_through < (SELECT max(id) FROM app.list_imports WHERE list = 'pep')
       LIMIT ${countedRows + 1}) AS due`.execute(db)
  return rows[0]!.count
}

function presentImport(row: ImportRow | undefined) {
  if (row === undefined || row.entries === 0) return null
  const { published_on: publishedOn, entries, wallets, imported_at } = row
  return { publishedOn, entries, wallets, importedAt: imported_at.toISOString() }
}

/** When each list in use was last checked, or has failed since if never, and whether its newest file is refused. */
export async function listStates(
  db: Kysely<Schema>,
): Promise<{ list: string; at: Date; isRefused: boolean }[]> {
  const { rows } = await sql<{ list: string; at: Date; isRefused: boolean }>`
    SELECT list, coalesce(checked_at, failing_since) AS at, refused_at IS NOT NULL AS "isRefused"
      FROM app.list_fetches WHERE coalesce(checked_at, failing_since) IS NOT NULL ORDER BY list`.execute(db)
  return rows
}

function presentFetch(row: FetchRow | undefined, now: Date) {
  if (row === undefined) return { checkedAt: null, failing: null, stale: false }
  const { checked_at, failing_since, failure, refused_at } = row
  const last = checked_at ?? failing_since
  return {
    checkedAt: checked_at?.toISOString() ?? null,
    failing:
      failing_since === null
        ? null
        : { since: failing_since.toISOString(), why: failure!, refused: refused_at !== null },
    stale: last !== null && now.getTime() - last.getTime() > staleListDays * DAY_MS,
  }
}
