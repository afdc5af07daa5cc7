import type { StatementAccount, StatementKind } from './contract/entities.ts'

/** Names of an investor's accounts (D3). */
export const accountNames: Record<StatementAccount, string> = {
  available: 'Available',
  invested: 'In plans',
  held: 'On hold',
}

/** Names of posting kinds. */
export const kindNames: Record<StatementKind, string> = {
  deposit: 'Deposits',
  investment: 'Investments',
  earning: 'Earnings',
  withdrawal: 'Withdrawals',
}
