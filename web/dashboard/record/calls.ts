import { getDeposit } from '#shared/contract/deposits.ts'
import { getEarning } from '#shared/contract/earnings.ts'
import { getInvestment } from '#shared/contract/investments.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'

/** The call that reads one of the user's records, by kind. */
export const recordCalls = {
  deposit: getDeposit,
  investment: getInvestment,
  withdrawal: getWithdrawal,
  earning: getEarning,
}
