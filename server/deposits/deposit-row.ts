import type { Deposit, Investment } from './locks.ts'

/** A deposit with the columns of its investor, investment and network that its presentation needs. */
export type DepositRow = Deposit & {
  user_name: string | null
  investment_invoice: string | null
  investment_status: Investment['status'] | null
  investment_cancelled: boolean
  frozen_at: Date | null
  closed_at: Date | null
  /** The network's last synced block and needed confirmations; null if it is not watched. */
  synced_height: number | null
  confirmations: number | null
  /** True if the address is its own and its network is synced. */
  is_watched: boolean
  /** True if crediting on this network fails and staff must act; null like `synced_height`. */
  is_held_up: boolean | null
}
