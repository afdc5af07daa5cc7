import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { addressKey } from '#shared/addresses.ts'
import type { SanctionsList } from '#shared/sanctions.ts'
import { readSdn, type SanctionsFile, UnreadableList } from './sdn.ts'

/**
 * `unchanged`: this file is in force already. `open`: invoice ids of withdrawals that are not paid yet and go to a listed wallet.
 */
export type ImportOutcome = {
  publishedOn: string
  entries: number
  wallets: number
  added: number
  removed: number
  unchanged: boolean
  open: string[]
}

/**
 * Puts a published file of a list in force, as a whole or not at all.
 * @throws UnreadableList if it is not the whole of that list, older than the one in force, or has less than half of its entries
 */
export async function importList(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  list: SanctionsList,
  content: AsyncIterable<Uint8Array>,
): Promise<ImportOutcome> {
  const hash = createHash('sha256')
  const file = await readSdn(hashed(content, hash))
  const sha256 = hash.digest()
  return db.transaction().execute(async tx => {
    await sql`SELECT pg_advisory_xact_lock(${lockKeys.sanctions})`.execute(tx)
    const last = await newestImport(tx, list)
    const counts = { publishedOn: file.publishedOn, entries: file.entries, wallets: file.wallets.length }
    if (last?.sha256.equals(sha256)) {
      return { ...counts, added: 0, removed: 0, unchanged: true, open: await openToListed(tx) }
    }
    requireNewer(file, last)
    const id = newId(clock.now())
    await tx
      .insertInto('app.sanctions_imports')
      .values({
        id,
        list,
        sha256,
        published_on: file.publishedOn,
        entries: file.entries,
        wallets: file.wallets.length,
        imported_at: clock.now(),
      })
      .execute()
    const changed = await replaceWallets(tx, { id, list, file })
    return { ...counts, ...changed, unchanged: false, open: await openToListed(tx) }
  })
}

async function* hashed(content: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>) {
  for await (const bytes of content) {
    hash.update(bytes)
    yield bytes
  }
}

type Newest = { sha256: Buffer; published_on: string; entries: number }

/** The import in force. */
export async function newestImport(db: Kysely<Schema>, list: SanctionsList): Promise<Newest | undefined> {
  const { rows } = await sql<Newest>`
    SELECT sha256, published_on::text, entries FROM app.sanctions_imports
     WHERE list = ${list} ORDER BY id DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** As the database guards it (0075_sanctions.sql), in words. */
function requireNewer(file: SanctionsFile, last: Newest | undefined): void {
  if (last === undefined) return
  if (file.publishedOn < last.published_on) {
    throw new UnreadableList(
      `The file is of ${file.publishedOn}; the one in force is newer, of ${last.published_on}.`,
    )
  }
  if (file.entries * 2 < last.entries) {
    throw new UnreadableList(
      `The file has ${file.entries} entries, less than half of the ${last.entries} in force. Check that it is whole.`,
    )
  }
}

type Replacement = { id: string; list: SanctionsList; file: SanctionsFile }

async function replaceWallets(
  tx: Tx,
  { id, list, file }: Replacement,
): Promise<{ added: number; removed: number }> {
  const wallets = file.wallets.flatMap(({ address, ...of }) =>
    formsOf(address).map(form => ({ ...of, address: form })),
  )
  const columns = sql`${wallets.map(({ address }) => addressKey(address))}::text[], ${wallets.map(({ entry }) => entry)}::text[], ${wallets.map(({ name }) => name)}::text[]`
  const removed = await sql`
    UPDATE app.sanctioned_wallets s SET removed_by = ${id}
     WHERE s.list = ${list} AND s.removed_by IS NULL
       AND NOT EXISTS (SELECT FROM unnest(${columns}) AS f (address, entry, name)
                        WHERE (f.address, f.entry, f.name) = (s.address, s.entry, s.name))`.execute(tx)
  const added = await sql`
    INSERT INTO app.sanctioned_wallets (list, address, entry, name, added_by)
    SELECT ${list}, address, entry, name, ${id} FROM unnest(${columns}) AS f (address, entry, name)
        ON CONFLICT DO NOTHING`.execute(tx)
  return { added: Number(added.numAffectedRows), removed: Number(removed.numAffectedRows) }
}

/** An address of Bitcoin Cash may be written with its prefix or without. */
function formsOf(address: string): string[] {
  const bare = address.replace(/^bitcoincash:/i, '')
  return /^[qp][02-9ac-hj-np-z]{41}$/i.test(bare) ? [bare, `bitcoincash:${bare}`] : [address]
}

async function openToListed(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ invoice_id: string }>`
    SELECT w.invoice_id FROM app.withdrawals w
     WHERE w.status IN ('pending', 'approved') AND app.listing_of(w.address) IS NOT NULL
     ORDER BY w.id`.execute(tx)
  return rows.map(({ invoice_id }) => invoice_id)
}
