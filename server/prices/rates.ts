import type { Kysely } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { isStablecoin, type Stablecoin, stablecoins, type TickerSymbol, tickerCoins } from '#shared/coins.ts'
import type { PriceState } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { agreeingPriceSources, priceStaleMinutes } from '#shared/limits.ts'
import type { Asset } from '#shared/money.ts'
import { fixedSource } from '#shared/price-sources.ts'
import { agree, freshOf, latestTime } from './agreement.ts'
import { feedsOf, presentReading, readingsOf } from './feeds.ts'
import { type Reading, tickerSymbols } from './reading.ts'

type CoinAsset = Exclude<Asset, 'USD'>

/** The current price of one coin: the median of the sources that agree. */
export type Rate = {
  symbol: TickerSymbol | Stablecoin
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

/** The ticker's coins that have a price, and the firm's fixed rates of USDT and, where it is offered, of USDC. At most one query. */
export async function currentRates(reader: Reader, now: Date): Promise<Rate[]> {
  const { paymentTokens } = reader.config.rails.ethereum
  const fixed = stablecoins.filter(coin => coin === 'USDT' || paymentTokens.includes('usdc-erc20'))
  return [
    ...(await marketRates(reader, tickerSymbols, now)),
    ...fixed.map(coin => fixedRate(reader.config, coin, now)),
  ]
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
 * @throws AppError rate_unavailable if too few sources have agreed within five minutes; never for a stablecoin
 */
export async function quotableRate(reader: Reader, asset: CoinAsset, now: Date): Promise<Rate> {
  const rate = isStablecoin(asset)
    ? fixedRate(reader.config, asset, now)
    : (await marketRates(reader, [asset], now))[0]
  if (rate?.state === 'good') return rate
  throw new AppError(
    'rate_unavailable',
    t('The exchange rate is not available right now. Please try again in a few minutes.'),
    { retryAfterSeconds: 60 },
  )
}

/**
 * The rate at a past moment, as a quote would have had it then; undefined if no quote was possible. For coins with a
 * changing rate.
 */
export async function rateAt(
  { db, config }: Reader,
  symbol: Exclude<CoinAsset, Stablecoin>,
  moment: Date,
): Promise<Rate | undefined> {
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
  asset: CoinAsset,
  now: Date,
): Promise<Pick<Rate, 'usdE8' | 'source' | 'at'> | undefined> {
  if (isStablecoin(asset)) return fixedRate(config, asset, now)
  const row = await db
    .selectFrom('app.price_readings')
    .select(['usd_e8', 'source', 'at'])
    .where('symbol', '=', asset)
    .where('at', '<=', latestTime(now))
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { usdE8: row.usd_e8, source: row.source, at: row.at }
}

const stablecoinNames: Record<Stablecoin, string> = { USDT: 'Tether', USDC: 'USD Coin' }

/** The firm's own rate of a stablecoin (USDT_RATE, USDC_RATE), for reference: it changes neither what is paid nor what is credited. */
export function fixedRate(
  { usdtRateE8, usdcRateE8 }: Pick<Config, 'usdtRateE8' | 'usdcRateE8'>,
  symbol: Stablecoin,
  now: Date,
): Rate {
  return {
    symbol,
    name: stablecoinNames[symbol],
    usdE8: { USDT: usdtRateE8, USDC: usdcRateE8 }[symbol],
    source: fixedSource,
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
