import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { outpointOf, type Watched } from '#server/rails/chain.ts'
import type { DepositMethod } from '#shared/coins.ts'

/** What a network is looked at for; `receiving` are those of the addresses that were shown to investors. */
export type WatchedHere = Watched & { receiving: ReadonlySet<string> }

/**
 * Every address that was ever shown or took change, whatever account is configured now, and Bitcoin's outpoints there that are not
 * known to be spent in a block.
 */
export async function watchedOf(db: Kysely<Schema>, method: DepositMethod): Promise<WatchedHere> {
  const addresses = await db
    .selectFrom('app.payment_addresses')
    .select(['branch', sql<string>`app.address_key(address)`.as('key')])
    .where('method', '=', method)
    .execute()
  const keys = addresses.map(({ key }) => key)
  const receiving = addresses.filter(({ branch }) => branch === 0).map(({ key }) => key)
  return {
    addresses: new Set(keys),
    receiving: new Set(receiving),
    outpoints: method === 'bitcoin' ? await unspentOutpoints(db) : new Set(),
  }
}

async function unspentOutpoints(db: Kysely<Schema>): Promise<Set<string>> {
  const rows = await db
    .selectFrom('app.chain_transfers')
    .select(['transaction_id', 'position'])
    .where('method', '=', 'bitcoin')
    .where('spent_height', 'is', null)
    .where('gone_at', 'is', null)
    .execute()
  return new Set(rows.map(({ transaction_id, position }) => outpointOf(transaction_id, position)))
}
