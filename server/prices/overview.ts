import { tickerCoins } from '#shared/coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { listPriceSources } from '#shared/contract/site.ts'
import { standingsOf } from './agreement.ts'
import { breakerState } from './breaker.ts'
import { feedsOf, readingsOf } from './feeds.ts'
import { currentRates, type Reader } from './rates.ts'
import { formatRate, type PriceFeed, type Reading, tickerSymbols } from './reading.ts'
import { type SourceRow, sourceRows } from './source-states.ts'

type Overview = CallData<typeof listPriceSources>

/** The state of each configured source, and its reading of each coin. */
export async function pricesOverview(reader: Reader, now: Date): Promise<Overview> {
  const feeds = feedsOf(reader.config)
  const names = feeds.map(({ source }) => source)
  const [states, readings, rates] = await Promise.all([
    sourceRows(reader.db, names),
    readingsOf(reader.db, names),
    currentRates(reader, now),
  ])
  return {
    sources: feeds.map(feed => {
      const own = readings.filter(({ source }) => source === feed.source)
      return sourceOf(
        feed,
        states.find(({ source }) => source === feed.source),
        own,
        now,
      )
    }),
    coins: tickerSymbols.map(symbol => {
      const rate = rates.find(candidate => candidate.symbol === symbol)
      const own = readings.filter(reading => reading.symbol === symbol)
      const isKnown = rate !== undefined && rate.state !== 'disputed'
      return {
        symbol,
        name: tickerCoins[symbol],
        usd: isKnown ? formatRate(rate.usdE8) : null,
        state: rate?.state ?? null,
        readings: standingsOf(own, now)
          .map(([reading, standing]) => ({
            source: reading.source,
            usd: formatRate(reading.usdE8),
            ...timeOf(reading.at, now),
            standing,
          }))
          .sort((a, b) => names.indexOf(a.source) - names.indexOf(b.source)),
      }
    }),
    asOf: now.toISOString(),
  }
}

function sourceOf(
  { source, remote }: PriceFeed,
  row: SourceRow | undefined,
  readings: readonly Reading[],
  now: Date,
): Overview['sources'][number] {
  const breaker = { failures: row?.failures ?? 0, restUntil: row?.rest_until ?? null }
  const newest = Math.max(...readings.map(({ at }) => at.getTime()))
  return {
    source,
    sample: !remote,
    breaker: breakerState(breaker, now),
    failures: breaker.failures,
    restUntil: breaker.restUntil?.toISOString() ?? null,
    askedAt: row?.asked_at.toISOString() ?? null,
    answeredAt: row?.answered_at?.toISOString() ?? null,
    reading: readings.length === 0 ? null : timeOf(new Date(newest), now),
    fault: row?.fault && row.fault_at ? { words: row.fault, at: row.fault_at.toISOString() } : null,
  }
}

function timeOf(at: Date, now: Date): { at: string; ageSeconds: number } {
  return { at: at.toISOString(), ageSeconds: Math.max(0, Math.floor((now.getTime() - at.getTime()) / 1000)) }
}
