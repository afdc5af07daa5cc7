import { z } from 'zod'
import type { PriceSource } from '#server/config/price-sources.ts'
import type { TickerSymbol } from '#shared/coins.ts'
import { priceRequestMilliseconds } from '#shared/limits.ts'
import { latestTime } from './agreement.ts'
import { askFor, PriceSourceError } from './ask.ts'
import { type Answer, highestRateE8, type PriceFeed, parseRate, type Reading } from './reading.ts'

/** A source's reading of a coin: the rate as text, and its time if the source sends one. */
type Said = { usd: string; at?: Date }

/** How to poll a source and read its answer. Prices in USD only: a stablecoin's dollar is not a dollar. */
type Source = {
  /** The source's names of the coins. */
  codes: Partial<Record<TickerSymbol, string>>
  /** One request for all coins, or one for each. */
  asks: 'together' | 'each'
  path: (codes: readonly string[]) => string
  /**
   * The reading of a coin in an answer; undefined if the source does not trade it.
   * @throws for an unexpected form
   */
  about: (answer: unknown, code: string) => unknown
  said: z.ZodType<Said>
}

const perCoin = (code: (symbol: TickerSymbol) => string): Record<TickerSymbol, string> => ({
  BTC: code('BTC'),
  ETH: code('ETH'),
  EOS: code('EOS'),
  XRP: code('XRP'),
  LTC: code('LTC'),
  DOGE: code('DOGE'),
  DASH: code('DASH'),
})

// Numbers in answers are text (ask.ts), so both kinds are read alike.
const text = z.string()
const isoTime = z.iso.datetime({ offset: true }).transform(time => new Date(time))
const rows = z.array(z.unknown())
const unixTime = z
  .string()
  .regex(/^\d{1,11}$/)
  .transform(seconds => new Date(Number(seconds) * 1000))

const sources: Record<PriceSource, Source> = {
  /**
   * Coinbase Exchange, "Get product ticker": `{"price":"6268.48","size":"0.00698254","time":"2020-03-20T00:22:57.833Z",…}`,
   * the last trade. https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-ticker
   */
  coinbase: {
    codes: perCoin(symbol => `${symbol}-USD`),
    asks: 'each',
    path: ([product]) => `/products/${product}/ticker`,
    about: answer => answer,
    said: z.object({ price: text, time: isoTime }).transform(({ price, time }) => ({ usd: price, at: time })),
  },

  /**
   * Kraken, "Get Ticker Information": `{"error":[],"result":{"XXBTZUSD":{"c":["30303.20000","0.00067643"],…}}}`, where
   * c is the last trade; errors come with status 200. https://docs.kraken.com/api/docs/rest-api/get-ticker-information
   */
  kraken: {
    codes: { ...perCoin(symbol => `${symbol}USD`), BTC: 'XBTUSD', DOGE: 'XDGUSD' },
    asks: 'each',
    path: ([pair]) => `/0/public/Ticker?pair=${pair}`,
    // One pair was requested, so there is one result, under the market's own name of the pair.
    about: answer => {
      const { error, result } = krakenAnswer.parse(answer)
      if (error.some(code => code.startsWith('EQuery:Unknown asset pair'))) return undefined
      if (error.length > 0) throw new PriceSourceError('reported an error')
      return Object.values(result ?? {})[0]
    },
    said: z.object({ c: z.tuple([text], text) }).transform(({ c: [usd] }) => ({ usd })),
  },

  /**
   * Bitstamp, "Ticker": `{"last":"2211.00","timestamp":"1643640186",…}`; 404 for a pair that it does not trade.
   * https://www.bitstamp.net/api/#tag/Tickers/operation/GetMarketTicker
   */
  bitstamp: {
    codes: perCoin(symbol => `${symbol.toLowerCase()}usd`),
    asks: 'each',
    path: ([pair]) => `/api/v2/ticker/${pair}/`,
    about: answer => answer,
    said: z
      .object({ last: text, timestamp: unixTime })
      .transform(({ last, timestamp }) => ({ usd: last, at: timestamp })),
  },

  /**
   * Bitfinex, "Tickers": `[["tBTCUSD",10654,53.62,10655,76.68,745.1,0.0752,10655,14420.34,10766,9889.14],…]`, whose
   * eighth value is LAST_PRICE; pairs that it does not trade are left out.
   * https://docs.bitfinex.com/reference/rest-public-tickers
   */
  bitfinex: {
    codes: { ...perCoin(symbol => `t${symbol}USD`), DOGE: 'tDOGE:USD', DASH: 'tDSHUSD' },
    asks: 'together',
    path: symbols => `/v2/tickers?symbols=${symbols.join(',')}`,
    about: (answer, code) => rows.parse(answer).find(row => Array.isArray(row) && row[0] === code),
    said: z
      .tuple([text, text, text, text, text, text, text, text], z.unknown())
      .transform(row => ({ usd: row[7] })),
  },

  /**
   * Gemini, "Price feed": `[{"pair":"BTCUSD","price":"9500.00","percentChange24h":"5.23"},…]`, every pair that it trades.
   * https://docs.gemini.com/rest/market-data#get-price-feed
   */
  gemini: {
    codes: perCoin(symbol => `${symbol}USD`),
    asks: 'together',
    path: () => '/v1/pricefeed',
    about: (answer, code) =>
      rows.parse(answer).find(row => (row as { pair?: unknown } | null)?.pair === code),
    said: z.object({ price: text }).transform(({ price }) => ({ usd: price })),
  },

  /**
   * CoinGecko, "Coin Price by IDs": `{"bitcoin":{"usd":67187.3358936566,"last_updated_at":1711356300},…}`, an average of many
   * markets; unknown coins are left out. https://docs.coingecko.com/reference/simple-price
   */
  coingecko: {
    codes: {
      BTC: 'bitcoin',
      ETH: 'ethereum',
      EOS: 'eos',
      XRP: 'ripple',
      LTC: 'litecoin',
      DOGE: 'dogecoin',
      DASH: 'dash',
    },
    asks: 'together',
    path: ids =>
      `/api/v3/simple/price?ids=${ids.join(',')}&vs_currencies=usd&include_last_updated_at=true&precision=full`,
    about: (answer, id) => z.record(z.string(), z.unknown()).parse(answer)[id],
    said: z
      .object({ usd: text, last_updated_at: unixTime })
      .transform(({ usd, last_updated_at }) => ({ usd, at: last_updated_at })),
  },

  /**
   * The form of CoinDesk's Bitcoin Price Index:
   * `{"time":{"updatedISO":"2013-09-18T17:27:00+00:00",…},"bpi":{"USD":{"code":"USD", "rate":"97,123.4567",…}}}`,
   * bitcoin only, a rate with thousands commas. CoinDesk closed it in February 2025; PRICE_SOURCE_URLS can name a
   * server with the same form. https://www.coindesk.com/API as it was
   */
  coindesk: {
    codes: { BTC: 'USD' },
    asks: 'together',
    path: () => '/v1/bpi/currentprice.json',
    about: answer => answer,
    said: z
      .object({ time: z.object({ updatedISO: isoTime }), bpi: z.object({ USD: z.object({ rate: text }) }) })
      .transform(({ time, bpi }) => ({ usd: bpi.USD.rate, at: time.updatedISO })),
  },
}

const krakenAnswer = z.object({
  error: z.array(text),
  result: z.record(z.string(), z.unknown()).optional(),
})

type Coin = { symbol: TickerSymbol; code: string }

/**
 * A source as a feed. An error in one coin's reading affects that coin only; coins that it does not trade are left out.
 * @param url base of its paths
 * @param milliseconds timeout of one request
 */
export function marketFeed(
  source: PriceSource,
  url: string,
  milliseconds: number = priceRequestMilliseconds,
): PriceFeed {
  const { codes, asks, path } = sources[source]
  return {
    source,
    remote: true,
    async read(symbols, { now, trying }) {
      const ask = async (coins: Coin[]): Promise<Answer> => {
        try {
          const answer = await askFor(url + path(coins.map(({ code }) => code)), { milliseconds, now })
          return readingsIn(source, answer, coins, now())
        } catch (error) {
          return { readings: [], ...errorsOf(error) }
        }
      }
      const wanted = symbols.flatMap(symbol => {
        const code = codes[symbol]
        return code === undefined ? [] : [{ symbol, code }]
      })
      const requests = asks === 'each' ? wanted.map(coin => [coin]) : [wanted]
      const [first, ...others] = requests
      if (!trying || first === undefined) return together(await Promise.all(requests.map(ask)))
      const tried = await ask(first)
      return together(
        tried.readings.length === 0 ? [tried] : [tried, ...(await Promise.all(others.map(ask)))],
      )
    },
  }
}

function readingsIn(source: PriceSource, answer: unknown, coins: readonly Coin[], received: Date): Answer {
  if (answer === undefined) return { readings: [], errors: [] }
  const { about, said } = sources[source]
  const readings: Reading[] = []
  const errors: string[] = []
  for (const { symbol, code } of coins) {
    const part = about(answer, code)
    if (part === undefined) continue
    const parsed = said.safeParse(part)
    const usdE8 = parsed.success ? parseRate(parsed.data.usd) : undefined
    if (!parsed.success || usdE8 === undefined || usdE8 > highestRateE8)
      errors.push(`sent no price for ${symbol}`)
    else if (parsed.data.at !== undefined && parsed.data.at > latestTime(received))
      errors.push(`dated its price for ${symbol} in the future`)
    else readings.push({ symbol, source, usdE8, sample: false, at: earlier(parsed.data.at, received) })
  }
  return { readings, errors }
}

/** The source's time, but never in the future: clocks differ a little. */
function earlier(told: Date | undefined, received: Date): Date {
  return told !== undefined && told < received ? told : received
}

function errorsOf(error: unknown): Pick<Answer, 'errors' | 'waitSeconds'> {
  if (error instanceof PriceSourceError) return { errors: [error.message], waitSeconds: error.waitSeconds }
  if (error instanceof z.ZodError) return { errors: ['sent an unexpected answer'] }
  throw error
}

function together(answers: Answer[]): Answer {
  const readings = answers.flatMap(answer => answer.readings)
  const errors = [...new Set(answers.flatMap(answer => answer.errors))]
  const waits = answers.flatMap(({ waitSeconds }) => waitSeconds ?? [])
  return {
    readings,
    errors: readings.length + errors.length === 0 ? ['sent no price'] : errors,
    ...(waits.length > 0 ? { waitSeconds: Math.max(...waits) } : {}),
  }
}
