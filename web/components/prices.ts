import type { PriceState } from '#shared/contract/site.ts'

/** Words for a price's state. */
export const priceStateWords: Record<PriceState, string> = {
  good: 'good',
  stale: 'stale',
  disputed: 'disputed',
  alone: 'single source',
}

/** Sources' own names. */
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

/** Age in the largest fitting unit: '45 s', '3 min', '2 h', '4 d'. */
export function ageWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}
