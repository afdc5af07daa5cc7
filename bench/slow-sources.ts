import type { PriceSource } from '#server/config/price-sources.ts'
import type { Behaviour } from '#test/support/price-sources.ts'

/** How the sources behave that the price feed asks while it is measured: a bad day. */
export const slowSources = {
  coinbase: 'well',
  kraken: { afterMilliseconds: 2_000 },
  bitstamp: 'never',
  bitfinex: { afterMilliseconds: 3_000 },
  gemini: 'huge',
  coingecko: { afterMilliseconds: 1_000 },
} as const satisfies Partial<Record<PriceSource, Behaviour>>

export const priceSources = Object.keys(slowSources) as (keyof typeof slowSources)[]
