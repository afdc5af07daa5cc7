import type { Asset } from '#shared/money.ts'

/** The coins that a withdrawal can be paid out in (K-03, D7), in the order the form lists them. */
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

/** The names by which the configuration narrows that list (WITHDRAWAL_COINS). */
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

/** How a deposit is paid (K-02). The names are the wire's and the query parameter's. */
export const depositMethods = ['bitcoin', 'usdt', 'ethereum'] as const
export type DepositMethod = (typeof depositMethods)[number]

/** How an investment is paid: the specification's two, and the available balance (D6). */
export const investmentMethods = ['bitcoin', 'usdt', 'balance'] as const
export type InvestmentMethod = (typeof investmentMethods)[number]

/** Of those, what an investment can be paid by where deposits are offered in these. */
export function investmentMethodsOf(offered: readonly DepositMethod[]): InvestmentMethod[] {
  return investmentMethods.filter(method => method === 'balance' || offered.includes(method))
}

/** The coins of withdrawals that the rails pay out (in batches) and recognise; the others are paid by hand. */
export const payoutWallets = ['Bitcoin (BTC)', 'Ethereum (ETH)', 'USDT TRC-20', 'USDT ERC-20'] as const
export type PayoutWallet = (typeof payoutWallets)[number]

/** The rail that pays a wallet's coin, and the coin. */
export const payoutRails: Record<PayoutWallet, { method: DepositMethod; asset: Exclude<Asset, 'USD'> }> = {
  'Bitcoin (BTC)': { method: 'bitcoin', asset: 'BTC' },
  'Ethereum (ETH)': { method: 'ethereum', asset: 'ETH' },
  'USDT TRC-20': { method: 'usdt', asset: 'USDT' },
  'USDT ERC-20': { method: 'ethereum', asset: 'USDT' },
}

export function isPayoutWallet(wallet: string): wallet is PayoutWallet {
  return (payoutWallets as readonly string[]).includes(wallet)
}

/** What the pages call a payment method, and the asset and network behind it. */
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
