import { maximumOpenDeposits } from '#shared/limits.ts'

/** Number of each on the home page (product.md 9). */
export const latestInvestments = 3
export const latestWithdrawals = 5
/** Payments that are not credited yet, and those that were within the last hour. */
export const openPayments = { status: 'open', limit: maximumOpenDeposits + 1 }
