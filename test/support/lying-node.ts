import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from './clean-up.ts'

/**
 * - old blocks: it knows nothing of the last ones
 * - false fork: it has other blocks than the network, more of them, without the true payments and with invented ones
 * - invented payments: the next true block has some, under its true hash
 * - invented mempool: payments wait that nobody has sent
 */
export const lieNames = ['old blocks', 'false fork', 'invented payments', 'invented mempool'] as const
export type LieName = (typeof lieNames)[number]

/** Pays this address this much, in wei. */
export type Invented = { to: string; value: bigint }

export type LyingNode = {
  /** JSON-RPC over HTTP, on loopback. */
  readonly url: string
  /** From now on; null: the truth again. */
  tell(name: LieName | null, invented?: readonly Invented[]): Promise<void>
}

type Call = { id: unknown; method: string; params?: unknown[] }
type Json = Record<string, unknown>
type Answering = (call: Call) => Promise<unknown>

/** Blocks that an old node does not know, and by which a false fork is longer. */
const OLD_BLOCKS = 6
const AHEAD = 4

/** A node of Ethereum between the product and an honest one, which answers as a test wants. It ends with the test file. */
export async function openLyingNode(honestUrl: string): Promise<LyingNode> {
  let answer: Answering | null = null
  const honest = (body: unknown) =>
    fetch(honestUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then(response => response.json() as Promise<Json>)
  const ask: Ask = async (method, params) => {
    const { result, error } = await honest({ jsonrpc: '2.0', id: 1, method, params })
    if (error) throw new Error(JSON.stringify(error))
    return result
  }
  const answered = async (call: Call) => {
    if (answer === null) return honest(call)
    try {
      return { jsonrpc: '2.0', id: call.id, result: await answer(call) }
    } catch (error) {
      return { jsonrpc: '2.0', id: call.id, error: { code: -32_000, message: String(error) } }
    }
  }
  const server = createServer(async (request, response) => {
    const calls = JSON.parse(await bodyOf(request)) as Call | Call[]
    const answers = Array.isArray(calls) ? await Promise.all(calls.map(answered)) : await answered(calls)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const lies = { 'old blocks': oldBlocks, 'false fork': falseFork, 'invented payments': inBlock }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async tell(name, invented = []) {
      const transactions = invented.map(transactionOf)
      const tip = Number(await ask('eth_blockNumber', []))
      if (name === null) answer = null
      else if (name === 'invented mempool') answer = inMempool(ask, transactions)
      else answer = lies[name](ask, tip, transactions)
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

/** JSON as the node answers it; a text for a quantity. */
// biome-ignore lint/suspicious/noExplicitAny: a test's own node, whose answers are only passed on and changed.
type Ask = (method: string, params: unknown[]) => Promise<any>

const hex = (value: number | bigint) => `0x${value.toString(16)}`
const random = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`

function transactionOf({ to, value }: Invented): Json {
  const gas = { gas: hex(21_000), gasPrice: hex(10n ** 9n) }
  return { hash: random(32), from: random(20), to, value: hex(value), nonce: '0x0', input: '0x', ...gas }
}

function receiptOf({ hash }: Json, blockHash: unknown): Json {
  const gas = { gasUsed: hex(21_000), effectiveGasPrice: hex(10n ** 9n) }
  return { transactionHash: hash, blockHash, status: '0x1', logs: [], ...gas }
}

/** The tip is an old one, and nothing waits. */
function oldBlocks(ask: Ask, trueTip: number): Answering {
  const tip = Math.max(0, trueTip - OLD_BLOCKS)
  return async ({ method, params = [] }) => {
    const [first] = params
    const named = params.map(param => (param === 'latest' ? hex(tip) : param))
    if (method === 'eth_getBlockByNumber' && (first === 'pending' || Number(named[0]) > tip)) return null
    const result = await ask(method, named)
    if (method === 'eth_getTransactionReceipt' && result && Number(result.blockNumber) > tip) return null
    return result
  }
}

function inMempool(ask: Ask, transactions: readonly Json[]): Answering {
  return async ({ method, params = [] }) => {
    const result = await ask(method, params)
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'pending' || result === null) return result
    return { ...result, transactions: [...(result.transactions as Json[]), ...transactions] }
  }
}

/** Only another node betrays it: a block that was read is not read again. */
function inBlock(ask: Ask, trueTip: number, transactions: readonly Json[]): Answering {
  const at = trueTip + 1
  return async ({ method, params = [] }) => {
    const [first, second] = params
    const invented = transactions.find(({ hash }) => hash === first)
    if (method === 'eth_getTransactionReceipt' && invented !== undefined) {
      const block = await ask('eth_getBlockByNumber', [hex(at), false])
      return block && receiptOf(invented, block.hash)
    }
    const result = await ask(method, params)
    const isBlock = method === 'eth_getBlockByNumber' && second === true && first !== 'pending'
    if (!isBlock || result === null || Number(result.number) !== at) return result
    return { ...result, transactions: [...(result.transactions as Json[]), ...transactions] }
  }
}

/** The last true block is another one, with only the invented payments, and enough blocks follow to confirm them. */
function falseFork(ask: Ask, trueTip: number, transactions: readonly Json[]): Answering {
  const from = Math.max(1, trueTip)
  const hashes = new Map<number, string>()
  const hashOf = (height: number) => {
    const hash = hashes.get(height) ?? random(32)
    hashes.set(height, hash)
    return hash
  }
  const blockAt = async (height: number, isFull: unknown) => {
    const tip = Number(await ask('eth_blockNumber', []))
    if (height > tip + AHEAD) return null
    const base = await ask('eth_getBlockByNumber', [hex(Math.min(height, tip)), false])
    if (height < from) return isFull ? ask('eth_getBlockByNumber', [hex(height), true]) : base
    const parentHash = height === from ? base.parentHash : hashOf(height - 1)
    const timestamp = hex(Number(base.timestamp) + Math.max(0, height - tip))
    const found = height === from && isFull ? transactions : []
    return { ...base, number: hex(height), hash: hashOf(height), parentHash, timestamp, transactions: found }
  }
  /** Balances are those before the fork: the true ones would have payments that the false blocks have not. */
  const truthful = async (params: unknown[]) => {
    const before = await ask('eth_getBlockByNumber', [hex(from - 1), false])
    let text = JSON.stringify(params)
    for (const hash of hashes.values()) text = text.replaceAll(hash, before.hash)
    const isLater = (param: unknown) => /^0x[\da-f]{1,8}$/.test(String(param)) && Number(param) >= from
    return (JSON.parse(text) as unknown[]).map(param =>
      param === 'latest' || isLater(param) ? before.number : param,
    )
  }
  return async ({ method, params = [] }) => {
    const [first, second] = params
    if (method === 'eth_getBlockByNumber') {
      if (first === 'pending') return null
      const tip = Number(await ask('eth_blockNumber', []))
      return blockAt(first === 'latest' ? tip + AHEAD : Number(first), second)
    }
    const invented = transactions.find(({ hash }) => hash === first)
    if (invented !== undefined) return receiptOf(invented, hashOf(from))
    const result = await ask(method, await truthful(params))
    if (method === 'eth_getTransactionReceipt' && result && Number(result.blockNumber) >= from) return null
    return result
  }
}
