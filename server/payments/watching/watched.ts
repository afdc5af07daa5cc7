import { type Kysely, sql } from 'kysely'
import { payoutAddresses } from '#server/payments/payouts/assess.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { outpointOf, type Watched } from '#server/rails/chain.ts'
import type { DepositMethod } from '#shared/coins.ts'

/** What a network is looked at for; `receiving` are those of the addresses that were shown to investors. */
export type WatchedHere = Watched & { receiving: ReadonlySet<string> }

/**
 * Every address that was ever shown or took change, whatever account is configured now, and Bitcoin's outpoints there that are not
 * known to be spent in a block; and where payouts go, by which they are known.
 */
export async function watchedOf(db: Kysely<Schema>, method: DepositMethod): Promise<WatchedHere> {
  const addresses = await db
    .selectFrom('app.payment_addresses')
    .select(['branch', sql<string>`app.address_key(address)`.as('key')])
    .where('method', '=', method)
    .execute()
  const payouts = await payoutAddresses(db, method)
  const keys = addresses.map(({ key }) => key)
  const receiving = addresses.filter(({ branch }) => branch === 0).map(({ key }) => key)
  return {
    addresses: new Set([...keys, ...payouts.addresses]),
    receiving: new Set(receiving),
    outpoints: new Set([...(method === 'bitcoin' ? await unspentOutpoints(db) : []), ...payouts.outpoints]),
  }
}

async function unspentOutpoints(db: Kysely<Schema>): Promise<string[]> {
  const rows = await db
    .selectFrom('app.chain_transfers')
    .select(['transaction_id', 'position'])
    .where('method', '=', 'bitcoin')
    .where('spent_height', 'is', null)
    .where('gone_at', 'is', null)
    .execute()
  return rows.map(({ transaction_id, position }) => outpointOf(transaction_id, position))
}
