import type { PriceSource } from '#server/config/price-sources.ts'
import type { Behaviour } from '#test/support/price-sources.ts'

/** The price sources during the measurement: a bad day. */
export const slowSources = {
  coinbase: 'well',
  kraken: { afterMilliseconds: 2_000 },
  bitstamp: 'never',
  bitfinex: { afterMilliseconds: 3_000 },
  gemini: 'huge',
  coingecko: { afterMilliseconds: 1_000 },
} as const satisfies Partial<Record<PriceSource, Behaviour>>

export const priceSources = Object.keys(slowSources) as (keyof typeof slowSources)[]
