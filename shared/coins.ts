import type { Asset } from '#shared/money.ts'

/** Coins for withdrawals (K-03, D7), in the form's order. */
export const withdrawalWallets = [
  'Bitcoin (BTC)',
  'Bitcoin Cash (BCH)',
  'Ethereum Classic (ETC)',
  'Ethereum (ETH)',
  'Litecoin (LTC)',
  'USDT TRC-20',
  'USDT ERC-20',
  'Ripple Coin (XRP)',
  'Dogecoin (DOGE)',
] as const
export type WithdrawalWallet = (typeof withdrawalWallets)[number]

/** Configuration names of those coins (WITHDRAWAL_COINS). */
export const withdrawalCoins = {
  BTC: 'Bitcoin (BTC)',
  BCH: 'Bitcoin Cash (BCH)',
  ETC: 'Ethereum Classic (ETC)',
  ETH: 'Ethereum (ETH)',
  LTC: 'Litecoin (LTC)',
  'USDT-TRC20': 'USDT TRC-20',
  'USDT-ERC20': 'USDT ERC-20',
  XRP: 'Ripple Coin (XRP)',
  DOGE: 'Dogecoin (DOGE)',
} as const satisfies Record<string, WithdrawalWallet>
export const withdrawalCoinNames = Object.keys(withdrawalCoins) as (keyof typeof withdrawalCoins)[]

/** Payment methods of deposits (K-02), as on the wire and in queries. */
export const depositMethods = ['bitcoin', 'usdt', 'ethereum'] as const
export type DepositMethod = (typeof depositMethods)[number]

/** Payment methods of investments: the specification's two, and the available balance (D6). */
export const investmentMethods = ['bitcoin', 'usdt', 'balance'] as const
export type InvestmentMethod = (typeof investmentMethods)[number]

/** Payment methods of investments where these deposit methods are configured. */
export function investmentMethodsOf(offered: readonly DepositMethod[]): InvestmentMethod[] {
  return investmentMethods.filter(method => method === 'balance' || offered.includes(method))
}

/** Coins that payout batches can pay; others are paid manually. */
export const payoutWallets = ['Bitcoin (BTC)', 'Ethereum (ETH)', 'USDT TRC-20', 'USDT ERC-20'] as const
export type PayoutWallet = (typeof payoutWallets)[number]

/** Rail and coin of a payout. */
export const payoutRails: Record<PayoutWallet, { method: DepositMethod; asset: Exclude<Asset, 'USD'> }> = {
  'Bitcoin (BTC)': { method: 'bitcoin', asset: 'BTC' },
  'Ethereum (ETH)': { method: 'ethereum', asset: 'ETH' },
  'USDT TRC-20': { method: 'usdt', asset: 'USDT' },
  'USDT ERC-20': { method: 'ethereum', asset: 'USDT' },
}

export function isPayoutWallet(wallet: string): wallet is PayoutWallet {
  return (payoutWallets as readonly string[]).includes(wallet)
}

/** Label, asset and network of a payment method. */
export const paymentMethods: Record<DepositMethod, { label: string; asset: Asset; network: string }> = {
  bitcoin: { label: 'Bitcoin', asset: 'BTC', network: 'Bitcoin' },
  usdt: { label: 'USDT TRC-20', asset: 'USDT', network: 'TRON (TRC-20)' },
  ethereum: { label: 'Ethereum', asset: 'ETH', network: 'Ethereum' },
}

/** The seven coins of the dashboard's ticker (D-02), by symbol. */
export const tickerCoins = {
  BTC: 'Bitcoin',
  ETH: 'Ethereum',
  EOS: 'EOS',
  XRP: 'Ripple',
  LTC: 'Litecoin',
  DOGE: 'Dogecoin',
  DASH: 'Dash',
} as const
export type TickerSymbol = keyof typeof tickerCoins
