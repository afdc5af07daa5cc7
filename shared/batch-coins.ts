import type { RailName } from './coins.ts'

/** Coins that payout batches can pay; others are paid manually. */
export const payoutWallets = ['Bitcoin (BTC)', 'Ethereum (ETH)', 'USDT TRC-20', 'USDT ERC-20'] as const
export type PayoutWallet = (typeof payoutWallets)[number]

/** Rail and coin of a payout. */
export const payoutRails: Record<PayoutWallet, { rail: RailName; asset: 'BTC' | 'ETH' | 'USDT' }> = {
  'Bitcoin (BTC)': { rail: 'bitcoin', asset: 'BTC' },
  'Ethereum (ETH)': { rail: 'ethereum', asset: 'ETH' },
  'USDT TRC-20': { rail: 'usdt', asset: 'USDT' },
  'USDT ERC-20': { rail: 'ethereum', asset: 'USDT' },
}

export function isPayoutWallet(wallet: string): wallet is PayoutWallet {
  return (payoutWallets as readonly string[]).includes(wallet)
}

/** Coins whose deposits can be swept to the payout address. */
export const sweepWallets = ['Ethereum (ETH)', 'USDT ERC-20', 'USDC ERC-20', 'USDT TRC-20'] as const
export type SweepWallet = (typeof sweepWallets)[number]

/** Network and coin of a sweep. */
export const sweepRails: Record<SweepWallet, { rail: 'ethereum' | 'usdt'; asset: 'ETH' | 'USDT' | 'USDC' }> =
  {
    'Ethereum (ETH)': { rail: 'ethereum', asset: 'ETH' },
    'USDT ERC-20': { rail: 'ethereum', asset: 'USDT' },
    'USDC ERC-20': { rail: 'ethereum', asset: 'USDC' },
    'USDT TRC-20': { rail: 'usdt', asset: 'USDT' },
  }

/** Coins of batches: of payouts and of sweeps. */
export const batchWallets = [...payoutWallets, 'USDC ERC-20'] as const
export type BatchWallet = (typeof batchWallets)[number]
