/** The destination of all withdrawals: a regtest address, as the demonstration accepts. */
export const payout = {
  wallet: 'Bitcoin (BTC)',
  walletAddress: 'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp',
} as const
