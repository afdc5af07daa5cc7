/** Number of each on the home page (product.md 9). */
export const latestInvestments = 3
export const latestWithdrawals = 5
