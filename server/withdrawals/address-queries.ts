import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { countOf, type Listed, listed, matches } from '#server/queries/paging.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import type { PayoutAddress } from '#shared/contract/addresses.ts'
import type { ListQuery } from '#shared/contract/define.ts'

export type AddressRow = Selectable<Schema['app.payout_addresses']>

/** A user's address book, the newest first; searched by name, wallet and address. */
export function listAddresses(
  db: Kysely<Schema>,
  filter: ListQuery & { userId: string },
): Promise<Listed<AddressRow>> {
  const matching = db
    .selectFrom('app.payout_addresses')
    .where('user_id', '=', filter.userId)
    .where('removed_at', 'is', null)
    .where(({ ref }) => matches(filter.q, [ref('label'), ref('wallet'), ref('address')], [ref('id')]))
  return listed(filter, {
    rows: (limit, below) =>
      matching
        .selectAll()
        .$if(below !== undefined, query => query.where('id', '<', below!))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    count: mostMs => countOf(db, matching, mostMs),
  })
}

export function presentAddress(row: AddressRow): PayoutAddress {
  return {
    _id: row.id,
    wallet: row.wallet as WithdrawalWallet,
    address: row.address,
    label: row.label,
    createdAt: row.created_at.toISOString(),
    usableFrom: row.usable_from?.toISOString() ?? null,
    firstUsedAt: row.first_used_at?.toISOString() ?? null,
  }
}
