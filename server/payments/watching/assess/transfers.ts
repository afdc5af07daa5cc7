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
      .where(sql<boolean>`set_aside IS DISTINCT FROM 'dust'`)
      .orderBy('seen_at')
      .orderBy('id')
      .forUpdate()
      .execute()
  )
}

/** Whether it counts, and not all of it is credited, by its network or by hand. */
export function isOpen({ credited_by, set_aside, gone_at, units, by_hand_units }: Transfer): boolean {
  return credited_by === null && set_aside === null && gone_at === null && by_hand_units < units
}

/** What of an open one nobody has credited by hand. */
export function openUnits({ units, by_hand_units }: Transfer): bigint {
  return units - by_hand_units
}

export function isCreditedInNoBlock({ block_height, credited_by, by_hand_units }: Transfer): boolean {
  return block_height === null && (credited_by !== null || by_hand_units > 0n)
}
