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

/**
 * The networks that we read and pay on, as in the database and the configuration; `usdt` is TRON. A payment method or a payout has a rail
 * and an asset on it (docs/decisions/0121-rails-and-methods.md).
 */
export const railNames = ['bitcoin', 'usdt', 'ethereum'] as const
export type RailName = (typeof railNames)[number]

/** Each rail's network, for people. */
export const railLabels: Record<RailName, string> = { bitcoin: 'Bitcoin', usdt: 'TRON', ethereum: 'Ethereum' }

/**
 * Payment methods of deposits, as on the wire and in queries: the specification's three (K-02), and Ethereum's tokens, which an
 * installation may offer beside them (PAYMENT_TOKENS).
 */
export const depositMethods = ['bitcoin', 'usdt', 'ethereum', 'usdt-erc20', 'usdc-erc20'] as const
export type DepositMethod = (typeof depositMethods)[number]

/** Payment methods of investments: the specification's two, and the available balance (D6). */
export const investmentMethods = ['bitcoin', 'usdt', 'balance'] as const
export type InvestmentMethod = (typeof investmentMethods)[number]

/** Payment methods of investments where these deposit methods are configured. */
export function investmentMethodsOf(offered: readonly DepositMethod[]): InvestmentMethod[] {
  return investmentMethods.filter(method => method === 'balance' || offered.includes(method))
}

/** Label, rail, asset and network of a payment method. */
export const paymentMethods: Record<
  DepositMethod,
  { label: string; rail: RailName; asset: Exclude<Asset, 'USD'>; network: string }
> = {
  bitcoin: { label: 'Bitcoin', rail: 'bitcoin', asset: 'BTC', network: 'Bitcoin' },
  usdt: { label: 'USDT TRC-20', rail: 'usdt', asset: 'USDT', network: 'TRON (TRC-20)' },
  ethereum: { label: 'Ethereum', rail: 'ethereum', asset: 'ETH', network: 'Ethereum' },
  'usdt-erc20': { label: 'USDT ERC-20', rail: 'ethereum', asset: 'USDT', network: 'Ethereum' },
  'usdc-erc20': { label: 'USDC ERC-20', rail: 'ethereum', asset: 'USDC', network: 'Ethereum' },
}

/** Coins that stand for a US dollar: we ask for and credit one for each dollar, whatever their rate (D5). */
export const stablecoins = ['USDT', 'USDC'] as const
export type Stablecoin = (typeof stablecoins)[number]

export function isStablecoin(asset: string): asset is Stablecoin {
  return (stablecoins as readonly string[]).includes(asset)
}

/** The payment methods on a rail, that of its own coin first. */
export function methodsOn(rail: RailName): DepositMethod[] {
  return depositMethods.filter(method => paymentMethods[method].rail === rail)
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
