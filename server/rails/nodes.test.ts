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

test('[N-06, T-02] a node is stuck after 24, 50 or 100 block times of its network', () => {
  const minutes = (blocks: number, seconds: number) => (blocks * seconds) / 60
  const stale = Object.entries(kinds).map(([kind, chainAt]) => [
    kind,
    chainAt('http://127.0.0.1:9').staleMinutes,
  ])
  expect(Object.fromEntries(stale)).toEqual({
    'Bitcoin Core': minutes(24, 600),
    Esplora: minutes(24, 600),
    Ethereum: minutes(50, 12),
    TRON: minutes(100, 3),
  })
})

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
