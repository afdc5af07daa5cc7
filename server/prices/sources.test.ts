import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type PriceSource, priceSources } from '#server/config/price-sources.ts'
import { priceAheadSeconds } from '#shared/limits.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { type Behaviour, openPriceSources, type PriceSources } from '#test/support/price-sources.ts'
import { parseRate, tickerSymbols } from './reading.ts'
import { marketFeed } from './sources.ts'

const now = new Date('2026-11-21T12:00:00Z')
const secondsFromNow = (seconds: number) => new Date(now.getTime() + seconds * 1000)
let told = now
let sources: PriceSources
beforeAll(async () => {
  sources = await openPriceSources(() => told)
  atEnd(sources.close)
})
afterEach(() => {
  sources.forget()
  told = now
})

/** Longer than a busy machine takes. */
const patient = 60_000

const read = (
  source: PriceSource,
  { trying = false, milliseconds = patient }: { trying?: boolean; milliseconds?: number } = {},
) => marketFeed(source, sources.urls[source], milliseconds).read(tickerSymbols, { now: () => now, trying })

describe('readings of a source', () => {
  test.each(priceSources)(
    '[C-30] %s is read in the form that it documents, to the last digit',
    async source => {
      const { readings, errors, waitSeconds } = await read(source)
      expect([errors, waitSeconds]).toEqual([[], undefined])
      const traded = source === 'coindesk' ? (['BTC'] as const) : tickerSymbols
      expect(readings).toEqual(
        traded.map(symbol => {
          const usdE8 = parseRate(sources.usual[symbol])
          return { symbol, source, usdE8, sample: false, at: now }
        }),
      )
      expect(readings[0]?.usdE8).toBe(9_712_345_670_000n)
    },
  )

  test('[C-30] a rate with thousands commas is read exactly', async () => {
    sources.say('coindesk', { BTC: '1234567.87654321' })
    expect((await read('coindesk')).readings[0]?.usdE8).toBe(123_456_787_654_321n)
  })

  test('[C-30] a number has the digits that were sent, more than a double holds', async () => {
    sources.say('coingecko', { BTC: '9712345.12345678' })
    sources.say('bitfinex', { BTC: '9712345.12345678' })
    for (const source of ['coingecko', 'bitfinex'] as const)
      expect((await read(source)).readings[0]?.usdE8, source).toBe(971_234_512_345_678n)
  })

  test.each(['bitfinex', 'gemini', 'coingecko'] as const)(
    '[C-30] %s answers for all coins in one request',
    async source => {
      await read(source)
      expect(sources.askedOf(source)).toHaveLength(1)
    },
  )

  test.each(priceSources)(
    '[C-30] a coin that %s does not trade is left out, and is no error',
    async source => {
      sources.say(source, { BTC: '97000', DOGE: '0.21' })
      const { readings, errors } = await read(source)
      expect(readings.map(({ symbol }) => symbol)).toEqual(source === 'coindesk' ? ['BTC'] : ['BTC', 'DOGE'])
      expect(errors).toEqual([])
    },
  )

  test.each(['coinbase', 'bitstamp', 'coingecko', 'coindesk'] as const)(
    '[C-30] the time that %s tells is that of the reading, and never one to come',
    async source => {
      told = secondsFromNow(-3600)
      expect((await read(source)).readings[0]?.at).toEqual(told)
      told = secondsFromNow(priceAheadSeconds)
      expect((await read(source)).readings[0]?.at).toEqual(now)
      told = secondsFromNow(priceAheadSeconds + 1)
      const { readings, errors } = await read(source)
      expect(readings).toEqual([])
      expect(errors).toContain('dated its price for BTC in the future')
    },
  )
})

describe('errors of a source', () => {
  test("[C-30] an error in one coin's reading affects that coin only", async () => {
    const last_updated_at = 1_795_000_000
    const body = {
      bitcoin: { usd: 97_000, last_updated_at },
      ethereum: { usd: 'n/a', last_updated_at },
      eos: { usd: 0, last_updated_at },
      ripple: null,
      litecoin: { usd: -98.5, last_updated_at },
      dogecoin: { usd: 99_999_999_999, last_updated_at },
      dash: { usd: 41 },
    }
    sources.behave('coingecko', { body })
    const { readings, errors } = await read('coingecko')
    expect(readings.map(({ symbol }) => symbol)).toEqual(['BTC'])
    expect(errors).toEqual(
      ['ETH', 'EOS', 'XRP', 'LTC', 'DOGE', 'DASH'].map(symbol => `sent no price for ${symbol}`),
    )
  })

  test('[C-30] rows about other things cost nothing', async () => {
    sources.behave('gemini', { body: [null, 5, 'x', [], {}, { pair: 'BTCUSD', price: '97,000.5' }] })
    expect((await read('gemini')).readings.map(({ usdE8 }) => usdE8)).toEqual([9_700_050_000_000n])
  })

  test("[C-30] kraken's own errors, which come with status 200, leave no reading", async () => {
    sources.behave('kraken', { body: { error: ['EService:Unavailable'] } })
    expect(await read('kraken')).toEqual({ readings: [], errors: ['reported an error'] })
  })

  test.each(priceSources)('[C-30] %s in an unexpected form has no reading, and an error', async source => {
    sources.behave(source, 'other form')
    const { readings, errors } = await read(source)
    expect(readings).toEqual([])
    expect(errors.length).toBeGreaterThan(0)
  })

  const soon = { milliseconds: 200 }
  test.each<[Behaviour, string, (number | undefined)?, { milliseconds: number }?]>([
    ['never', 'did not answer within 0.2 s', undefined, soon],
    ['dripping', 'did not answer within 0.2 s', undefined, soon],
    [{ afterMilliseconds: 30_000 }, 'did not answer within 0.2 s', undefined, soon],
    ['hangs up', 'could not be reached (UND_ERR_SOCKET)'],
    ['huge', 'sent more than 512 kB'],
    ['packed huge', 'sent more than 512 kB'],
    ['empty', 'sent an empty answer'],
    ['not json', 'sent invalid JSON'],
    ['deep', 'sent invalid JSON'],
    ['redirect', 'answered 302: a redirect, which we do not follow'],
    [{ status: 500 }, 'answered 500'],
    [{ status: 403 }, 'answered 403'],
    [{ status: 503 }, 'answered 503'],
    [{ status: 503, retryAfter: '120' }, 'answered 503: retry in 120 s', 120],
    [{ status: 429 }, 'answered 429', 0],
    [{ status: 429, retryAfter: '90' }, 'answered 429: retry in 90 s', 90],
    [{ status: 429, retryAfter: 'Sat, 21 Nov 2026 12:10:00 GMT' }, 'answered 429: retry in 600 s', 600],
    [{ status: 429, retryAfter: 'soon' }, 'answered 429', 0],
  ])('[C-30] %j: no reading, and an error that says why', async (behaviour, words, waitSeconds, patience) => {
    sources.behave('coinbase', behaviour)
    sources.behave('gemini', behaviour)
    const expected = { readings: [], errors: [words], ...(waitSeconds === undefined ? {} : { waitSeconds }) }
    expect(await read('gemini', patience)).toEqual(expected)
    expect(await read('coinbase', patience)).toEqual(expected)
  })

  test('[C-30] nothing of an answer that points elsewhere is followed', async () => {
    sources.behave('gemini', 'redirect')
    await read('gemini')
    expect(sources.askedOf('gemini')).toHaveLength(1)
  })

  test('[C-30] an unreachable source is an error', async () => {
    const { close, urls } = await openPriceSources(() => now)
    await close()
    const feed = marketFeed('kraken', urls.kraken, patient)
    const { readings, errors } = await feed.read(tickerSymbols, { now: () => now, trying: false })
    expect([readings, errors]).toEqual([[], ['could not be reached (ECONNREFUSED)']])
  })
})

describe('a source that has to show that it answers again', () => {
  test('[C-30] is asked once, and for the rest only where that is answered', async () => {
    sources.behave('kraken', { status: 500 })
    expect((await read('kraken', { trying: true })).readings).toEqual([])
    expect(sources.askedOf('kraken')).toEqual(['/0/public/Ticker?pair=XBTUSD'])
    sources.behave('kraken', 'well')
    expect((await read('kraken', { trying: true })).readings).toHaveLength(tickerSymbols.length)
    expect(sources.askedOf('kraken')).toHaveLength(1 + tickerSymbols.length)
  })
})
