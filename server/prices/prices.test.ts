import pino from 'pino'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Config } from '#server/config.ts'
import { AppError } from '#shared/errors.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { storeReadings } from './feeds.ts'
import { marketFeed } from './markets.ts'
import { currentRates, quotableRate } from './rates.ts'
import { formatRate, type PriceFeed, parseRate } from './reading.ts'
import { sampleFeed, samplePrice, sampleSource } from './sample.ts'

const now = new Date('2026-11-21T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
const log = pino({ level: 'silent' })
const threeMarkets = {
  mode: 'live',
  priceSources: ['coinbase', 'kraken', 'bitstamp'],
  usdtRateE8: 99_000_000n,
} as unknown as Config
const demo = { ...threeMarkets, mode: 'demo', priceSources: [] } as Config

describe('a rate as text', () => {
  test('[C-30] thousands commas are read exactly', () => {
    expect(parseRate('97,123.4567')).toBe(9_712_345_670_000n)
    expect(parseRate('1,234,567.00000001')).toBe(123_456_700_000_001n)
    expect(parseRate('64000')).toBe(6_400_000_000_000n)
    expect(parseRate('0.123456789123')).toBe(12_345_678n)
  })

  test.each([
    '',
    '0',
    '-5',
    '1e5',
    '9,71,23.4',
    '97,1234',
    '1.2.3',
    '1.123456789.1',
    'NaN',
    '$5',
    '1,',
    '.5',
  ])("[C-30] '%s' is no rate", text => {
    expect(parseRate(text)).toBeUndefined()
  })

  test('[D-18, C-30] it is shown with commas and every digit that counts', () => {
    expect(formatRate(9_712_345_670_000n)).toBe('97,123.4567')
    expect(formatRate(99_000_000n)).toBe('0.99')
    expect(formatRate(6_400_000_000_000n)).toBe('64,000.00')
  })
})

describe('rates from readings', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await testDatabase()
  })
  beforeEach(async () => {
    await database.owner.query('TRUNCATE app.price_readings')
  })

  const says = (source: string, usd: string, at: Date): PriceFeed => ({
    source,
    read: async () => [{ symbol: 'BTC', source, usdE8: parseRate(usd)!, sample: false, at }],
  })
  const store = (...feeds: PriceFeed[]) => storeReadings({ db: database.db, log }, feeds, now)
  const bitcoin = async (config = threeMarkets) =>
    (await currentRates({ db: database.db, config }, now)).find(rate => rate.symbol === 'BTC')

  test('[C-30] the median of several sources is the rate', async () => {
    await store(
      says('coinbase', '97,000', now),
      says('kraken', '99,999', minutesAgo(1)),
      says('bitstamp', '97,100', minutesAgo(2)),
    )
    expect(await bitcoin()).toMatchObject({
      usdE8: parseRate('97,100'),
      sources: 3,
      source: 'bitstamp, coinbase, kraken',
      at: minutesAgo(2),
      stale: false,
    })
    await database.owner.query("DELETE FROM app.price_readings WHERE source = 'bitstamp'")
    expect(await bitcoin()).toMatchObject({ usdE8: parseRate('98,499.50'), sources: 2 })
  })

  test('[C-30] a reading older than five minutes does not count beside a fresh one', async () => {
    await store(says('coinbase', '50,000', minutesAgo(5.1)), says('kraken', '97,000', minutesAgo(5)))
    expect(await bitcoin()).toMatchObject({ usdE8: parseRate('97,000'), sources: 1, stale: false })
  })

  test('[C-30] without a fresh reading no bitcoin or ethereum quote is made, and usdt goes on', async () => {
    await store(says('coinbase', '97,000', minutesAgo(5.1)))
    expect(await bitcoin()).toMatchObject({ usdE8: parseRate('97,000'), stale: true })
    const reader = { db: database.db, config: threeMarkets }
    for (const method of ['bitcoin', 'ethereum'] as const) {
      const refusal = await quotableRate(reader, method, now).catch(error => error)
      expect(refusal).toBeInstanceOf(AppError)
      expect(refusal).toMatchObject({
        code: 'rate_unavailable',
        status: 503,
        message: 'The exchange rate is not available right now. Please try again in a few minutes.',
      })
    }
    expect(await quotableRate(reader, 'usdt', now)).toMatchObject({ usdE8: 99_000_000n })
  })

  test('[C-30] sample readings are no price where markets are configured', async () => {
    await store(sampleFeed)
    expect(await bitcoin(threeMarkets)).toBeUndefined()
    expect(await bitcoin(demo)).toMatchObject({ source: sampleSource, sample: true, stale: false })
  })

  test('[C-30] a source that fails leaves the others', async () => {
    const broken: PriceFeed = { source: 'kraken', read: () => Promise.reject(new Error('down')) }
    expect(await store(broken, says('coinbase', '97,000', now))).toBe(1)
    expect(await bitcoin()).toMatchObject({ sources: 1 })
  })

  test('[C-30] an answer that comes late does not replace a later one', async () => {
    await store(says('coinbase', '97,000', now))
    await store(says('coinbase', '96,000', minutesAgo(1)))
    expect(await bitcoin()).toMatchObject({ usdE8: parseRate('97,000') })
  })
})

describe('the sample series', () => {
  test('[C-30, D-02] it is the same for the same moment and moves with time', () => {
    expect(samplePrice('BTC', now)).toBe(samplePrice('BTC', new Date(now)))
    expect(samplePrice('BTC', now)).not.toBe(samplePrice('BTC', minutesAgo(30)))
  })

  test('[C-30] every price stays near its level', () => {
    for (let hour = 0; hour < 24 * 365; hour += 7) {
      const price = samplePrice('ETH', new Date(now.getTime() - hour * 3_600_000))
      expect(price).toBeGreaterThan(parseRate('3,270')!)
      expect(price).toBeLessThan(parseRate('3,580')!)
    }
  })
})

describe('markets', () => {
  const answering = (body: unknown, status = 200) =>
    (async () => new Response(JSON.stringify(body), { status })) as typeof fetch

  test.each([
    ['coinbase', { price: '97123.4567', time: '2026-11-21T12:00:00Z' }],
    ['kraken', { error: [], result: { XXBTZUSD: { c: ['97123.4567', '0.01'] } } }],
    ['bitstamp', { last: '97123.4567', timestamp: '1790000000' }],
  ] as const)("[C-30] %s's last price is read", async (source, body) => {
    const [reading] = await marketFeed(source, answering(body)).read(['BTC'], now)
    expect(reading).toEqual({ symbol: 'BTC', source, usdE8: 9_712_345_670_000n, sample: false, at: now })
  })

  test('[C-30] a coin that a market does not trade is left out', async () => {
    expect(await marketFeed('coinbase', answering({ message: 'NotFound' }, 404)).read(['EOS'], now)).toEqual(
      [],
    )
  })

  test('[C-30] a market that answers nonsense has not answered', async () => {
    const feed = marketFeed('bitstamp', answering({ last: 5 }))
    await expect(feed.read(['BTC'], now)).rejects.toThrow()
  })
})
