import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { parseDecimal } from '#shared/money.ts'
import type { Litecoind } from './litecoind.ts'

/** An Esplora HTTP server (Blockstream's API.md) backed by a real node. */
export type Esplora = {
  readonly url: string
  /** Requested paths, oldest first. */
  readonly asked: string[]
  /** Overrides its answers until changed. */
  answerWith(answer: { status: number; headers?: Record<string, string>; body?: string } | undefined): void
  stop(): Promise<void>
}

type Answer = { status: number; type: string; body: string | Buffer; headers?: Record<string, string> }

export async function startEsplora(node: Litecoind): Promise<Esplora> {
  const asked: string[] = []
  let instead: { status: number; headers?: Record<string, string>; body?: string } | undefined
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const answer = instead
      ? Promise.resolve({ type: 'text/plain', body: '', ...instead })
      : answered(node, request, path).catch(error => ({
          status: 500,
          type: 'text/plain',
          body: String(error),
        }))
    void answer.then(found => send(response, found))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    answerWith(answer) {
      instead = answer
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** In two parts, like answers over a network. */
async function send(response: ServerResponse, { status, type, body, headers }: Answer): Promise<void> {
  const bytes = Buffer.from(body)
  response.writeHead(status, { 'content-type': type, ...headers })
  const middle = bytes.length >> 1
  response.write(bytes.subarray(0, middle))
  await new Promise(resolve => setImmediate(resolve))
  response.end(bytes.subarray(middle))
}

const text = (body: string): Answer => ({ status: 200, type: 'text/plain', body })
const json = (value: unknown): Answer => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(value),
})
const raw = (hex: string): Answer => ({
  status: 200,
  type: 'application/octet-stream',
  body: Buffer.from(hex, 'hex'),
})
const none = (body: string): Answer => ({ status: 404, type: 'text/plain', body })

async function answered(node: Litecoind, request: IncomingMessage, path: string): Promise<Answer> {
  return request.method === 'POST' ? broadcast(node, await readText(request)) : answerTo(node, path)
}

/** As Blockstream's electrs answers POST /tx. */
async function broadcast(node: Litecoind, hex: string): Promise<Answer> {
  try {
    return text(await node.call<string>('sendrawtransaction', hex))
  } catch (error) {
    const { code, message } = error as Error & { code: number }
    const body = `sendrawtransaction RPC error: ${JSON.stringify({ code, message })}`
    return { status: 400, type: 'text/plain', body }
  }
}

async function answerTo(node: Litecoind, path: string): Promise<Answer> {
  const [, kind = '', name = '', part = ''] = path.split('/')
  const orNone = <Result>(result: Promise<Result>) =>
    result.catch(error => {
      // The node is unreachable, which differs from having no such data.
      if (error instanceof TypeError) throw error
      return undefined
    })
  switch (`${kind}/${kind === 'blocks' || kind === 'mempool' ? name : part}`) {
    case 'blocks/tip':
      return text(String(await node.call('getblockcount')))
    case 'block-height/': {
      const hash = await orNone(node.call<string>('getblockhash', Number(name)))
      return hash === undefined ? none('Block not found') : text(hash)
    }
    case 'block/header': {
      const header = await orNone(node.call<string>('getblockheader', name, false))
      return header === undefined ? none('Block not found') : text(header)
    }
    case 'block/raw': {
      const block = await orNone(node.call<string>('getblock', name, 0))
      return block === undefined ? none('Block not found') : raw(block)
    }
    case 'fee-estimates/':
      return json(await feeEstimates(node))
    case 'mempool/txids':
      return json(await node.call('getrawmempool'))
    case 'tx/raw': {
      const transaction = await orNone(node.call<string>('getrawtransaction', name))
      return transaction === undefined ? none('Transaction not found') : raw(transaction)
    }
    case 'address/':
      return json(await addressStats(node, name))
    default:
      return none(`no such path: ${path}`)
  }
}

/** Satoshi per virtual byte by blocks, as far as the node has estimates. */
async function feeEstimates(node: Litecoind): Promise<Record<string, number>> {
  const { feerate } = await node.call<{ feerate?: number }>('estimatesmartfee', 6)
  return feerate === undefined ? {} : { 6: feerate * 1e5 }
}

type Output = { value: number; n: number; scriptPubKey: { addresses?: string[] } }
type Transaction = { txid: string; vin: { txid?: string; vout?: number }[]; vout: Output[] }

/** What an address received and spent, from a scan of all blocks. */
async function addressStats(node: Litecoind, address: string) {
  const outputs = new Map<string, bigint>()
  let spent = 0n
  const height = await node.call<number>('getblockcount')
  for (let at = 1; at <= height; at += 1) {
    const hash = await node.call<string>('getblockhash', at)
    const { tx } = await node.call<{ tx: Transaction[] }>('getblock', hash, 2)
    for (const { txid, vin, vout } of tx) {
      for (const { txid: from, vout: index } of vin) spent += outputs.get(`${from}:${index}`) ?? 0n
      for (const { value, n, scriptPubKey } of vout) {
        if (!scriptPubKey.addresses?.includes(address)) continue
        outputs.set(`${txid}:${n}`, parseDecimal(value.toFixed(8), 8)!)
      }
    }
  }
  const funded = [...outputs.values()].reduce((sum, each) => sum + each, 0n)
  return {
    address,
    chain_stats: { funded_txo_sum: Number(funded), spent_txo_sum: Number(spent) },
    mempool_stats: { funded_txo_sum: 0, spent_txo_sum: 0 },
  }
}
