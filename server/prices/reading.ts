import { type TickerSymbol, tickerCoins } from '#shared/coins.ts'
import { formatDecimal, parseDecimal, withCommas } from '#shared/money.ts'

/** What one source said about one coin. */
export type Reading = {
  symbol: TickerSymbol
  source: string
  /** USD for one unit, in 10^-8 USD. */
  usdE8: bigint
  /** From the bundled sample series, not a market. */
  sample: boolean
  /** The time that the source tells, or that of the answer. */
  at: Date
}

/** Something that can be asked for prices. */
export type PriceFeed = {
  readonly source: string
  /** Over the network: it may fail, and is left alone for a while when it does (breaker.ts). */
  readonly remote: boolean
  read(symbols: readonly TickerSymbol[], asking: Asking): Promise<Answer>
}

/** @property trying whether it still has to show that it answers again: one request, and more only where that is answered */
export type Asking = { now: () => Date; trying: boolean }

/** The result of a request to a source: without a reading it is a failure, and has a fault. */
export type Answer = {
  readings: Reading[]
  /** What was wrong, in words that hold nothing the source has sent. */
  faults: string[]
  /** Where the source wants to be left alone: for how long, or 0 where it has not said how long. */
  waitSeconds?: number
}

/** Every coin of the ticker, in its order. */
export const tickerSymbols = Object.keys(tickerCoins) as TickerSymbol[]

/** Digits after the point of a rate. */
export const rateDecimals = 8
/** The highest rate that is believed, in 10^-8 USD for one unit. */
export const highestRateE8 = 10_000_000n * 100_000_000n

/**
 * A feed's rate, exactly: '97,123.4567' is 9712345670000n, with thousands commas only in groups of three (C-30).
 * Digits beyond the eighth are finer than a rate is kept and are cut.
 * @returns undefined when it is no positive decimal number
 */
export function parseRate(text: string): bigint | undefined {
  const kept = /^([\d,]+\.\d{8})\d*$/.exec(text.trim())?.[1] ?? text
  const rate = parseDecimal(kept, rateDecimals)
  return rate !== undefined && rate > 0n ? rate : undefined
}

/** A rate for people and for the wire: every digit that counts, at least two after the point, '97,123.4567'. */
export function formatRate(usdE8: bigint): string {
  return withCommas(formatDecimal(usdE8, rateDecimals).replace(/(\.\d\d\d*?)0+$/, '$1'))
}
