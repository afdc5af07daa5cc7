import pino from 'pino'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PriceSource } from '#server/config/price-sources.ts'
import { priceSourceRestSeconds } from '#shared/limits.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { openPriceSources, type PriceSources } from '#test/support/price-sources.ts'
import { storeReadings } from './feeds.ts'
import { tickerSymbols } from './reading.ts'
import { claim, conclude } from './source-states.ts'
import { marketFeed } from './sources.ts'

let now = new Date('2026-11-21T12:00:00Z')
const clock = { now: () => now }
const pass = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000)
}
let database: TestDatabase
let sources: PriceSources
beforeAll(async () => {
  database = await testDatabase()
  sources = await openPriceSources(clock.now)
  atEnd(sources.close)
})
let lines: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
beforeEach(async () => {
  await database.owner.query('TRUNCATE app.price_readings, app.price_history, app.price_sources')
  lines = []
})
afterEach(() => sources.forget())

/** A worker's poll of one minute, each as if it had just started. */
const minute = (
  names: readonly PriceSource[],
  { random = () => 0, milliseconds = 60_000 }: { random?: () => number; milliseconds?: number } = {},
) =>
  storeReadings(
    { db: database.db, log, clock },
    names.map(name => marketFeed(name, sources.urls[name], milliseconds)),
    random,
  )
const stateOf = async (source: PriceSource) =>
  (await database.db.selectFrom('app.price_sources').selectAll().where('source', '=', source).execute())[0]
const readFrom = async () => {
  const rows = await database.db
    .selectFrom('app.price_readings')
    .select('source')
    .distinct()
    .orderBy('source')
    .execute()
  return rows.map(({ source }) => source)
}
const said = (words: string) => lines.filter(({ msg }) => msg === words)

describe('every minute', () => {
  test('[C-30] stores each reading with source and time, payment prices also for later', async () => {
    expect(await minute(['kraken', 'coingecko'])).toBe(2 * tickerSymbols.length)
    const readings = await database.db.selectFrom('app.price_readings').selectAll().execute()
    expect(readings).toHaveLength(2 * tickerSymbols.length)
    expect(readings.every(({ at, sample }) => at.getTime() === now.getTime() && !sample)).toBe(true)
    const past = await database.db.selectFrom('app.price_history').select(['symbol', 'source']).execute()
    expect(past.map(row => Object.values(row).join(' ')).sort()).toEqual([
      'BTC coingecko',
      'BTC kraken',
      'ETH coingecko',
      'ETH kraken',
    ])
  })

  test('[C-30] a source that does not answer holds up no other', async () => {
    sources.behave('kraken', 'never')
    sources.behave('gemini', { status: 500 })
    const { urls, close } = await openPriceSources(clock.now)
    const silent = marketFeed('kraken', sources.urls.kraken, 60_000)
    const others = (['gemini', 'bitstamp', 'coinbase'] as const).map(name => {
      return marketFeed(name, name === 'gemini' ? sources.urls[name] : urls[name], 60_000)
    })
    const running = storeReadings({ db: database.db, log, clock }, [silent, ...others])
    await expect.poll(readFrom).toEqual(['bitstamp', 'coinbase'])
    await expect.poll(async () => (await stateOf('gemini'))?.failures).toBe(1)
    expect((await stateOf('kraken'))?.answered_at).toBeNull()
    sources.hangUp()
    expect(await running).toBe(2 * tickerSymbols.length)
    expect(await stateOf('kraken')).toMatchObject({
      failures: 1,
      fault: 'could not be reached (UND_ERR_SOCKET)',
    })
    await close()
  })

  test('[C-30] workers that look at the same time ask a source once', async () => {
    const stored = await Promise.all([minute(['gemini']), minute(['gemini']), minute(['gemini'])])
    expect(stored.toSorted()).toEqual([0, 0, tickerSymbols.length])
    expect(sources.askedOf('gemini')).toHaveLength(1)
  })

  test('[C-30] a worker that starts again and again asks no more often for it', async () => {
    for (let start = 0; start < 5; start += 1) await minute(['gemini'])
    expect(sources.askedOf('gemini')).toHaveLength(1)
    pass(priceSourceRestSeconds)
    await minute(['gemini'])
    expect(sources.askedOf('gemini')).toHaveLength(2)
  })

  test('[C-30] a clock that was set back stops nothing', async () => {
    await minute(['gemini'])
    pass(-7_200)
    await minute(['gemini'])
    expect(sources.askedOf('gemini')).toHaveLength(2)
    pass(7_200)
  })
})

describe('a source that fails', () => {
  /** Fails this often in a row, a minute apart. */
  async function fail(times: number, random?: () => number): Promise<void> {
    sources.behave('coinbase', { status: 500 })
    for (let n = 0; n < times; n += 1) {
      pass(60)
      await minute(['coinbase'], { random })
    }
  }

  test('[C-30] waits longer after each three failures, and asks normally after an answer', async () => {
    await fail(3)
    expect(await stateOf('coinbase')).toMatchObject({ failures: 3, answered_at: null, fault: 'answered 500' })
    expect(sources.askedOf('coinbase')).toHaveLength(3 * tickerSymbols.length)
    // Half a minute later: one request, then a minute's pause.
    pass(30)
    await minute(['coinbase'])
    expect(sources.askedOf('coinbase')).toHaveLength(3 * tickerSymbols.length + 1)
    pass(59)
    await minute(['coinbase'])
    expect(sources.askedOf('coinbase')).toHaveLength(3 * tickerSymbols.length + 1)
    expect(said('price source failed')).toHaveLength(4)

    sources.behave('coinbase', 'well')
    pass(1)
    expect(await minute(['coinbase'])).toBe(tickerSymbols.length)
    expect(said('price source answers again')).toHaveLength(1)
    // The last error stays visible, with its time.
    const after = await stateOf('coinbase')
    expect(after).toMatchObject({ failures: 0, rest_until: null, answered_at: now, fault: 'answered 500' })
    expect(after!.fault_at!.getTime()).toBeLessThan(now.getTime())
  })

  test('[C-30] is left alone longer by chance', async () => {
    await fail(3, () => 0.5)
    expect((await stateOf('coinbase'))?.rest_until).toEqual(new Date(now.getTime() + 45_000))
  })

  test('[C-30] one of several workers probes a failing source; other answers do not count', async () => {
    await fail(3)
    pass(30)
    await Promise.all([minute(['coinbase']), minute(['coinbase']), minute(['coinbase'])])
    expect(sources.askedOf('coinbase')).toHaveLength(3 * tickerSymbols.length + 1)
    expect((await stateOf('coinbase'))?.failures).toBe(4)
  })

  test('[C-30] is tried by another worker where the one that tried it was killed', async () => {
    await fail(3)
    pass(30)
    expect(await claim(database.db, 'coinbase', now)).toMatchObject({ before: { failures: 3 } })
    expect(await claim(database.db, 'coinbase', now)).toBeUndefined()
    pass(priceSourceRestSeconds)
    expect(await claim(database.db, 'coinbase', now)).toBeDefined()
  })

  test('[C-30] that says how long to wait is not asked before, and keeps what it has said', async () => {
    await minute(['gemini'])
    sources.behave('gemini', { status: 429, retryAfter: '150' })
    pass(60)
    await minute(['gemini'])
    for (let n = 0; n < 2; n += 1) {
      pass(60)
      await minute(['gemini'])
    }
    expect(sources.askedOf('gemini')).toHaveLength(2)
    expect(await readFrom()).toEqual(['gemini'])
    pass(30)
    await minute(['gemini'])
    expect(sources.askedOf('gemini')).toHaveLength(3)
  })

  test('[C-30] as a worker saw it that comes late is not what others have seen since', async () => {
    const late = await claim(database.db, 'gemini', now)
    pass(priceSourceRestSeconds)
    await minute(['gemini'])
    const error = { words: 'late', at: now }
    await conclude(database.db, late!, { breaker: { failures: 1, restUntil: null }, answeredAt: null, error })
    expect(await stateOf('gemini')).toMatchObject({ failures: 0, fault: null })
  })
})

describe('a reading far from the others', () => {
  const three = ['kraken', 'gemini', 'bitstamp'] as const

  test('[C-30] is logged once, and once more when it ends', async () => {
    sources.say('gemini', { BTC: '9712.34', ETH: '3421.5' })
    const told = 'price rejected: too far from the other sources'
    for (let n = 0; n < 3; n += 1) {
      await minute(three)
      pass(60)
    }
    expect(said(told)).toMatchObject([{ source: 'gemini', symbols: ['BTC'] }])
    expect((await stateOf('gemini'))?.rejected).toEqual(['BTC'])
    sources.say('gemini', sources.usual)
    await minute(three)
    expect(said('price is no longer rejected')).toMatchObject([{ source: 'gemini', symbols: ['BTC'] }])
  })

  test('[C-30] that leaves no majority is logged every minute', async () => {
    sources.say('gemini', { BTC: '90000' })
    sources.say('kraken', { BTC: '97000' })
    await minute(['gemini', 'kraken'])
    expect(said('price sources disagree')).toMatchObject([{ symbol: 'BTC' }])
    expect((await stateOf('gemini'))?.rejected).toEqual([])
  })
})
