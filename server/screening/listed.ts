import { type Kysely, sql } from 'kysely'
import { addressListed } from '#server/ledger/refusals.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { spellingsOf } from '#shared/address-spellings.ts'
import { addressKey } from '#shared/addresses.ts'
import type { Listing } from '#shared/sanctions.ts'

/** Listings by `addressKey`. */
export type Listings = ReadonlyMap<string, Listing>

/** Where addresses of any coin are listed now, however they are written. */
export async function listingsOf(db: Kysely<Schema>, addresses: readonly string[]): Promise<Listings> {
  const asked = [...new Set(addresses)].flatMap(address =>
    spellingsOf(address).map(spelling => ({ key: addressKey(address), spelling })),
  )
  const { rows } = await sql<Listing & { key: string }>`
    SELECT DISTINCT ON (a.key) a.key, s.list, s.entry, s.name
      FROM unnest(${asked.map(({ key }) => key)}::text[], ${asked.map(({ spelling }) => spelling)}::text[]) AS a (key, spelling)
      JOIN app.sanctioned_wallets s ON s.address = a.spelling AND s.removed_by IS NULL
     ORDER BY a.key, s.list, s.entry`.execute(db)
  return new Map(rows.map(({ key, ...listing }) => [key, listing]))
}

/**
 * @param field of the form
 * @throws AppError invalid_input if the address is on a sanctions list
 */
export async function requireUnlisted(db: Kysely<Schema>, address: string, field: string): Promise<void> {
  const [listing] = (await listingsOf(db, [address])).values()
  if (listing !== undefined) throw addressListed(listing, field)
}
