import { z } from 'zod'

/**
 * Known price sources (server/prices/sources.ts reads them) and their addresses. null: no public address any more, so
 * the operator must set one.
 */
export const priceSourceAddresses = {
  coinbase: 'https://api.exchange.coinbase.com',
  kraken: 'https://api.kraken.com',
  bitstamp: 'https://www.bitstamp.net',
  bitfinex: 'https://api-pub.bitfinex.com',
  gemini: 'https://api.gemini.com',
  coingecko: 'https://api.coingecko.com',
  coindesk: null,
} as const satisfies Record<string, string | null>

export type PriceSource = keyof typeof priceSourceAddresses
export const priceSources = Object.keys(priceSourceAddresses) as PriceSource[]

/** Addresses that replace the default ones. */
export type PriceSourceUrls = Partial<Record<PriceSource, string>>

const form = `must be pairs like kraken=https://prices.example.com/kraken, of sources among ${priceSources.join(', ')}`

/** `kraken=https://…,coindesk=https://…`, split at its commas. */
export const priceSourceUrls = z.array(z.string()).transform((pairs, context): PriceSourceUrls => {
  const urls: PriceSourceUrls = {}
  for (const pair of pairs) {
    const [, name, text] = /^([a-z]+)=(.+)$/.exec(pair) ?? []
    const source = priceSources.find(known => known === name)
    const url = baseUrlOf(text)
    if (source === undefined || url === undefined || source in urls)
      context.addIssue({ code: 'custom', message: form })
    else urls[source] = url
  }
  return urls
})

/** A base address for paths; undefined if it is none, or has a query or fragment. */
function baseUrlOf(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  if (url.username + url.password + url.search + url.hash !== '') return undefined
  return url.href.replace(/\/+$/, '')
}

/** The default sources: all that have an address. */
export function reachable(urls: PriceSourceUrls): PriceSource[] {
  return priceSources.filter(source => addressOf(source, urls) !== null)
}

export function addressOf(source: PriceSource, urls: PriceSourceUrls): string | null {
  return urls[source] ?? priceSourceAddresses[source]
}
