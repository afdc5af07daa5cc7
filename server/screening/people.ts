import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { ListedEntry } from './lists/list.ts'
import { NameIndex, type NameMatch } from './names/name-index.ts'

/** Accounts that are read at a time. */
const PAGE = 1_000

type Account = { id: string; name: string; country: string; type: 'investor' | 'admin' }

/** @property listed the name of the entry that is most like the account's; @property score 0 to 1 */
export type PersonMatch = { account: Account; entry: ListedEntry; listed: string; score: number }

/** Accounts in one step, and their matches, the most alike first. */
export type Compared = { accounts: number; matches: PersonMatch[] }

/**
 * Compares the names of all accounts that are not closed with those of people and organisations on a list. A match is a reason to look
 * further, not a finding: names are not people.
 */
export async function* comparePeople(
  db: Kysely<Schema>,
  entries: readonly ListedEntry[],
): AsyncGenerator<Compared> {
  const index = indexOf(entries)
  for (let after: string | null = null; ; ) {
    const accounts: Account[] = await accountsAfter(db, after)
    yield { accounts: accounts.length, matches: accounts.flatMap(account => matchesOf(index, account)) }
    if (accounts.length < PAGE) return
    after = accounts.at(-1)!.id
  }
}

function indexOf(entries: readonly ListedEntry[]): NameIndex<ListedEntry> {
  const bearers = entries.filter(({ kind }) => kind === 'person' || kind === 'organisation')
  return new NameIndex(bearers.flatMap(of => [...of.names, ...of.weak].map(name => ({ name, of }))))
}

async function accountsAfter(db: Kysely<Schema>, after: string | null): Promise<Account[]> {
  const { rows } = await sql<Account>`
    SELECT id, name, country, type FROM app.users
     WHERE closed_at IS NULL AND (${after}::uuid IS NULL OR id > ${after}::uuid)
     ORDER BY id LIMIT ${PAGE}`.execute(db)
  return rows
}

/** An entry has several names; the one that is most like the account's comes first. */
function matchesOf(index: NameIndex<ListedEntry>, account: Account): PersonMatch[] {
  const best = new Map<ListedEntry, NameMatch<ListedEntry>>()
  for (const match of index.search(account.name)) if (!best.has(match.of)) best.set(match.of, match)
  return [...best.values()].map(({ of, name, score }) => ({ account, entry: of, listed: name, score }))
}
