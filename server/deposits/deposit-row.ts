import type { Selectable } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

/** A deposit with what its presenter needs of its owner, its investment and its network. */
export type DepositRow = Selectable<Schema['app.deposits']> & {
  user_name: string | null
  investment_invoice: string | null
  investment_status: Selectable<Schema['app.investments']>['status'] | null
  frozen_at: Date | null
  /** Of its network, as far as that is looked at: the highest block that was read, and how many confirmations a payment needs. */
  synced_height: number | null
  confirmations: number | null
  /** Whether what came there is not credited as it should be, and somebody of the firm has to see to it; null: as synced_height. */
  is_held_up: boolean | null
}
