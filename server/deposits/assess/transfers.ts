import { type Selectable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Deposit } from '#server/deposits/locks.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { addressKey } from '#shared/addresses.ts'

export type Transfer = Selectable<Schema['app.chain_transfers']>

/** Locks the transfers at a deposit's address, in the order of their arrival. */
export async function lockTransfers(tx: Tx, { method, address }: Deposit): Promise<Transfer[]> {
  return (
    tx
      .selectFrom('app.chain_transfers')
      .selectAll()
      .where('method', '=', method)
      .where('address', '=', addressKey(address))
      // Anyone can send thousands of dust transfers.
      .where(sql<boolean>`ignored_reason IS DISTINCT FROM 'dust'`)
      .orderBy('seen_at')
      .orderBy('id')
      .forUpdate()
      .execute()
  )
}

/** True if some of the transfer is neither credited nor matched with a manual credit. */
export function isOpen({ credited_by, ignored_reason, dropped_at, units, manual_units }: Transfer): boolean {
  return credited_by === null && ignored_reason === null && dropped_at === null && manual_units < units
}

/** The units that no manual credit matches. */
export function openUnits({ units, manual_units }: Transfer): bigint {
  return units - manual_units
}

export function isCreditedWithoutBlock({ block_height, credited_by, manual_units }: Transfer): boolean {
  return block_height === null && (credited_by !== null || manual_units > 0n)
}
