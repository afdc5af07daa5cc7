import type { Kysely } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { type DepositMethod, type TickerSymbol, tickerCoins } from '#shared/coins.ts'
import type { PriceState } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { agreeingPriceSources, priceStaleMinutes } from '#shared/limits.ts'
import { agree, freshOf } from './agreement.ts'
import { feedsOf, presentReading, readingsOf } from './feeds.ts'
import { type Reading, tickerSymbols } from './reading.ts'

/** The current price of one coin: the median of the sources that agree. */
export type Rate = {
  symbol: TickerSymbol | 'USDT'
  name: string
  /** USD for one unit, in 10^-8 USD. */
  usdE8: bigint
  source: string
  sources: number
  /** Sources whose reading is too far from the others to count. */
  rejected: string[]
  /** Time of the oldest reading in the median. */
  at: Date
  /** Only a good price makes a quote (D5, decision 26). */
  state: PriceState
  sample: boolean
}

export type Reader = { db: Kysely<Schema>; config: Config }

/** The ticker's coins that have a price, and the firm's fixed rate of USDT. At most one query. */
export async function currentRates(reader: Reader, now: Date): Promise<Rate[]> {
  return [...(await marketRates(reader, tickerSymbols, now)), fixedUsdtRate(reader.config, now)]
}

/** The coins among these that have a price, in their order. */
async function marketRates(
  { db, config }: Reader,
  symbols: readonly TickerSymbol[],
  now: Date,
): Promise<Rate[]> {
  const sources = feedsOf(config).map(({ source }) => source)
  const all = await readingsOf(db, sources, symbols)
  return symbols.flatMap(symbol => {
    const readings = all.filter(reading => reading.symbol === symbol)
    return readings.length === 0 ? [] : [rateOf(symbol, readings, { now, configured: sources.length })]
  })
}

/**
 * The rate for a payment.
 * @throws AppError rate_unavailable if too few sources have agreed within five minutes; never for usdt
 */
export async function quotableRate(reader: Reader, method: DepositMethod, now: Date): Promise<Rate> {
  const symbol = ({ bitcoin: 'BTC', ethereum: 'ETH', usdt: null } as const)[method]
  const rate =
    symbol === null ? fixedUsdtRate(reader.config, now) : (await marketRates(reader, [symbol], now))[0]
  if (rate?.state === 'good') return rate
  throw new AppError(
    'rate_unavailable',
    'The exchange rate is not available right now. Please try again in a few minutes.',
    { retryAfterSeconds: 60 },
  )
}

/**
 * The rate at a past moment, as a quote would have had it then; undefined if no quote was possible. For coins with a
 * changing rate.
 */
export async function rateAt(
  { db, config }: Reader,
  method: Exclude<DepositMethod, 'usdt'>,
  moment: Date,
): Promise<Rate | undefined> {
  const symbol = ({ bitcoin: 'BTC', ethereum: 'ETH' } as const)[method]
  const sources = feedsOf(config).map(({ source }) => source)
  const rows = await db
    .selectFrom('app.price_history')
    .select(['symbol', 'source', 'usd_e8', 'sample', 'at'])
    .distinctOn('source')
    .where('symbol', '=', symbol)
    .where('source', '=', ({ eb, val }) => eb.fn.any(val(sources)))
    .where('at', '<=', moment)
    .where('at', '>=', new Date(moment.getTime() - priceStaleMinutes * 60_000))
    .orderBy('source')
    .orderBy('at', 'desc')
    .execute()
  if (rows.length === 0) return undefined
  const rate = rateOf(symbol, rows.map(presentReading), { now: moment, configured: sources.length })
  return rate.state === 'good' ? rate : undefined
}

/**
 * The last known rate of a coin, from any source at any time: for estimates only, never for credits. Undefined if there
 * is none.
 */
export async function lastKnownRate(
  { db, config }: Reader,
  method: DepositMethod,
  now: Date,
): Promise<Pick<Rate, 'usdE8' | 'source' | 'at'> | undefined> {
  if (method === 'usdt') return fixedUsdtRate(config, now)
  const symbol = ({ bitcoin: 'BTC', ethereum: 'ETH' } as const)[method]
  const row = await db
    .selectFrom('app.price_readings')
    .select(['usd_e8', 'source', 'at'])
    .where('symbol', '=', symbol)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { usdE8: row.usd_e8, source: row.source, at: row.at }
}

function fixedUsdtRate(config: Config, now: Date): Rate {
  return {
    symbol: 'USDT',
    name: 'Tether',
    usdE8: config.usdtRateE8,
    source: 'Fixed by the firm',
    sources: 1,
    rejected: [],
    at: now,
    state: 'good',
    sample: false,
  }
}

/** Fresh readings only; without any, old ones make a stale price. */
function rateOf(
  symbol: TickerSymbol,
  readings: readonly Reading[],
  { now, configured }: { now: Date; configured: number },
): Rate {
  const fresh = freshOf(readings, now)
  const said = fresh.length > 0 ? fresh : readings
  const { counted, rejected, usdE8 } = agree(said)
  const used = counted.length > 0 ? counted : said
  return {
    symbol,
    name: tickerCoins[symbol],
    usdE8,
    source: namesOf(used).join(', '),
    sources: used.length,
    rejected: namesOf(rejected),
    at: new Date(Math.min(...used.map(({ at }) => at.getTime()))),
    state: stateOf(fresh.length, counted.length, Math.min(agreeingPriceSources, configured)),
    sample: used.some(({ sample }) => sample),
  }
}

function stateOf(fresh: number, counted: number, needed: number): PriceState {
  if (fresh === 0) return 'stale'
  if (counted === 0) return 'disputed'
  return counted < needed ? 'alone' : 'good'
}

function namesOf(readings: readonly Reading[]): string[] {
  return readings.map(({ source }) => source).sort()
}
