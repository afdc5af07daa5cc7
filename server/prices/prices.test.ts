import pino from 'pino'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Config } from '#server/config.ts'
import { AppError } from '#shared/errors.ts'
import { sampleSource } from '#shared/price-sources.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { storeReadings } from './feeds.ts'
import { currentRates, lastKnownRate, quotableRate, rateAt } from './rates.ts'
import { formatRate, type PriceFeed, parseRate } from './reading.ts'
import { sampleFeed, samplePrice } from './sample.ts'

const now = new Date('2026-11-21T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
const log = pino({ level: 'silent' })
const threeMarkets = {
  mode: 'live',
  priceSources: ['coinbase', 'kraken', 'bitstamp'],
  priceSourceUrls: {},
  usdtRateE8: 99_000_000n,
  usdcRateE8: 100_000_000n,
  rails: { ethereum: { paymentTokens: [] } },
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
    await database.owner.query('TRUNCATE app.price_readings, app.price_history')
  })

  const says = (source: string, usd: string, at: Date = now): PriceFeed => ({
    source,
    remote: false,
    read: async () => ({
      readings: [{ symbol: 'BTC', source, usdE8: parseRate(usd)!, sample: false, at }],
      errors: [],
    }),
  })
  const store = (...feeds: PriceFeed[]) =>
    storeReadings({ db: database.db, log, clock: { now: () => now } }, feeds)
  const five = {
    ...threeMarkets,
    priceSources: [...threeMarkets.priceSources, 'bitfinex', 'gemini'],
  } as Config
  const bitcoin = async (config = threeMarkets) =>
    (await currentRates({ db: database.db, config }, now)).find(rate => rate.symbol === 'BTC')
  const quote = (config = threeMarkets) => quotableRate({ db: database.db, config }, 'BTC', now)
  const refusal = {
    code: 'rate_unavailable',
    status: 503,
    message: 'The exchange rate is not available right now. Please try again in a few minutes.',
  }

  test('[C-30] the median of several sources is the rate', async () => {
    await store(
      says('coinbase', '97,000'),
      says('kraken', '97,999', minutesAgo(1)),
      says('bitstamp', '97,100', minutesAgo(2)),
    )
    expect(await bitcoin()).toMatchObject({
      usdE8: parseRate('97,100'),
      sources: 3,
      source: 'bitstamp, coinbase, kraken',
      rejected: [],
      at: minutesAgo(2),
      state: 'good',
    })
    await database.owner.query("DELETE FROM app.price_readings WHERE source = 'bitstamp'")
    expect(await bitcoin()).toMatchObject({ usdE8: parseRate('97,499.50'), sources: 2, state: 'good' })
  })

  test('[C-30] a reading older than five minutes does not count beside fresh ones', async () => {
    await store(
      says('coinbase', '50,000', minutesAgo(5.1)),
      says('kraken', '97,000', minutesAgo(5)),
      says('bitstamp', '97,100'),
    )
    expect(await bitcoin()).toMatchObject({ usdE8: parseRate('97,050'), sources: 2, state: 'good' })
  })

  test('[C-30] without a fresh reading only stablecoins are quoted', async () => {
    await store(says('coinbase', '97,000', minutesAgo(5.1)), says('kraken', '97,000', minutesAgo(6)))
    expect(await bitcoin()).toMatchObject({ usdE8: parseRate('97,000'), state: 'stale' })
    const reader = { db: database.db, config: threeMarkets }
    for (const asset of ['BTC', 'ETH'] as const) {
      const refused = await quotableRate(reader, asset, now).catch(error => error)
      expect(refused).toBeInstanceOf(AppError)
      expect(refused).toMatchObject(refusal)
    }
    expect(await quotableRate(reader, 'USDT', now)).toMatchObject({ usdE8: 99_000_000n })
    expect(await quotableRate(reader, 'USDC', now)).toMatchObject({ usdE8: 100_000_000n })
  })

  test('[C-30] the fixed rate of USDC is listed only where deposits in it are offered', async () => {
    const listed = async (paymentTokens: Config['rails']['ethereum']['paymentTokens']) => {
      const { ethereum } = threeMarkets.rails
      const rails = { ...threeMarkets.rails, ethereum: { ...ethereum, paymentTokens } }
      const rates = await currentRates({ db: database.db, config: { ...threeMarkets, rails } }, now)
      return rates.filter(({ source }) => source === 'Fixed by the firm').map(({ symbol }) => symbol)
    }
    expect(await listed(['usdt-erc20'])).toEqual(['USDT'])
    expect(await listed(['usdc-erc20'])).toEqual(['USDT', 'USDC'])
  })

  test.each([
    ['ten times as much', ['97,000', '97,100', '971,000'], '97,050', ['bitstamp']],
    ['a tenth', ['9,700', '97,100', '97,000'], '97,050', ['coinbase']],
    ['a little more than it may', ['97,000', '97,000', '98,940.01'], '97,000', ['bitstamp']],
    ['two of five', ['97,000', '97,100', '97,200', '50,000', '150,000'], '97,100', ['bitfinex', 'gemini']],
    [
      'two of five, together',
      ['97,000', '97,100', '97,200', '50,000', '50,000'],
      '97,100',
      ['bitfinex', 'gemini'],
    ],
  ])('[C-30] a reading far from the others is rejected: %s', async (_what, prices, rate, rejected) => {
    await store(...prices.map((usd, n) => says(five.priceSources[n]!, usd)))
    expect(await quote(five)).toMatchObject({ usdE8: parseRate(rate), rejected, state: 'good' })
  })

  test('[C-30] as far as it may is near enough', async () => {
    await store(says('coinbase', '97,000'), says('kraken', '97,000'), says('bitstamp', '98,940'))
    expect(await quote()).toMatchObject({ sources: 3, rejected: [] })
  })

  test.each([
    ['two of two', ['97,000', '90,000']],
    ['three ways', ['97,000', '90,000', '80,000']],
    ['two against two', ['97,000', '97,100', '50,000', '50,100']],
    ['two in the middle of four', ['97,000', '97,100', '90,000', '105,000']],
    ['two against three that disagree', ['97,000', '97,100', '50,000', '60,000', '70,000']],
  ])('[C-30, D-14] no quote while sources disagree: %s', async (_how, prices) => {
    await store(...prices.map((usd, n) => says(five.priceSources[n]!, usd)))
    expect(await bitcoin(five)).toMatchObject({ state: 'disputed', rejected: [] })
    await expect(quote(five)).rejects.toMatchObject(refusal)
    expect(await rateAt({ db: database.db, config: five }, 'BTC', now)).toBeUndefined()
  })

  test('[C-30] one of several sources makes no quote; a single configured source does', async () => {
    await store(says('kraken', '97,000'))
    expect(await bitcoin()).toMatchObject({ state: 'alone', sources: 1 })
    await expect(quote()).rejects.toMatchObject(refusal)
    expect(await quote({ ...threeMarkets, priceSources: ['kraken'] })).toMatchObject({ state: 'good' })
  })

  test('[C-30, D-18] the rate of a past moment is what a quote of it had, outliers rejected', async () => {
    await store(says('coinbase', '96,000', minutesAgo(30)), says('kraken', '96,100', minutesAgo(29)))
    await store(says('bitstamp', '960,000', minutesAgo(29)))
    await store(says('coinbase', '97,000'), says('kraken', '97,000'))
    const reader = { db: database.db, config: threeMarkets }
    expect(await rateAt(reader, 'BTC', minutesAgo(28))).toMatchObject({
      usdE8: parseRate('96,050'),
      source: 'coinbase, kraken',
      rejected: ['bitstamp'],
    })
    expect(await rateAt(reader, 'BTC', minutesAgo(20))).toBeUndefined()
  })

  test('[C-30] sample readings are no price where markets are configured', async () => {
    await store(sampleFeed)
    expect(await bitcoin(threeMarkets)).toBeUndefined()
    expect(await bitcoin(demo)).toMatchObject({ source: sampleSource, sample: true, state: 'good' })
  })

  test('[C-30] a reading of the future is no price, and the next one replaces it', async () => {
    const tomorrow = minutesAgo(-24 * 60)
    await store(says('coinbase', '50,000', tomorrow), says('kraken', '50,000', tomorrow))
    await expect(quote()).rejects.toMatchObject(refusal)
    expect(await lastKnownRate({ db: database.db, config: threeMarkets }, 'BTC', now)).toBeUndefined()
    await store(says('coinbase', '97,000'), says('kraken', '97,000'))
    expect(await quote()).toMatchObject({ usdE8: parseRate('97,000') })
  })

  test('[C-30] an answer that comes late does not replace a later one', async () => {
    await store(says('coinbase', '97,000'))
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
