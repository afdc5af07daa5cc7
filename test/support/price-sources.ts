import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type PriceSource, type PriceSourceUrls, priceSources } from '#server/config/price-sources.ts'
import type { TickerSymbol } from '#shared/coins.ts'

/**
 * The public price sources on one local server, each under its own path and in its documented form
 * (server/prices/sources.ts cites them), with the failures of real networks.
 */
export type PriceSources = Awaited<ReturnType<typeof openPriceSources>>

/** A source's behaviour; `well`: as documented. */
export type Behaviour =
  | 'well'
  | 'never'
  | 'huge'
  | 'packed huge'
  | 'dripping'
  | 'empty'
  | 'not json'
  | 'other form'
  | 'deep'
  | 'redirect'
  | 'hangs up'
  | { afterMilliseconds: number }
  | { status: number; retryAfter?: string }
  | { body: unknown }

/** In dollars, as text. */
export type Prices = Partial<Record<TickerSymbol, string>>

const usual: Record<TickerSymbol, string> = {
  BTC: '97123.4567',
  ETH: '3421.5',
  EOS: '0.7911',
  XRP: '2.1855',
  LTC: '98.51',
  DOGE: '0.21042',
  DASH: '41.2',
}

/**
 * @param now the time in their answers
 * @returns their addresses, and functions to change their answers; a source without prices of its own has the usual
 * ones
 */
export async function openPriceSources(now: () => Date) {
  const behaviours = new Map<PriceSource, Behaviour>()
  const prices = new Map<PriceSource, Prices>()
  const asked: { source: PriceSource; path: string }[] = []
  const answer = (source: PriceSource, path: string, response: ServerResponse) => {
    const content = () => contentOf(source, path, { prices: prices.get(source) ?? usual, now: now() })
    behave(behaviours.get(source) ?? 'well', response, content)
  }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {})
    const [, name = '', path = '/'] = /^\/([a-z]+)(\/.*)$/.exec(request.url ?? '') ?? []
    const source = priceSources.find(known => known === name)
    if (source === undefined) response.writeHead(404).end()
    else {
      asked.push({ source, path })
      answer(source, path, response)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const urls = Object.fromEntries(
    priceSources.map(source => [source, `http://127.0.0.1:${port}/${source}`]),
  ) as Required<PriceSourceUrls>
  return {
    urls,
    /** Sets a source's behaviour. */
    behave: (source: PriceSource, behaviour: Behaviour) => {
      behaviours.set(source, behaviour)
    },
    /** Sets a source's coins and prices. */
    say: (source: PriceSource, own: Prices) => {
      prices.set(source, own)
    },
    usual,
    /** Requested paths, in order. */
    askedOf: (source: PriceSource) => asked.filter(one => one.source === source).map(({ path }) => path),
    forget: () => {
      asked.length = 0
      behaviours.clear()
      prices.clear()
    },
    /** Breaks every connection. */
    hangUp: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Content = { status: number; body: unknown }

type Send = (content: Content, headers?: Record<string, string>) => void
type Misbehaving = { response: ServerResponse; content: () => Content; send: Send }

function behave(behaviour: Behaviour, response: ServerResponse, content: () => Content): void {
  const send: Send = ({ status, body }, headers = {}) => {
    const sent = body instanceof Buffer ? body : typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(sent)
  }
  if (typeof behaviour === 'string') named[behaviour]({ response, content, send })
  else if ('afterMilliseconds' in behaviour) setTimeout(() => send(content()), behaviour.afterMilliseconds)
  else if ('body' in behaviour) send({ status: 200, body: behaviour.body })
  else {
    const { status, retryAfter } = behaviour
    send({ status, body: {} }, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
  }
}

const named: Record<Extract<Behaviour, string>, (one: Misbehaving) => void> = {
  well: ({ send, content }) => send(content()),
  never: () => {},
  'hangs up': ({ response }) => response.destroy(),
  empty: ({ send }) => send({ status: 200, body: '' }),
  'not json': ({ send }) => send({ status: 200, body: '<html>Just a moment...</html>' }),
  'other form': ({ send }) => send({ status: 200, body: { data: [1, null, 'x'] } }),
  deep: ({ send }) => send({ status: 200, body: '['.repeat(200_000) + ']'.repeat(200_000) }),
  // The redirect leads to a good answer, and has one in its own body too.
  redirect: ({ send, response, content }) =>
    send({ ...content(), status: 302 }, { location: response.req.url ?? '/' }),
  huge: ({ response, content }) => pour(response, content()),
  'packed huge': ({ send, content }) => {
    const body = gzipSync(JSON.stringify(content().body) + ' '.repeat(1024 * 1024), { level: 1 })
    send({ status: 200, body }, { 'content-encoding': 'gzip' })
  },
  dripping: ({ response }) => drip(response),
}

/** A good answer, followed by spaces until the client disconnects. */
function pour(response: ServerResponse, { body }: Content): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(JSON.stringify(body))
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

/** A byte now and then, so that the connection is never idle. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}

type Saying = { prices: Prices; now: Date }
type Market = (path: string, saying: Saying) => Content

const found = (body: unknown): Content => ({ status: 200, body })
const nothing: Content = { status: 404, body: { message: 'NotFound' } }
/** A number with exactly these digits. */
const raw = (text: string) => `\u0001${text}\u0001`
/** JSON in which numbers marked by `raw` keep their text. */
const withNumbers = (body: unknown): Content =>
  found(JSON.stringify(body).replaceAll(/"\\u0001([^"]*)\\u0001"/g, '$1'))

const unix = (now: Date) => Math.floor(now.getTime() / 1000)
const priceOf = ({ prices }: Saying, symbol: string | undefined) => prices[symbol as TickerSymbol]

/** The documented answers, including fields that we do not read. */
const markets: Record<PriceSource, Market> = {
  coinbase: (path, saying) => {
    const price = priceOf(saying, /^\/products\/([A-Z]+)-USD\/ticker$/.exec(path)?.[1])
    if (price === undefined) return nothing
    const { now } = saying
    return found({
      ask: price,
      bid: price,
      volume: '53602.03940154',
      trade_id: 86326522,
      price,
      size: '0.1',
      time: now,
    })
  },
  kraken: (path, saying) => {
    const pair = new URL(path, 'http://kraken').searchParams.get('pair') ?? ''
    const symbol = ({ XBTUSD: 'BTC', XDGUSD: 'DOGE' } as Record<string, string>)[pair] ?? pair.slice(0, -3)
    const price = priceOf(saying, symbol)
    if (price === undefined) return found({ error: ['EQuery:Unknown asset pair'] })
    const side = [price, '1', '1.000']
    return found({
      error: [],
      result: { [`X${pair}`]: { a: side, b: side, c: [price, '0.00067643'], t: [1, 2] } },
    })
  },
  bitstamp: (path, saying) => {
    const price = priceOf(saying, /^\/api\/v2\/ticker\/([a-z]+)usd\/$/.exec(path)?.[1]?.toUpperCase())
    if (price === undefined) return nothing
    return found({ timestamp: String(unix(saying.now)), open: price, last: price, vwap: price, side: '0' })
  },
  bitfinex: (path, saying) => {
    const names: Record<string, string> = { 'DOGE:USD': 'DOGE', DSHUSD: 'DASH' }
    const wanted = new URL(path, 'http://bitfinex').searchParams.get('symbols')?.split(',') ?? []
    const rows = wanted.flatMap(code => {
      const pair = code.slice(1)
      const price = priceOf(saying, names[pair] ?? pair.slice(0, -3))
      if (price === undefined) return []
      const last = raw(price)
      return [[code, last, 53.62, last, 76.68, 745.1, 0.0752, last, 14420.34, last, last]]
    })
    return withNumbers(rows)
  },
  gemini: (path, saying) => {
    if (path !== '/v1/pricefeed') return nothing
    const own = Object.entries(saying.prices).map(([symbol, price]) => {
      return { pair: `${symbol}USD`, price, percentChange24h: '0.0123' }
    })
    return found([{ pair: 'BTCGUSD', price: '1.00', percentChange24h: '0' }, ...own])
  },
  coingecko: (path, saying) => {
    const ids: Record<string, string> = {
      ...{ bitcoin: 'BTC', ethereum: 'ETH', eos: 'EOS', ripple: 'XRP' },
      ...{ litecoin: 'LTC', dogecoin: 'DOGE', dash: 'DASH' },
    }
    const { searchParams } = new URL(path, 'http://coingecko')
    const told = (searchParams.get('ids') ?? '').split(',').flatMap(id => {
      const price = priceOf(saying, ids[id])
      return price === undefined ? [] : [[id, { usd: raw(price), last_updated_at: unix(saying.now) }]]
    })
    return withNumbers(Object.fromEntries(told))
  },
  coindesk: (path, saying) => {
    const price = priceOf(saying, 'BTC')
    if (path !== '/v1/bpi/currentprice.json' || price === undefined) return nothing
    const [whole = '', decimals = '0'] = price.split('.')
    const rate = `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals}`
    const updatedISO = saying.now.toISOString().replace('Z', '+00:00')
    return found({
      time: { updated: saying.now.toUTCString(), updatedISO },
      disclaimer: 'This data was produced from the CoinDesk Bitcoin Price Index.',
      bpi: { USD: { code: 'USD', rate, description: 'United States Dollar', rate_float: Number(price) } },
    })
  },
}

function contentOf(source: PriceSource, path: string, saying: Saying): Content {
  return markets[source](path, saying)
}
