import type { Deposit, Investment, Withdrawal } from '#shared/contract/entities.ts'

/** A request that its investor may cancel while it is pending. */
export type Request =
  | { kind: 'deposit'; record: Deposit }
  | { kind: 'investment'; record: Investment }
  | { kind: 'withdrawal'; record: Withdrawal }
