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
  at: Date
}

/** Something that can be asked for prices. It throws when it has no answer; what the others say counts all the same. */
export type PriceFeed = {
  readonly source: string
  read(symbols: readonly TickerSymbol[], at: Date): Promise<Reading[]>
}

/** Every coin of the ticker, in its order. */
export const tickerSymbols = Object.keys(tickerCoins) as TickerSymbol[]

/** Digits after the point of a rate. */
export const rateDecimals = 8

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
