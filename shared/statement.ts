import { msg } from '#shared/i18n/t.ts'
import type { StatementAccount, StatementKind } from './contract/entities.ts'

/** Names of an investor's accounts (D3). */
export const accountNames: Record<StatementAccount, string> = {
  available: msg('Available'),
  invested: msg('In plans'),
  held: msg('On hold'),
}

/** Names of posting kinds. */
export const kindNames: Record<StatementKind, string> = {
  deposit: msg('Deposits'),
  investment: msg('Investments'),
  earning: msg('Earnings'),
  withdrawal: msg('Withdrawals'),
}
