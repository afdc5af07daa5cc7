import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PriceSource } from '#server/config/price-sources.ts'
import { jobs } from '#server/jobs/jobs.ts'
import { storeReadings } from '#server/prices/feeds.ts'
import { marketFeed } from '#server/prices/sources.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { listPriceSources, prices } from '#shared/contract/site.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openPriceSources, type PriceSources } from '#test/support/price-sources.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

const named = ['kraken', 'coindesk', 'coingecko', 'gemini'] satisfies PriceSource[]
let sources: PriceSources
let world: World
let investor: Person
beforeAll(async () => {
  const clock: { now: () => Date } = { now: () => new Date() }
  sources = await openPriceSources(() => clock.now())
  atEnd(sources.close)
  world = await openWorld({ priceSources: named, priceSourceUrls: sources.urls })
  clock.now = world.clock.now
  investor = await world.person('Ines Investor')
})
beforeEach(async () => {
  sources.forget()
  world.clock.pass({ minutes: 6 })
  await world.owner('TRUNCATE app.price_readings, app.price_sources')
})

/** The worker's minutely poll, with a longer timeout for busy machines. */
const storePrices = () =>
  storeReadings(
    world.services,
    named.map(source => marketFeed(source, sources.urls[source], 60_000)),
  )
const priceOf = async (symbol: string) =>
  (await world.call(prices, null)).data.find(price => price.symbol === symbol)
const ask = () => world.call(newDeposit, investor, { body: { method: 'bitcoin', amount: 1_000 } })
const overview = async () => (await world.call(listPriceSources, world.admin)).data
const sourceNamed = async (name: string) => (await overview()).sources.find(({ source }) => source === name)!
const readingsOf = async (symbol: string) => {
  const { coins } = await overview()
  const { readings } = coins.find(coin => coin.symbol === symbol)!
  return Object.fromEntries(readings.map(({ source, usd, standing }) => [source, `${usd} ${standing}`]))
}

test('[C-30] the minutely job polls the configured sources at their URLs', async () => {
  const context = { services: world.services, job: { id: '1', createdAt: world.clock.now() } }
  await jobs.find(({ task }) => task.name === 'store_prices')!.run({} as never, context as never)
  expect(named.map(source => sources.askedOf(source).length)).toEqual([7, 1, 1, 1])
})

describe('the rate of a quote', () => {
  test('[C-30, D-18] is the median of the sources and is stored with the deposit', async () => {
    sources.say('coingecko', { BTC: '97200' })
    await storePrices()
    world.clock.pass({ minutes: 1 })
    const price = await priceOf('BTC')
    expect(price).toMatchObject({
      usd: '97,123.4567',
      source: 'coindesk, coingecko, gemini, kraken',
      sources: 4,
      rejected: [],
      state: 'good',
      stale: false,
      sample: false,
    })
    expect(price!.ageSeconds).toBeGreaterThanOrEqual(60)
    const { data } = await ask()
    expect(data.payment).toMatchObject({ rate: '97,123.4567', rateSource: price!.source, rateAt: price!.at })
  })

  test('[C-30] reports an outlier beside the price, which ignores it', async () => {
    sources.say('gemini', { BTC: '9712.34' })
    await storePrices()
    expect(await priceOf('BTC')).toMatchObject({ usd: '97,123.4567', sources: 3, rejected: ['gemini'] })
    expect((await ask()).status).toBe(200)
    expect(await readingsOf('BTC')).toEqual({
      kraken: '97,123.4567 counted',
      coindesk: '97,123.4567 counted',
      coingecko: '97,123.4567 counted',
      gemini: '9,712.34 rejected',
    })
  })

  test('[C-30] there is no rate if the sources disagree, marked stale for older clients', async () => {
    sources.say('gemini', { ...sources.usual, BTC: '90000' })
    sources.say('kraken', { ...sources.usual, BTC: '90000' })
    await storePrices()
    expect(await priceOf('BTC')).toMatchObject({ state: 'disputed', stale: true })
    expect(await ask()).toMatchObject({ status: 503, code: 'rate_unavailable' })
    expect((await readingsOf('BTC')).gemini).toBe('90,000.00 disputed')
    const { coins } = await overview()
    expect(coins[0]).toMatchObject({ symbol: 'BTC', usd: null, state: 'disputed' })
    expect(coins[1]).toMatchObject({ symbol: 'ETH', usd: '3,421.50', state: 'good' })
  })

  test('[C-30] there is no rate after five silent minutes, until a source answers again', async () => {
    await storePrices()
    for (const source of named) sources.behave(source, { status: 500 })
    world.clock.pass({ minutes: 6 })
    await storePrices()
    expect(await priceOf('BTC')).toMatchObject({ usd: '97,123.4567', state: 'stale', stale: true })
    expect(await ask()).toMatchObject({ status: 503, code: 'rate_unavailable' })
    sources.forget()
    world.clock.pass({ minutes: 1 })
    await storePrices()
    expect((await ask()).status).toBe(200)
  })
})

describe("the console's overview", () => {
  test('[C-30, N-01] shows each source with its last reading and its age', async () => {
    expect(await sourceNamed('kraken')).toMatchObject({ breaker: 'closed', askedAt: null, reading: null })
    await storePrices()
    world.clock.pass({ minutes: 2 })
    const { sources: all } = await overview()
    expect(all.map(({ source, breaker, failures, fault }) => [source, breaker, failures, fault])).toEqual(
      named.map(source => [source, 'closed', 0, null]),
    )
    for (const { reading } of all) expect(reading?.ageSeconds).toBeGreaterThanOrEqual(120)
  })

  test("[C-30, N-01] shows a failing source's breaker, error and next poll", async () => {
    sources.behave('kraken', { status: 429, retryAfter: '600' })
    await storePrices()
    const open = await sourceNamed('kraken')
    expect(open).toMatchObject({ breaker: 'open', failures: 1, answeredAt: null, reading: null })
    expect(open.fault?.words).toBe('answered 429: retry in 600 s')
    expect(Date.parse(open.restUntil!) - Date.parse(open.askedAt!)).toBeGreaterThanOrEqual(600_000)
    world.clock.pass({ minutes: 11 })
    expect((await sourceNamed('kraken')).breaker).toBe('half_open')
    sources.behave('kraken', 'well')
    await storePrices()
    expect(await sourceNamed('kraken')).toMatchObject({ breaker: 'closed', failures: 0, restUntil: null })
  })

  test('[C-30] shows stale readings, and coins with a single source', async () => {
    await storePrices()
    world.clock.pass({ minutes: 6 })
    for (const source of named) sources.say(source, { BTC: '97000' })
    sources.say('gemini', { BTC: '97000', LTC: '98.51' })
    await storePrices()
    expect(await readingsOf('LTC')).toEqual({
      kraken: '98.51 stale',
      coingecko: '98.51 stale',
      gemini: '98.51 counted',
    })
    expect(await priceOf('LTC')).toMatchObject({ state: 'alone', sources: 1, stale: true })
  })

  test('[C-30, D2] marks the sample series as not a market', async () => {
    const demo = await openWorld()
    const { data } = await demo.call(listPriceSources, demo.admin)
    expect(data.sources).toMatchObject([{ sample: true, breaker: 'closed', askedAt: null }])
    expect(data.coins.every(({ state }) => state === 'good')).toBe(true)
  })
})
