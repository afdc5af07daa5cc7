import type { PriceState } from '#shared/contract/site.ts'
import { msg, t } from '#shared/i18n/t.ts'

/** Words for a price's state, for `translate`. */
export const priceStateWords: Record<PriceState, string> = {
  good: msg('good'),
  stale: msg('stale'),
  disputed: msg('disputed'),
  alone: msg('single source'),
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
  if (seconds < 120) return t('{seconds} s', { seconds })
  if (seconds < 7_200) return t('{minutes} min', { minutes: Math.floor(seconds / 60) })
  if (seconds < 172_800) return t('{hours} h', { hours: Math.floor(seconds / 3600) })
  return t('{days} d', { days: Math.floor(seconds / 86_400) })
}
