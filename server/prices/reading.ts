import { type TickerSymbol, tickerCoins } from '#shared/coins.ts'
import { formatDecimal, parseDecimal, rateDecimals, withCommas } from '#shared/money.ts'

/** One source's reading of one coin. */
export type Reading = {
  symbol: TickerSymbol
  source: string
  /** USD for one unit, in 10^-8 USD. */
  usdE8: bigint
  /** From the bundled sample series, not a market. */
  sample: boolean
  /** The source's own time, or that of the answer. */
  at: Date
}

/** A source of prices. */
export type PriceFeed = {
  readonly source: string
  /** Over the network: it can fail, and then pauses (breaker.ts). */
  readonly remote: boolean
  read(symbols: readonly TickerSymbol[], asking: Asking): Promise<Answer>
}

/** @property trying true while half open: one request, and the rest only if it succeeds */
export type Asking = { now: () => Date; trying: boolean }

/** The result of polling a source; without a reading it is a failure with an error. */
export type Answer = {
  readings: Reading[]
  /** What was wrong, in words that repeat nothing the source sent. */
  errors: string[]
  /** How long the source wants us to wait; 0 if unspecified. */
  waitSeconds?: number
}

/** Every coin of the ticker, in its order. */
export const tickerSymbols = Object.keys(tickerCoins) as TickerSymbol[]

/** The highest plausible rate, in 10^-8 USD for one unit. */
export const highestRateE8 = 10_000_000n * 100_000_000n

/**
 * A feed's rate, exactly: '97,123.4567' is 9712345670000n, with thousands commas only in groups of three (C-30). Digits
 * beyond the eighth are cut off.
 * @returns undefined for anything but a positive decimal number
 */
export function parseRate(text: string): bigint | undefined {
  const kept = /^([\d,]+\.\d{8})\d*$/.exec(text.trim())?.[1] ?? text
  const rate = parseDecimal(kept, rateDecimals)
  return rate !== undefined && rate > 0n ? rate : undefined
}

/** A rate as text: all significant digits, at least two decimals, '97,123.4567'. */
export function formatRate(usdE8: bigint): string {
  return withCommas(formatDecimal(usdE8, rateDecimals).replace(/(\.\d\d\d*?)0+$/, '$1'))
}
