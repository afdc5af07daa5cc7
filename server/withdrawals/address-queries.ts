import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import type { PayoutAddress } from '#shared/contract/addresses.ts'

export type AddressRow = Selectable<Schema['app.payout_addresses']>

/** A user's address book, the newest first. */
export const addressList = (userId: string) =>
  defineList({
    from: (db: Kysely<Schema>) =>
      db.selectFrom('app.payout_addresses').where('user_id', '=', userId).where('removed_at', 'is', null),
    columns: query => query.selectAll(),
    present: (rows: AddressRow[]) => rows.map(presentAddress),
    id: 'id',
    search: { texts: ['label', 'wallet', 'address'], ids: ['id'] },
  })

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
