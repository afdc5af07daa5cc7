import { createHash, type Hash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { spellingsOf } from '#shared/address-spellings.ts'
import { addressKey } from '#shared/addresses.ts'
import { listPage, listShareManual, maximumListBytes } from '#shared/limits.ts'
import type { NameList } from '#shared/sanctions.ts'
import type { FileVersion } from './download.ts'
import { readers } from './lists/index.ts'
import { type ListedEntry, UnreadableList } from './lists/list.ts'

const DAY_MS = 86_400_000

/** A withdrawal that is not paid, and the batch that pays it, if any. */
export type OpenPayout = { invoice: string; batch: string | null }

/** How many entries are new, gone, and different from before. */
export type EntryChanges = { added: number; removed: number; changed: number }

/**
 * `wallets`, `added` and `removed` count wallets of an entry, however often and in whatever spelling. `unchanged`: this file was in force
 * already. `open`: what goes to a listed wallet.
 */
export type ImportOutcome = {
  publishedOn: string
  entries: number
  wallets: number
  added: number
  removed: number
  entryChanges: EntryChanges
  unchanged: boolean
  open: OpenPayout[]
}

/**
 * `leastShare`: how many entries, out of 100 in force, and how many wallets a newer file must have. `version`: how the address that it was
 * fetched from names it. `exchanges`: a person says that this is another list of exposed persons, which may be smaller and older.
 */
type Options = { leastShare?: number; version?: FileVersion; exchanges?: boolean }

/** Another list is being put in force. */
export class ImportUnderWay extends Error {
  constructor() {
    super('Another list is being imported at this moment. Try again in a few minutes.')
  }
}

/**
 * Puts a published file of a list in force, as a whole or not at all, and records that the list was checked.
 * @throws ImportUnderWay
 * @throws UnreadableList if it is too large, not the whole of that list, of a day to come, older than the one in force, or has too few
 * entries or wallets
 */
export async function importList(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  list: NameList,
  content: AsyncIterable<Uint8Array>,
  { leastShare = listShareManual, version, exchanges = false }: Options = {},
): Promise<ImportOutcome> {
  const hash = createHash('sha256')
  const file = await readers[list](hashed(content, hash))
  const sha256 = hash.digest()
  const entries = byNumber(file.entries)
  const wallets = entries.flatMap(walletsOf)
  const counts = { publishedOn: file.publishedOn, entries: entries.length, wallets: walletsIn(wallets) }
  return db.transaction().execute(async tx => {
    await requireTurn(tx)
    const last = await newestImport(tx, list)
    const unchanged = last?.sha256.equals(sha256) === true
    const now = clock.now()
    if (!unchanged) requireNewer(counts, { last: exchanges ? undefined : last, now, leastShare })
    const changes = unchanged
      ? nothingChanged
      : await replace(tx, { list, sha256, counts, wallets, entries, now })
    // Last, as others write this row without waiting for an import.
    await recordChecked(tx, list, { now, version })
    return { ...counts, ...changes, unchanged, open: await openToListed(tx) }
  })
}

/**
 * Ends the use of the list of exposed persons: nobody is on it any more, and nobody is told that it is old.
 * @returns how many persons were on it
 * @throws ImportUnderWay
 */
export async function retirePeps({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<number> {
  return db.transaction().execute(async tx => {
    await requireTurn(tx)
    const last = await newestImport(tx, 'pep')
    if (last !== undefined && last.entries > 0) {
      const now = clock.now()
      const counts = { publishedOn: now.toISOString().slice(0, 10), entries: 0, wallets: 0 }
      const sha256 = createHash('sha256').digest()
      await replace(tx, { list: 'pep', sha256, counts, wallets: [], entries: [], now })
    }
    await sql`
      UPDATE app.list_fetches SET checked_at = NULL, failing_since = NULL, failure = NULL, refused_at = NULL,
             source = NULL, etag = NULL, last_modified = NULL
       WHERE list = 'pep'`.execute(tx)
    return last?.entries ?? 0
  })
}

/** One at a time, so that the imports' numbers are in the order of the commits. Nobody waits for a long one. */
async function requireTurn(tx: Tx): Promise<void> {
  const { rows } = await sql<{ mine: boolean }>`
    SELECT pg_try_advisory_xact_lock(${lockKeys.sanctions}) AS mine`.execute(tx)
  if (!rows[0]!.mine) throw new ImportUnderWay()
}

type File = {
  list: NameList
  sha256: Buffer
  counts: Counts
  wallets: readonly ListedWallet[]
  entries: readonly ListedEntry[]
  now: Date
}

async function replace(tx: Tx, { list, sha256, counts, wallets, entries, now }: File) {
  const { publishedOn, ...sizes } = counts
  const { id } = await tx
    .insertInto('app.list_imports')
    .values({ list, sha256, published_on: publishedOn, ...sizes, imported_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const changed = await replaceWallets(tx, { id, list, wallets })
  const entryChanges = await replaceEntries(tx, { id, list, entries })
  await reviewSoon(tx, id)
  return { ...changed, entryChanges }
}

async function* hashed(content: AsyncIterable<Uint8Array>, hash: Hash) {
  let size = 0
  for await (const bytes of content) {
    size += bytes.length
    if (size > maximumListBytes) throw new UnreadableList(`The file has more than ${maximumListBytes} bytes.`)
    hash.update(bytes)
    yield bytes
  }
}

async function recordChecked(
  tx: Tx,
  list: NameList,
  { now, version }: { now: Date; version: FileVersion | undefined },
): Promise<void> {
  const { source = null, etag = null, lastModified = null } = version ?? {}
  const checked = { checked_at: now, source, etag, last_modified: lastModified }
  await tx
    .insertInto('app.list_fetches')
    .values({ id: newId(now), list, ...checked })
    .onConflict(conflict =>
      conflict
        .column('list')
        .doUpdateSet({ ...checked, failing_since: null, failure: null, refused_at: null }),
    )
    .execute()
}

const nothingChanged = { added: 0, removed: 0, entryChanges: { added: 0, removed: 0, changed: 0 } }

/** What a file says in several places under one number belongs together. */
function byNumber(entries: readonly ListedEntry[]): ListedEntry[] {
  return [...Map.groupBy(entries, ({ entry }) => entry).values()].map(parts => {
    const all = (of: (part: ListedEntry) => readonly string[]) => [...new Set(parts.flatMap(of))]
    const [first] = parts as [ListedEntry]
    const names = all(part => part.names)
    return {
      ...first,
      names,
      weak: all(part => part.weak).filter(name => !names.includes(name)),
      births: all(part => part.births),
      countries: all(part => part.countries),
      programmes: all(part => part.programmes),
      wallets: all(part => part.wallets),
    }
  })
}

/** A wallet as its list names it: the list's number of its owner, and their name. */
type ListedWallet = { address: string; entry: string; name: string }

function walletsOf({ entry, names, wallets }: ListedEntry): ListedWallet[] {
  return wallets.map(address => ({ address, entry, name: names[0]! }))
}

/** A file names a wallet once for each of its coins. */
function walletsIn(wallets: readonly ListedWallet[]): number {
  return new Set(wallets.map(({ address, entry }) => `${entry} ${addressKey(address)}`)).size
}

type Newest = { sha256: Buffer; published_on: string; entries: number; wallets: number }

async function newestImport(db: Kysely<Schema>, list: NameList): Promise<Newest | undefined> {
  const { rows } = await sql<Newest>`
    SELECT sha256, published_on::text, entries, wallets FROM app.list_imports
     WHERE list = ${list} ORDER BY id DESC LIMIT 1`.execute(db)
  return rows[0]
}

type Counts = Pick<ImportOutcome, 'publishedOn' | 'entries' | 'wallets'>

/** As the database guards sanctions lists (0075_sanctions.sql), in words; a fetched file needs a greater share. */
function requireNewer(
  { publishedOn, entries, wallets }: Counts,
  { last, now, leastShare }: { last: Newest | undefined; now: Date; leastShare: number },
): void {
  // Its authority may be a day ahead.
  if (publishedOn > new Date(now.getTime() + DAY_MS).toISOString().slice(0, 10)) {
    throw new UnreadableList(`The file is of ${publishedOn}, which is still to come.`)
  }
  if (last === undefined || last.entries === 0) return
  if (publishedOn < last.published_on) {
    throw new UnreadableList(
      `The file is of ${publishedOn}; the one in force is newer, of ${last.published_on}.`,
    )
  }
  const requireShare = (kind: string, has: number, had: number) => {
    if (has * 100 >= had * leastShare) return
    const share = leastShare === 50 ? 'half' : `${leastShare}%`
    throw new UnreadableList(
      `The file has ${has} ${kind}, less than ${share} of the ${had} in force. Check that it is whole.`,
    )
  }
  requireShare('entries', entries, last.entries)
  requireShare('wallets', wallets, last.wallets)
}

type Replacement = { id: number; list: NameList }

async function replaceWallets(
  tx: Tx,
  { id, list, wallets: listed }: Replacement & { wallets: readonly ListedWallet[] },
): Promise<Pick<ImportOutcome, 'added' | 'removed'>> {
  const wallets = await inAllSpellings(tx, listed)
  const given = sql`unnest(${wallets.map(one => one.spelling)}::text[], ${wallets.map(one => one.address)}::text[],
                           ${wallets.map(one => one.entry)}::text[], ${wallets.map(one => one.name)}::text[])
                      AS given (address, published, entry, name)`
  const count = sql`count(DISTINCT (entry, app.address_key(published)))::int`
  const removed = await sql<{ count: number }>`
    WITH removed AS (
      UPDATE app.sanctioned_wallets s SET removed_by = ${id}
       WHERE list = ${list} AND removed_by IS NULL
         AND NOT EXISTS (SELECT FROM ${given} WHERE (given.address, given.entry, given.name) = (s.address, s.entry, s.name))
      RETURNING entry, published)
    SELECT ${count} AS count FROM removed`.execute(tx)
  const added = await sql<{ count: number }>`
    WITH added AS (
      INSERT INTO app.sanctioned_wallets (list, address, published, entry, name, added_by)
      SELECT ${list}, address, published, entry, name, ${id} FROM ${given}
          ON CONFLICT DO NOTHING
      RETURNING entry, published)
    SELECT ${count} AS count FROM added`.execute(tx)
  return { removed: removed.rows[0]!.count, added: added.rows[0]!.count }
}

/** What is compared of an entry: if one of these differs, it is another version of it. */
const facts = ['kind', 'names', 'weak', 'births', 'countries', 'programmes']
const factsOf = (row: string) => sql.raw(`(${facts.map(fact => `${row}.${fact}`).join(', ')})`)

/** In pages, as a statement has a limit of time. */
async function replaceEntries(
  tx: Tx,
  { id, list, entries }: Replacement & { entries: readonly ListedEntry[] },
): Promise<EntryChanges> {
  const stored = { changed: 0, added: 0 }
  for (let from = 0; from < entries.length; from += listPage) {
    const page = await storeEntries(tx, { id, list, entries: entries.slice(from, from + listPage) })
    stored.changed += page.changed
    stored.added += page.added
  }
  const { numAffectedRows } = await sql`
    UPDATE app.list_entries s SET removed_by = ${id}
     WHERE list = ${list} AND removed_by IS NULL AND added_by < ${id}
       AND NOT EXISTS (SELECT FROM unnest(${entries.map(({ entry }) => entry)}::text[]) AS given (entry)
                        WHERE given.entry = s.entry)`.execute(tx)
  return {
    added: stored.added - stored.changed,
    removed: Number(numAffectedRows ?? 0),
    changed: stored.changed,
  }
}

async function storeEntries(
  tx: Tx,
  { id, list, entries }: Replacement & { entries: readonly ListedEntry[] },
): Promise<{ changed: number; added: number }> {
  const content = JSON.stringify(entries.map(({ wallets: _, ...entry }) => entry))
  const given = sql`jsonb_to_recordset(${content}::jsonb) AS given (
    entry text, kind text, names text[], weak text[], births text[], countries text[], programmes text[])`
  const changed = await sql`
    UPDATE app.list_entries s SET removed_by = ${id}
      FROM ${given}
     WHERE s.list = ${list} AND s.entry = given.entry AND s.removed_by IS NULL
       AND ${factsOf('s')} IS DISTINCT FROM ${factsOf('given')}`.execute(tx)
  const added = await sql`
    INSERT INTO app.list_entries (list, entry, ${sql.raw(facts.join(', '))}, added_by)
    SELECT ${list}, entry, ${sql.raw(facts.join(', '))}, ${id} FROM ${given}
     WHERE NOT EXISTS (SELECT FROM app.list_entries s
                        WHERE s.list = ${list} AND s.entry = given.entry AND s.removed_by IS NULL)`.execute(
    tx,
  )
  return { changed: Number(changed.numAffectedRows ?? 0), added: Number(added.numAffectedRows ?? 0) }
}

/**
 * The wallets with each way to write them, so that the database's guards find a withdrawal's address as it stands. Of Ripple's X-addresses,
 * one for each tag, those of address books; others are found when they are entered.
 */
async function inAllSpellings(
  tx: Tx,
  wallets: readonly ListedWallet[],
): Promise<(ListedWallet & { spelling: string })[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT DISTINCT address FROM app.payout_addresses
     WHERE wallet = 'Ripple Coin (XRP)' AND address NOT LIKE 'r%' AND removed_at IS NULL`.execute(tx)
  const booked = Map.groupBy(
    rows.flatMap(({ address }) =>
      spellingsOf(address).map(spelling => ({ spelling, key: addressKey(address) })),
    ),
    ({ spelling }) => spelling,
  )
  return wallets.flatMap(wallet => {
    const own = spellingsOf(wallet.address)
    const inBooks = own.flatMap(spelling => booked.get(spelling) ?? []).map(({ key }) => key)
    return [...new Set([...own, ...inBooks])].map(spelling => ({ ...wallet, spelling }))
  })
}

/** Payments that wait for something else are assessed at once, so that staff see that their sender is listed. */
async function reviewSoon(tx: Tx, id: number): Promise<void> {
  await sql`
    UPDATE app.deposits d SET assess_after = NULL
      FROM app.chain_transfers t
      JOIN app.payment_addresses a ON a.rail = t.rail AND app.address_key(a.address) = t.address
     WHERE d.id = a.deposit_id AND d.assess_after IS NOT NULL AND t.credited_units < t.units AND t.ignored_reason IS NULL
       AND t.receiving AND EXISTS (
             SELECT FROM app.sanctioned_wallets s JOIN unnest(t.senders) AS sender ON app.address_key(sender) = s.address
              WHERE ${id} IN (s.added_by, s.removed_by))`.execute(tx)
}

async function openToListed(tx: Tx): Promise<OpenPayout[]> {
  const { rows } = await sql<OpenPayout>`
    SELECT w.invoice_id AS invoice, (SELECT b.number FROM app.payout_items i JOIN app.payout_batches b ON b.id = i.batch_id
                                      WHERE i.withdrawal_id = w.id AND i.state = 'open') AS batch
      FROM app.withdrawals w
     WHERE w.status IN ('pending', 'approved') AND app.listing_of(w.address) IS NOT NULL
     ORDER BY w.id`.execute(tx)
  return rows
}
