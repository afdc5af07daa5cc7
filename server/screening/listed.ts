import { type Kysely, sql } from 'kysely'
import { addressListed } from '#server/ledger/refusals.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { addressKey } from '#shared/addresses.ts'
import type { Listing } from '#shared/sanctions.ts'

/** Where addresses of any coin are listed now, by `addressKey`. */
export async function listingsOf(
  db: Kysely<Schema>,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Listing>> {
  const keys = [...new Set(addresses.map(addressKey))]
  const { rows } = await sql<Listing & { address: string }>`
    SELECT DISTINCT ON (address) address, list, entry, name FROM app.sanctioned_wallets
     WHERE address = ANY (${keys}::text[]) AND removed_by IS NULL
     ORDER BY address, list, entry`.execute(db)
  return new Map(rows.map(({ address, ...listing }) => [address, listing]))
}

/**
 * @param field of the form
 * @throws AppError invalid_input if the address is on a sanctions list
 */
export async function requireUnlisted(db: Kysely<Schema>, address: string, field: string): Promise<void> {
  const [listing] = (await listingsOf(db, [address])).values()
  if (listing !== undefined) throw addressListed(listing, field)
}
