import { randomBytes } from 'node:crypto'
import { type Answering, type Ask, openLyingJsonRpc } from './json-rpc.ts'
import { agedBlocks, aheadBlocks, type Invented, type LyingNode } from './proxy.ts'

/**
 * - old blocks: it knows nothing of the last ones
 * - false fork: it has other blocks than the network, more of them, without the true payments and with invented ones
 * - invented payments: the next true block has some, under its true hash
 * - invented mempool: payments wait that nobody has sent
 * - hidden payments: the next true blocks have none
 * - changed amounts: payments in the next true blocks are twice as high
 * - changed receivers: they go to somebody else
 */
export type EthereumLie =
  | 'old blocks'
  | 'false fork'
  | 'invented payments'
  | 'invented mempool'
  | 'hidden payments'
  | 'changed amounts'
  | 'changed receivers'

/** JSON-RPC over HTTP. */
export function openLyingEthereum(honestUrl: string): Promise<LyingNode<EthereumLie>> {
  const tip = async (ask: Ask) => Number(await ask('eth_blockNumber', []))
  return openLyingJsonRpc<EthereumLie>(honestUrl, {
    'old blocks': async ask => oldBlocks(ask, await tip(ask)),
    'false fork': async (ask, invented) => falseFork(ask, await tip(ask), invented.map(transactionOf)),
    'invented payments': async (ask, invented) => inBlock(ask, await tip(ask), invented.map(transactionOf)),
    'invented mempool': async (ask, invented) => inMempool(ask, invented.map(transactionOf)),
    'hidden payments': async ask => after(ask, await tip(ask), () => []),
    'changed amounts': async ask =>
      after(ask, await tip(ask), all =>
        all.map(one => ({ ...one, value: hex(BigInt(String(one.value)) * 2n) })),
      ),
    'changed receivers': async (ask, [other]) =>
      after(ask, await tip(ask), all => all.map(one => ({ ...one, to: other!.to }))),
  })
}

type Json = Record<string, unknown>

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
  const tip = Math.max(0, trueTip - agedBlocks)
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

/**
 * Other transactions in the true blocks after the tip, up to the last one, and in the one that waits. Balances and receipts are the true
 * ones: of all other answers of the node only the balances betray it.
 */
function after(
  ask: Ask,
  trueTip: number,
  lie: (transactions: Json[]) => Json[],
  last = Number.POSITIVE_INFINITY,
): Answering {
  return async ({ method, params = [] }) => {
    const result = await ask(method, params)
    const isFull = method === 'eth_getBlockByNumber' && params[1] === true && result !== null
    const isLie = isFull && Number(result.number) > trueTip && Number(result.number) <= last
    return isLie ? { ...result, transactions: lie(result.transactions as Json[]) } : result
  }
}

/** Invented transactions in the next true block have receipts. */
function inBlock(ask: Ask, trueTip: number, transactions: readonly Json[]): Answering {
  const at = trueTip + 1
  const others = after(ask, trueTip, all => [...all, ...transactions], at)
  return async call => {
    const [first] = call.params ?? []
    const invented = transactions.find(({ hash }) => hash === first)
    if (call.method !== 'eth_getTransactionReceipt' || invented === undefined) return others(call)
    const block = await ask('eth_getBlockByNumber', [hex(at), false])
    return block && receiptOf(invented, block.hash)
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
    if (height > tip + aheadBlocks) return null
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
      return blockAt(first === 'latest' ? tip + aheadBlocks : Number(first), second)
    }
    const invented = transactions.find(({ hash }) => hash === first)
    if (invented !== undefined) return receiptOf(invented, hashOf(from))
    const result = await ask(method, await truthful(params))
    if (method === 'eth_getTransactionReceipt' && result && Number(result.blockNumber) >= from) return null
    return result
  }
}
