import type { StatementAccount, StatementKind } from './contract/entities.ts'

/** The accounts of an investor's books, in words (D3). */
export const accountNames: Record<StatementAccount, string> = {
  available: 'Available',
  invested: 'In plans',
  held: 'On hold',
}

/** What moves money on them, in words. */
export const kindNames: Record<StatementKind, string> = {
  deposit: 'Deposits',
  investment: 'Investments',
  earning: 'Earnings',
  withdrawal: 'Withdrawals',
}
