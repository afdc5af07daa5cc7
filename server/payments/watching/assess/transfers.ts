import { type Selectable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Deposit } from '#server/payments/locks.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { addressKey } from '#shared/addresses.ts'

export type Transfer = Selectable<Schema['app.chain_transfers']>

/** What was seen at a deposit's address, in the order in which it came, until the transaction ends. */
export async function lockTransfers(tx: Tx, { method, address }: Deposit): Promise<Transfer[]> {
  return (
    tx
      .selectFrom('app.chain_transfers')
      .selectAll()
      .where('method', '=', method)
      .where('address', '=', addressKey(address))
      // Whoever sends thousands of dusts does not have them read here.
      .where(sql<boolean>`ignored_reason IS DISTINCT FROM 'dust'`)
      .orderBy('seen_at')
      .orderBy('id')
      .forUpdate()
      .execute()
  )
}

/** Whether it counts, and not all of it is credited, by its network or by hand. */
export function isOpen({ credited_by, ignored_reason, dropped_at, units, manual_units }: Transfer): boolean {
  return credited_by === null && ignored_reason === null && dropped_at === null && manual_units < units
}

/** What of an open one nobody has credited by hand. */
export function openUnits({ units, manual_units }: Transfer): bigint {
  return units - manual_units
}

export function isCreditedInNoBlock({ block_height, credited_by, manual_units }: Transfer): boolean {
  return block_height === null && (credited_by !== null || manual_units > 0n)
}
