import { z } from 'zod'
import type { PriceSource } from '#server/config/environment.ts'
import type { TickerSymbol } from '#shared/coins.ts'
import { type PriceFeed, parseRate, type Reading } from './reading.ts'

/** How one market is asked for one coin, and where its answer has the last traded price. */
type Market = { url: (symbol: TickerSymbol) => string; price: z.ZodType<string> }

const krakenNames: Partial<Record<TickerSymbol, string>> = { BTC: 'XBT', DOGE: 'XDG' }

const markets: Record<PriceSource, Market> = {
  coinbase: {
    url: symbol => `https://api.exchange.coinbase.com/products/${symbol}-USD/ticker`,
    price: z.object({ price: z.string() }).transform(answer => answer.price),
  },
  kraken: {
    url: symbol => `https://api.kraken.com/0/public/Ticker?pair=${krakenNames[symbol] ?? symbol}USD`,
    // One pair was asked for, so there is one result; its key is the market's own name of the pair.
    price: z
      .object({ result: z.record(z.string(), z.object({ c: z.tuple([z.string()], z.string()) })) })
      .transform(answer => Object.values(answer.result)[0]?.c[0] ?? ''),
  },
  bitstamp: {
    url: symbol => `https://www.bitstamp.net/api/v2/ticker/${symbol.toLowerCase()}usd/`,
    price: z.object({ last: z.string() }).transform(answer => answer.last),
  },
}

const timeoutMilliseconds = 4_000

/**
 * A market as a feed. Coins that it does not trade, or does not answer for in time, are left out.
 * @param fetching replaced in tests
 */
export function marketFeed(source: PriceSource, fetching: typeof fetch = fetch): PriceFeed {
  const market = markets[source]
  const ask = async (symbol: TickerSymbol, at: Date): Promise<Reading[]> => {
    const response = await fetching(market.url(symbol), {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMilliseconds),
    })
    if (!response.ok) return []
    const usdE8 = parseRate(market.price.parse(await response.json()))
    return usdE8 === undefined ? [] : [{ symbol, source, usdE8, sample: false, at }]
  }
  return {
    source,
    read: async (symbols, at) => {
      const answers = await Promise.allSettled(symbols.map(symbol => ask(symbol, at)))
      const readings = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
      const failed = answers.find(answer => answer.status === 'rejected')
      if (readings.length === 0 && failed) throw failed.reason
      return readings
    },
  }
}
