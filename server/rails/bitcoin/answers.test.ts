import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import { type Chain, ChainError, type Watched } from '#server/rails/chain.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { startLitecoind, withoutLitecoind } from '#test/support/litecoind.ts'
import { tpub } from '#test/support/watched.ts'
import { addressAt, bitcoinAccount } from './addresses.ts'
import { bitcoinChain } from './chain.ts'
import { coreChain, coreSource } from './core.ts'
import { esploraChain } from './esplora.ts'
import { bitcoinNetworks } from './networks.ts'

/** Answers of a node that must be rejected, or that come too early. */

const network = bitcoinNetworks['litecoin-regtest']
const settings = { network, confirmations: 2 }
const account = bitcoinAccount(`wpkh(${tpub}/<0;1>/*)`, network)
const nothing: Watched = { addresses: new Set(), outpoints: new Set(), senders: new Set() }

describe.skipIf(withoutLitecoind)('a node that cannot be relied on', () => {
  test('[K-03] a chain that changes while it is read is an error', async () => {
    const node = await startLitecoind({ funded: 1 })
    atEnd(node.remove)
    const source = coreSource(node.url)
    const change = async () => {
      await node.disconnectBlocks(2)
      await node.mine(3)
    }
    /** @param after changes after this many blocks have been read */
    const changing = (after: number) => {
      let read = 0
      const block = async (hash: string) => {
        const bytes = await source.block(hash)
        read += 1
        if (read === after) await change()
        return bytes
      }
      return bitcoinChain({ ...source, block }, settings)
    }
    const range = async () => {
      const to = await node.call<number>('getblockcount')
      // Low enough that no coinbase matures in between.
      return { from: to - 1, to }
    }
    await node.disconnectBlocks(60)
    const error = new ChainError('the chain changed while it was read')
    await node.mine(2)
    await expect(changing(1).scan(await range(), nothing)).rejects.toThrow(error)
    await expect(changing(2).scan(await range(), nothing)).rejects.toThrow(error)
    await expect(bitcoinChain(source, settings).scan(await range(), nothing)).resolves.toBeDefined()
  })

  test('[K-03] a block whose transactions are not its own is an error', async () => {
    const node = await startLitecoind({ funded: 1 })
    atEnd(node.remove)
    const source = coreSource(node.url)
    const [address, other] = [addressAt(account, 0, 0), addressAt(account, 0, 1)]
    await node.pay({ address, satoshi: 1_000_000n })
    await node.pay({ address: other, satoshi: 2_000_000n })
    const [hash] = await node.mine()
    const to = await node.call<number>('getblockcount')
    const scanWith = (tamper: (bytes: Buffer) => Uint8Array) => {
      const block = async (id: string) => {
        const bytes = Buffer.from(await source.block(id))
        return id === hash ? tamper(bytes) : bytes
      }
      return bitcoinChain({ ...source, block }, settings).scan(
        { from: to, to },
        { addresses: new Set([address]), outpoints: new Set(), senders: new Set() },
      )
    }
    const amount = Buffer.alloc(8)
    amount.writeBigUInt64LE(1_000_000n)
    expect((await scanWith(bytes => bytes)).transfers).toHaveLength(1)
    await expect(
      scanWith(bytes => {
        bytes.writeBigUInt64LE(100_000_000n, bytes.indexOf(amount))
        return bytes
      }),
    ).rejects.toThrow(`block ${hash} came with other transactions than its own`)
    await expect(scanWith(bytes => Buffer.concat([bytes, bytes]))).rejects.toThrow('other transactions')
    await expect(scanWith(bytes => bytes.subarray(0, -1))).rejects.toThrow('came cut off')
    await expect(scanWith(bytes => bytes.subarray(0, 40))).rejects.toThrow('without its header')
    await expect(
      scanWith(bytes => {
        bytes[4]! ^= 1
        return bytes
      }),
    ).rejects.toThrow(`the node answered with another block than ${hash}`)
    // An odd number of transactions has the same root as with the last one twice (CVE-2012-2459).
    const { tx } = await node.call<{ tx: string[] }>('getblock', hash)
    expect(tx).toHaveLength(3)
    const last = Buffer.from(await node.call<string>('getrawtransaction', tx[2], false, hash), 'hex')
    const count = 80
    await expect(
      scanWith(bytes =>
        Buffer.concat([bytes.subarray(0, count), Buffer.of(4), bytes.subarray(count + 1), last]),
      ),
    ).rejects.toThrow('other transactions')
  })

  test('[K-02] a node that is still syncing is waited for', async () => {
    const node = await startLitecoind({ funded: 0 })
    atEnd(node.remove)
    await expect(coreChain(node.url, settings).tip()).rejects.toThrow(
      new ChainError('the node is still syncing'),
    )
  })

  test('[K-02] a node that refuses the password says so, without it', async () => {
    const node = await startLitecoind({ funded: 0 })
    atEnd(node.remove)
    const url = node.url.replace(/:[^:@]+@/, ':wrong%21@')
    await expect(coreChain(url, settings).tip()).rejects.toThrow(
      new ChainError('the node refuses the user name or password'),
    )
  })
})

describe('answers that are none', () => {
  /** A server with the same answer to every request. */
  async function answering(respond: (response: ServerResponse) => void): Promise<string> {
    const server = createServer((_, response) => respond(response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    atEnd(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const errorOf = async (chain: Chain) => {
    const error = await chain.tip().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ChainError)
    const { message, waitMs } = error as ChainError
    expect(message).not.toContain('secret')
    return { message, waitMs }
  }
  const core = (url: string) => coreChain(url, settings)
  const esplora = (url: string) => esploraChain(url.replace('user:secret@', ''), settings)
  const both = (respond: (response: ServerResponse) => void) =>
    Promise.all([core, esplora].map(async make => errorOf(make(await answering(respond)))))

  test('[K-03] too many requests: it says for how long it is left alone', async () => {
    const told = await both(response => response.writeHead(429, { 'retry-after': '7' }).end())
    expect(told).toEqual([
      { message: 'getblockhash: HTTP 429', waitMs: 7000 },
      { message: '/block-height/0: too many requests', waitMs: 7000 },
    ])
    const untold = await both(response => response.writeHead(429).end())
    expect(untold.map(({ waitMs }) => waitMs)).toEqual([undefined, 60_000])
  })

  test('[K-03] an answer in another form than is documented', async () => {
    const words = async (respond: (response: ServerResponse) => void) =>
      (await both(respond)).map(({ message }) => message)
    expect(await words(response => response.writeHead(502).end('<html>'))).toEqual([
      'getblockhash: HTTP 502',
      '/block-height/0: HTTP 502',
    ])
    expect(await words(response => response.end('<html>'))).toEqual([
      'getblockhash: the answer is not JSON',
      expect.stringContaining('/block-height: unexpected answer'),
    ])
    expect(await words(response => response.end('[{"id":0,"result":7,"error":null}]'))).toEqual([
      expect.stringContaining('getblockhash: unexpected answer'),
      expect.stringContaining('/block-height: unexpected answer'),
    ])
    expect(await words(response => response.end('[]'))).toEqual([
      'getblockhash: incomplete answer',
      expect.anything(),
    ])
    let asked = 0
    const target = await answering(response => {
      asked += 1
      response.end('[]')
    })
    const location = target.replace('user:secret@', '')
    const elsewhere = await words(response => response.writeHead(307, { location }).end())
    expect(asked).toBe(0)
    expect(elsewhere).toEqual(['getblockhash: it cannot be reached', '/block-height/0: it cannot be reached'])
    expect(await words(response => void response.socket!.destroy())).toEqual([
      'getblockhash: it cannot be reached',
      '/block-height/0: it cannot be reached',
    ])
  })

  /** A backend of the main network that answers one more thing. */
  const backendOf = async (make: typeof core, more: (what: string) => unknown) => {
    const url = await serving((path, body) => {
      const [call] = body === '' || path === '/tx' ? [] : JSON.parse(body)
      if (path === '/block-height/0' || call?.method === 'getblockhash')
        return call ? [{ id: 0, result: network.genesis[0] }] : network.genesis[0]!
      return call ? [{ id: 0, ...(more(call.method) as object) }] : more(path)
    })
    return make(url)
  }
  /** A server that answers text or JSON. */
  async function serving(answer: (path: string, body: string) => unknown): Promise<string> {
    const server = createServer(async (request, response) => {
      const found = answer(request.url!, await text(request))
      const isRefusal = typeof found === 'string' && found.includes('RPC error')
      response.writeHead(isRefusal ? 400 : 200).end(typeof found === 'string' ? found : JSON.stringify(found))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    atEnd(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  test('[S-04] fees are satoshi per 1,000 virtual bytes, for six blocks and at least 1,000', async () => {
    const feesOf = async (bitcoinPerKvB: unknown, satoshiPerVB: unknown) => {
      const ofCore = await backendOf(core, () => ({ result: { feerate: bitcoinPerKvB, blocks: 6 } }))
      const ofEsplora = await backendOf(esplora, () => ({ 1: 99.5, 6: satoshiPerVB, 144: 1.0 }))
      return [await ofCore.fees(), await ofEsplora.fees()]
    }
    expect(await feesOf(0.00012345, 12.345)).toEqual(Array(2).fill({ price: 12_345n, tip: null }))
    expect(await feesOf(0.000001, 0.1)).toEqual(Array(2).fill({ price: 1_000n, tip: null }))
    expect(await feesOf(undefined, undefined)).toEqual([null, null])
    await expect(feesOf(-0.1, 1)).rejects.toThrow('estimatesmartfee: unexpected answer')
    await expect(feesOf(0.00012345, 'much')).rejects.toThrow('/fee-estimates: unexpected answer')
  })

  test('[S-04] words about a transaction are a refusal, other errors none', async () => {
    const raw = Uint8Array.of(1, 2, 3)
    const answer = async (chain: Chain) => {
      try {
        return (await chain.broadcast(raw)).refused
      } catch (error) {
        return error
      }
    }
    const told = async (code: number, message: string) => [
      await answer(await backendOf(core, () => ({ result: null, error: { code, message } }))),
      await answer(
        await backendOf(esplora, () => `sendrawtransaction RPC error: ${JSON.stringify({ code, message })}`),
      ),
    ]
    expect(await told(-26, 'min relay fee not met, 14 < 141')).toEqual(
      Array(2).fill('min relay fee not met, 14 < 141'),
    )
    expect(await told(-27, 'Transaction outputs already in utxo set')).toEqual([null, null])
    expect(await told(-28, 'Loading block index...')).toEqual([
      new ChainError('the node is still starting: Loading block index...'),
      new ChainError('/tx: HTTP 400'),
    ])
    const inWords = (words: string) =>
      backendOf(esplora, () => `sendrawtransaction RPC error: ${words}`).then(answer)
    expect(await inWords('min relay fee not met')).toBe('min relay fee not met')
    expect(await inWords('txn-already-in-mempool')).toBeNull()
  })

  test('[K-02] a node that is still starting says what it is doing', async () => {
    const url = await answering(response =>
      response.end('[{"id":0,"result":null,"error":{"code":-28,"message":"Loading block index..."}}]'),
    )
    expect((await errorOf(core(url))).message).toBe('the node is still starting: Loading block index...')
  })

  test('[K-03] no answer at all', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    const soon = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50))
    try {
      const silent = await both(() => {})
      const begun = await both(response => void response.write('['))
      for (const { message } of [...silent, ...begun]) expect(message).toMatch(/: no answer within 10 s$/)
    } finally {
      soon.mockRestore()
    }
  })

  test('[K-03] an answer without end', async () => {
    const part = Buffer.alloc(2 ** 20, ' ')
    const endless = await both(response => {
      const more = () => {
        while (!response.destroyed && response.write(part));
        response.once('drain', more)
      }
      more()
    })
    for (const { message } of endless) expect(message).toMatch(/: the answer is too long$/)
  })
})
