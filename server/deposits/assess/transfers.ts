import { type Selectable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Deposit } from '#server/deposits/locks.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { addressKey } from '#shared/addresses.ts'
import { paymentMethods } from '#shared/coins.ts'

export type Transfer = Selectable<Schema['app.chain_transfers']>

/** Locks the transfers at a deposit's address, in the order of their arrival. */
export async function lockTransfers(tx: Tx, { method, address }: Deposit): Promise<Transfer[]> {
  return (
    tx
      .selectFrom('app.chain_transfers')
      .selectAll()
      .where('rail', '=', paymentMethods[method].rail)
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
export function isOpen({ ignored_reason, dropped_at, units, credited_units }: Transfer): boolean {
  return credited_units < units && ignored_reason === null && dropped_at === null
}

/** The units that are neither credited nor matched. */
export function openUnits({ units, credited_units }: Transfer): bigint {
  return units - credited_units
}

export function isCreditedWithoutBlock({ block_height, credited_units }: Transfer): boolean {
  return block_height === null && credited_units > 0n
}

/** How the audit log names it: its transaction, or the block that shows ether sent by a contract. */
export function evidenceOf({ transaction_id, by_contract }: Transfer): string {
  return by_contract ? `block ${transaction_id}` : transaction_id
}

/** True if the second source shows it in the block in which our node shows it. */
export function isAgreed({ agreed_hash, block_hash }: Transfer): boolean {
  return agreed_hash !== null && agreed_hash === block_hash
}
