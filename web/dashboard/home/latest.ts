/** How many of each the home page shows (product.md 9). */
export const latestInvestments = 3
export const latestWithdrawals = 5
