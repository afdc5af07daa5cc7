import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { TickerSymbol } from '#shared/coins.ts'
import { marketFeed } from './markets.ts'
import { type PriceFeed, type Reading, tickerSymbols } from './reading.ts'
import { sampleFeed } from './sample.ts'

/** The feeds of this configuration: the markets it names or, in a demonstration that names none, the sample series. */
export function feedsOf(config: Pick<Config, 'mode' | 'priceSources'>): PriceFeed[] {
  if (config.priceSources.length > 0) return config.priceSources.map(source => marketFeed(source))
  return config.mode === 'demo' ? [sampleFeed] : []
}

/**
 * Asks every feed and keeps its latest reading of each coin. A feed that fails leaves its earlier readings, which go
 * stale by themselves.
 * @returns how many readings were stored
 */
export async function storeReadings(
  { db, log }: { db: Kysely<Schema>; log: Logger },
  feeds: readonly PriceFeed[],
  now: Date,
): Promise<number> {
  const answers = await Promise.allSettled(feeds.map(feed => feed.read(tickerSymbols, now)))
  const rows = answers.flatMap((answer, index) => {
    if (answer.status === 'fulfilled') return answer.value
    log.warn({ err: answer.reason, source: feeds[index]?.source }, 'price source did not answer')
    return []
  })
  if (rows.length === 0) return 0
  await remember(db, rows)
  await db
    .insertInto('app.price_readings')
    .values(rows.map(({ usdE8, ...row }) => ({ ...row, usd_e8: usdE8 })))
    .onConflict(conflict =>
      conflict
        .columns(['symbol', 'source'])
        .doUpdateSet(({ ref }) => ({
          usd_e8: ref('excluded.usd_e8'),
          sample: ref('excluded.sample'),
          at: ref('excluded.at'),
        }))
        // Two workers may ask at once; the later answer stays.
        .whereRef('app.price_readings.at', '<=', 'excluded.at'),
    )
    .execute()
  return rows.length
}

/** The coins whose payments follow a rate: what arrives late is credited at the rate of its arrival (D5). */
const remembered: readonly TickerSymbol[] = ['BTC', 'ETH']

async function remember(db: Kysely<Schema>, readings: readonly Reading[]): Promise<void> {
  const rows = readings
    .filter(({ symbol }) => remembered.includes(symbol))
    .map(({ usdE8, ...row }) => ({ ...row, usd_e8: usdE8 }))
  if (rows.length === 0) return
  await db
    .insertInto('app.price_history')
    .values(rows)
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
