import type { Kysely } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { type DepositMethod, type TickerSymbol, tickerCoins } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { priceStaleMinutes } from '#shared/limits.ts'
import { divideHalfEven } from '#shared/money.ts'
import { feedsOf } from './feeds.ts'
import { tickerSymbols } from './reading.ts'

/** The price of one coin right now: the median of what the sources say. */
export type Rate = {
  symbol: TickerSymbol | 'USDT'
  name: string
  /** USD for one unit, in 10^-8 USD. */
  usdE8: bigint
  source: string
  sources: number
  /** Of the oldest reading in the median. */
  at: Date
  /** Older than five minutes: it makes no quote (D5). */
  stale: boolean
  sample: boolean
}

type Reader = { db: Kysely<Schema>; config: Config }
type ReadingRow = Schema['app.price_readings']

/** The ticker's coins that have a price, and the firm's fixed rate of USDT. At most one query. */
export async function currentRates({ db, config }: Reader, now: Date): Promise<Rate[]> {
  const feeds = feedsOf(config)
  const rows = await db
    .selectFrom('app.price_readings')
    .select(['symbol', 'source', 'usd_e8', 'sample', 'at'])
    // What a source that is no longer configured has left, the sample series above all, is no price.
    .where('source', '=', ({ eb, val }) => eb.fn.any(val(feeds.map(feed => feed.source))))
    .execute()
  const rates = tickerSymbols.flatMap(symbol => {
    const readings = rows.filter(row => row.symbol === symbol)
    return readings.length === 0 ? [] : [rateOf(symbol, readings, now)]
  })
  return [...rates, fixedUsdtRate(config, now)]
}

/**
 * The rate that a payment is asked for at.
 * @throws AppError rate_unavailable when the coin has no reading of the last five minutes; usdt never does
 */
export async function quotableRate(reader: Reader, method: DepositMethod, now: Date): Promise<Rate> {
  const symbol = ({ bitcoin: 'BTC', ethereum: 'ETH', usdt: 'USDT' } as const)[method]
  const rate =
    symbol === 'USDT'
      ? fixedUsdtRate(reader.config, now)
      : (await currentRates(reader, now)).find(candidate => candidate.symbol === symbol)
  if (rate && !rate.stale) return rate
  throw new AppError(
    'rate_unavailable',
    'The exchange rate is not available right now. Please try again in a few minutes.',
    { retryAfterSeconds: 60 },
  )
}

/**
 * The rate of a past moment, as a quote of that moment would have had it; undefined where no source is on record that had
 * spoken in the five minutes before. Of the coins whose payments follow a rate.
 */
export async function rateAt(
  { db, config }: Reader,
  method: Exclude<DepositMethod, 'usdt'>,
  moment: Date,
): Promise<Rate | undefined> {
  const symbol = ({ bitcoin: 'BTC', ethereum: 'ETH' } as const)[method]
  const readings = await db
    .selectFrom('app.price_history')
    .select(['symbol', 'source', 'usd_e8', 'sample', 'at'])
    .distinctOn('source')
    .where('symbol', '=', symbol)
    .where('source', '=', ({ eb, val }) => eb.fn.any(val(feedsOf(config).map(feed => feed.source))))
    .where('at', '<=', moment)
    .where('at', '>=', new Date(moment.getTime() - priceStaleMinutes * 60_000))
    .orderBy('source')
    .orderBy('at', 'desc')
    .execute()
  return readings.length === 0 ? undefined : rateOf(symbol, readings, moment)
}

function fixedUsdtRate(config: Config, now: Date): Rate {
  return {
    symbol: 'USDT',
    name: 'Tether',
    usdE8: config.usdtRateE8,
    source: 'Fixed by the firm',
    sources: 1,
    at: now,
    stale: false,
    sample: false,
  }
}

/** Fresh readings alone make the median; only where there is none, the old ones do, and it is stale. */
function rateOf(symbol: TickerSymbol, readings: ReadingRow[], now: Date): Rate {
  const oldest = now.getTime() - priceStaleMinutes * 60_000
  const fresh = readings.filter(reading => reading.at.getTime() >= oldest)
  const used = fresh.length > 0 ? fresh : readings
  return {
    symbol,
    name: tickerCoins[symbol],
    usdE8: medianOf(used.map(reading => reading.usd_e8)),
    source: used
      .map(reading => reading.source)
      .sort()
      .join(', '),
    sources: used.length,
    at: new Date(Math.min(...used.map(reading => reading.at.getTime()))),
    stale: fresh.length === 0,
    sample: used.some(reading => reading.sample),
  }
}

/** The middle one, or half the sum of the two middle ones, rounded half to even. */
function medianOf(values: bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const middle = sorted.length >> 1
  const upper = sorted[middle]!
  return sorted.length % 2 === 1 ? upper : divideHalfEven(sorted[middle - 1]! + upper, 2n)
}
