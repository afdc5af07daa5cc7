import { createHash } from 'node:crypto'
import type { TickerSymbol } from '#shared/coins.ts'
import { rateDecimals, scaleOf } from '#shared/money.ts'
import { sampleSource } from '#shared/price-sources.ts'
import type { PriceFeed } from './reading.ts'

/** The level around which each coin's series moves, in units of its last shown digit. */
const levels: Record<TickerSymbol, { units: bigint; decimals: number }> = {
  BTC: { units: 9_650_000n, decimals: 2 },
  ETH: { units: 342_500n, decimals: 2 },
  EOS: { units: 7_900n, decimals: 4 },
  XRP: { units: 21_800n, decimals: 4 },
  LTC: { units: 9_850n, decimals: 2 },
  DOGE: { units: 21_040n, decimals: 5 },
  DASH: { units: 4_120n, decimals: 2 },
}

const stepMilliseconds = 6 * 3_600_000
/** Maximum distance of a point from the level, in millionths. */
const swingMillionths = 45_000n

/**
 * A made-up price, always the same for the same moment: a hash gives a point every six hours, with straight lines
 * between them.
 * @returns USD for one unit, in 10^-8 USD
 */
export function samplePrice(symbol: TickerSymbol, at: Date): bigint {
  const step = Math.floor(at.getTime() / stepMilliseconds)
  const into = BigInt(at.getTime() - step * stepMilliseconds)
  const from = pointOf(symbol, step)
  const units = from + ((pointOf(symbol, step + 1) - from) * into) / BigInt(stepMilliseconds)
  return units * scaleOf(rateDecimals - levels[symbol].decimals)
}

function pointOf(symbol: TickerSymbol, step: number): bigint {
  const level = levels[symbol].units
  const noise = BigInt(createHash('sha256').update(`${symbol} ${step}`).digest().readUInt32BE())
  const millionths = ((noise * 2n * swingMillionths) >> 32n) - swingMillionths
  return level + (level * millionths) / 1_000_000n
}

/** The default feed of a demonstration: it needs no network and is never late. */
export const sampleFeed: PriceFeed = {
  source: sampleSource,
  remote: false,
  async read(symbols, { now }) {
    const at = now()
    const readings = symbols.map(symbol => {
      return { symbol, source: sampleSource, usdE8: samplePrice(symbol, at), sample: true, at }
    })
    return { readings, errors: [] }
  },
}
