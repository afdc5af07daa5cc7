import type { PriceState } from '#shared/contract/site.ts'

/** What a price is called that makes no quote. */
export const priceStateWords: Record<PriceState, string> = {
  good: 'good',
  stale: 'stale',
  disputed: 'disputed',
  alone: 'one source',
}

/** Sources under the names that they give themselves. */
const names: Record<string, string> = {
  coinbase: 'Coinbase Exchange',
  kraken: 'Kraken',
  bitstamp: 'Bitstamp',
  bitfinex: 'Bitfinex',
  gemini: 'Gemini',
  coingecko: 'CoinGecko',
  coindesk: 'CoinDesk BPI',
}

export function sourceName(source: string): string {
  return names[source] ?? source
}
