import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { addressOf } from '#server/config/price-sources.ts'
import type { Config } from '#server/config.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { TickerSymbol } from '#shared/coins.ts'
import { agree, freshOf, latestTime } from './agreement.ts'
import { afterFailure, atFirst } from './breaker.ts'
import { type Answer, type PriceFeed, type Reading, tickerSymbols } from './reading.ts'
import { sampleFeed } from './sample.ts'
import { type Claim, claim, conclude, keepRejected, type Outcome } from './source-states.ts'
import { marketFeed } from './sources.ts'

export type FeedConfig = Pick<Config, 'mode' | 'priceSources' | 'priceSourceUrls'>

/** The configured feeds: the named sources or, in a demonstration without any, the sample series. */
export function feedsOf({ mode, priceSources, priceSourceUrls }: FeedConfig): PriceFeed[] {
  const markets = priceSources.flatMap(source => {
    const url = addressOf(source, priceSourceUrls)
    return url === null ? [] : [marketFeed(source, url)]
  })
  return markets.length === 0 && mode === 'demo' ? [sampleFeed] : markets
}

type Storing = { db: Kysely<Schema>; log: Pick<Logger, 'info' | 'warn'>; clock: Clock }

/**
 * Polls every feed whose breaker allows it, in parallel, and stores each reading as it arrives. If a feed fails, its
 * earlier readings go stale.
 * @param random from 0 to below 1: the jitter of a failing source's pause
 * @returns how many readings were stored
 */
export async function storeReadings(
  storing: Storing,
  feeds: readonly PriceFeed[],
  random: () => number = Math.random,
): Promise<number> {
  const counts = await Promise.allSettled(feeds.map(feed => storeFrom(storing, feed, random)))
  const failed = counts.find(count => count.status === 'rejected')
  if (failed) throw failed.reason
  const stored = counts.flatMap(count => (count.status === 'fulfilled' ? (count.value ?? []) : []))
  // A feed claimed by another worker is skipped.
  if (stored.length > 0) await tellRejected(storing, feeds)
  return stored.reduce((sum, count) => sum + count, 0)
}

/** @returns how many readings it stored; undefined if it was not polled */
async function storeFrom(
  { db, log, clock }: Storing,
  feed: PriceFeed,
  random: () => number,
): Promise<number | undefined> {
  const now = () => clock.now()
  if (!feed.remote) return keep(db, (await feed.read(tickerSymbols, { now, trying: false })).readings, now())
  const claimed = await claim(db, feed.source, now())
  if (claimed === undefined) return undefined
  const answer = await feed.read(tickerSymbols, { now, trying: claimed.before.restUntil !== null })
  const stored = await keep(db, answer.readings, now())
  const outcome = outcomeOf(claimed, answer, { now: now(), random })
  await conclude(db, claimed, outcome)
  tellOutcome(log, claimed, outcome)
  return stored
}

function outcomeOf(
  { before }: Claim,
  { readings, errors, waitSeconds }: Answer,
  { now, random }: { now: Date; random: () => number },
): Outcome {
  const hasAnswered = readings.length > 0
  return {
    breaker:
      hasAnswered && waitSeconds === undefined ? atFirst : afterFailure(before, { now, random, waitSeconds }),
    answeredAt: hasAnswered ? now : null,
    error: errors.length === 0 ? null : { words: errors.join('; '), at: now },
  }
}

function tellOutcome(
  log: Storing['log'],
  { source, before }: Claim,
  { breaker, answeredAt, error }: Outcome,
): void {
  const { failures, restUntil } = breaker
  const words = error?.words
  if (failures > 0)
    log.warn(
      { source, fault: words, failures, restUntil, inPart: answeredAt !== null },
      'price source failed',
    )
  else if (before.failures > 0) log.info({ source, failures: before.failures }, 'price source answers again')
  else if (error !== null) log.info({ source, fault: words }, 'price source answered in part')
}

/** Logs rejected readings when they change, and a dispute for as long as it lasts. */
async function tellRejected({ db, log, clock }: Storing, feeds: readonly PriceFeed[]): Promise<void> {
  const remote = feeds.filter(feed => feed.remote).map(({ source }) => source)
  if (remote.length === 0) return
  const readings = await readingsOf(db, remote)
  const now = clock.now()
  const rejected = new Map<string, TickerSymbol[]>(remote.map(source => [source, []]))
  for (const symbol of tickerSymbols) {
    const fresh = freshOf(
      readings.filter(reading => reading.symbol === symbol),
      now,
    )
    if (fresh.length === 0) continue
    const agreement = agree(fresh)
    for (const { source } of agreement.rejected) rejected.get(source)?.push(symbol)
    if (agreement.counted.length === 0)
      log.warn({ symbol, sources: fresh.map(({ source }) => source) }, 'price sources disagree')
  }
  for (const [source, symbols] of rejected) {
    const { anew, noMore } = await keepRejected(db, source, symbols)
    if (anew.length > 0) log.warn({ source, symbols: anew }, 'price rejected: too far from the other sources')
    if (noMore.length > 0) log.info({ source, symbols: noMore }, 'price is no longer rejected')
  }
}

/** Each source's latest reading of each of these coins. */
export async function readingsOf(
  db: Kysely<Schema>,
  sources: readonly string[],
  symbols: readonly TickerSymbol[] = tickerSymbols,
): Promise<Reading[]> {
  const rows = await db
    .selectFrom('app.price_readings')
    .select(['symbol', 'source', 'usd_e8', 'sample', 'at'])
    // Ignores readings of sources that are no longer configured, above all the sample series.
    .where('source', '=', ({ eb, val }) => eb.fn.any(val(sources)))
    .where('symbol', '=', ({ eb, val }) => eb.fn.any(val(symbols)))
    .execute()
  return rows.map(presentReading)
}

type Row = Schema['app.price_readings']

export function presentReading({ usd_e8, symbol, ...row }: Row): Reading {
  return { ...row, symbol: symbol as TickerSymbol, usdE8: usd_e8 }
}

/** The coins with a changing rate: late payments are credited at the rate of their arrival (D5). */
const remembered: readonly TickerSymbol[] = ['BTC', 'ETH']

async function keep(db: Kysely<Schema>, readings: readonly Reading[], now: Date): Promise<number> {
  if (readings.length === 0) return 0
  const rows = readings.map(({ usdE8, ...row }) => ({ ...row, usd_e8: usdE8 }))
  const past = rows.filter(({ symbol }) => remembered.includes(symbol))
  if (past.length > 0) {
    await db
      .insertInto('app.price_history')
      .values(past)
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
  await db
    .insertInto('app.price_readings')
    .values(rows)
    .onConflict(conflict =>
      conflict
        .columns(['symbol', 'source'])
        .doUpdateSet(({ ref }) => ({
          usd_e8: ref('excluded.usd_e8'),
          sample: ref('excluded.sample'),
          at: ref('excluded.at'),
        }))
        // If two workers poll concurrently, the later answer stays, unless it is of the future.
        .where(({ eb, or, ref }) =>
          or([
            eb(ref('app.price_readings.at'), '<=', ref('excluded.at')),
            eb(ref('app.price_readings.at'), '>', latestTime(now)),
          ]),
        ),
    )
    .execute()
  return rows.length
}
