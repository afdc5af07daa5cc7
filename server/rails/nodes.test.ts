import { expect, test } from 'vitest'
import { listening } from '#test/support/listening.ts'
import { coreChain } from './bitcoin/core.ts'
import { esploraChain } from './bitcoin/esplora.ts'
import { bitcoinNetworks } from './bitcoin/networks.ts'
import type { Chain } from './chain.ts'
import { ethereumChain } from './ethereum/json-rpc.ts'
import { tronChain } from './tron/trongrid.ts'

const bitcoin = { network: bitcoinNetworks.main, confirmations: 2 }
const usdt = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
/** Each kind of node or service, at an address. */
const kinds: Record<string, (url: string) => Chain> = {
  'Bitcoin Core': url => coreChain(url, bitcoin),
  Esplora: url => esploraChain(url, bitcoin),
  Ethereum: rpcUrl => ethereumChain({ rpcUrl, chainId: 1, confirmations: 2, contracts: {} }),
  TRON: url =>
    tronChain({ url, apiKey: 'secret-key', contract: usdt, confirmations: 2, requestsPerSecond: null }),
}

test.each(Object.entries(kinds))(
  '%s: nothing is sent or believed where a redirect points to',
  async (_, chainAt) => {
    const led: unknown[] = []
    const elsewhere = await listening((request, response) => {
      led.push(request.headers)
      response.end('{}')
    })
    const url = await listening((request, response) => {
      response.writeHead(307, { location: `${elsewhere}${request.url}` })
      response.end()
    })
    await expect(chainAt(url).tip()).rejects.toThrow('reached')
    expect(led).toEqual([])
  },
)

test.each(Object.entries(kinds))('%s: user and password in its URL come as a header', async (_, chainAt) => {
  const came: unknown[] = []
  const url = await listening((request, response) => {
    came.push(request.headers.authorization)
    response.statusCode = 404
    response.end()
  })
  await chainAt(url.replace('http://', 'http://user:p%40ss@'))
    .tip()
    .catch(() => {})
  expect(new Set(came)).toEqual(new Set([`Basic ${Buffer.from('user:p@ss').toString('base64')}`]))
})
