import { randomBytes } from 'node:crypto'
import { scriptOfAddress } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { idOf, parseBlock, parseTransaction, type Transaction } from '#server/rails/bitcoin/wire.ts'
import { outpointOf } from '#server/rails/chain.ts'
import { type Answering, type Ask, openLyingJsonRpc, Refusal } from './json-rpc.ts'
import { agedBlocks, aheadBlocks, type Invented, type LyingNode } from './proxy.ts'

/**
 * - old blocks: it knows nothing of the last ones
 * - false fork: it has other blocks than the network, more of them, without the true payments and with invented ones
 * - invented payments: the next true blocks have one, under their true hashes
 * - hidden payments: the next true blocks have none
 * - changed amounts: payments in the next true blocks, and those that wait, are twice as high
 * - changed receivers: they go to somebody else
 * - invented mempool: payments wait that nobody has sent
 */
export type BitcoinLie =
  | 'old blocks'
  | 'false fork'
  | 'invented payments'
  | 'hidden payments'
  | 'changed amounts'
  | 'changed receivers'
  | 'invented mempool'

const HEADER_BYTES = 80

const outOfRange = new Refusal(-8, 'Block height out of range')
const notFound = new Refusal(-5, 'Not found')

/** JSON-RPC of Bitcoin Core, in front of litecoind; the inventions of a lie are outputs of one transaction. */
export function openLyingBitcoin(honestUrl: string): Promise<LyingNode<BitcoinLie>> {
  const tip = (ask: Ask): Promise<number> => ask('getblockcount', [])
  return openLyingJsonRpc<BitcoinLie>(honestUrl, {
    'old blocks': async ask => oldBlocks(ask, await tip(ask)),
    'false fork': async (ask, invented) => falseFork(ask, await tip(ask), inventionOf(invented)),
    'invented payments': async (ask, invented) =>
      inBlocks(ask, await tip(ask), payments => [...payments, inventionOf(invented)]),
    'hidden payments': async ask => inBlocks(ask, await tip(ask), () => []),
    'changed amounts': async ask =>
      changed(ask, await tip(ask), ({ script, satoshi }) => ({ script, satoshi: satoshi * 2n })),
    'changed receivers': async (ask, invented) => {
      const [{ script }] = outputsOf(invented) as [Output]
      return changed(ask, await tip(ask), ({ satoshi }) => ({ script, satoshi }))
    },
    'invented mempool': async (ask, invented) => inMempool(ask, inventionOf(invented)),
  })
}

type Output = Transaction['outputs'][number]

function outputsOf(invented: readonly Invented[]): Output[] {
  const network = bitcoinNetworks['litecoin-regtest']
  return invented.map(({ to, value }) => ({ script: scriptOfAddress(to, network)!, satoshi: value }))
}

function inventionOf(invented: readonly Invented[]): Buffer {
  return bytesOf({ inputs: [outpointOf(randomBytes(32).toString('hex'), 0)], outputs: outputsOf(invented) })
}

/** Little-endian. */
const number = (value: number) => Buffer.from(Uint32Array.of(value).buffer)
const amount = (value: bigint) => Buffer.from(BigUint64Array.of(value).buffer)
const reversed = (id: string) => Buffer.from(id, 'hex').reverse()
const stripped = (transaction: Transaction) => Buffer.concat(transaction.stripped)
const idOfBytes = (bytes: Uint8Array) => idOf(bytes)

/** Without witnesses and signatures, which the product does not check; with fewer than 253 inputs and outputs. */
function bytesOf({ inputs, outputs }: Pick<Transaction, 'inputs' | 'outputs'>): Buffer {
  const spent = inputs.flatMap(outpoint => {
    const [id, index] = outpoint.split(':')
    return [reversed(id!), number(Number(index)), Buffer.of(0), number(0xffff_ffff)]
  })
  const paid = outputs.flatMap(({ script, satoshi }) => [amount(satoshi), Buffer.of(script.length), script])
  return Buffer.concat([
    ...[number(2), Buffer.of(inputs.length), ...spent],
    ...[Buffer.of(outputs.length), ...paid, number(0)],
  ])
}

/** The tip is an old one, and nothing waits. */
function oldBlocks(ask: Ask, trueTip: number): Answering {
  const tip = Math.max(0, trueTip - agedBlocks)
  return async ({ method, params = [] }) => {
    if (method === 'getrawmempool') return []
    if (method === 'getrawtransaction') throw notFound
    if (method === 'getblockhash' && Number(params[0]) > tip) throw outOfRange
    const result = await ask(method, params)
    if (method !== 'getblockchaininfo') return result
    return { ...result, blocks: tip, bestblockhash: await ask('getblockhash', [tip]) }
  }
}

/** True headers over other transactions: what they commit to betrays it. */
function inBlocks(ask: Ask, trueTip: number, lie: (payments: Buffer[]) => Buffer[]): Answering {
  return async ({ method, params = [] }) => {
    const result = await ask(method, params)
    if (method !== 'getblock') return result
    const { height } = await ask('getblockheader', [params[0], true])
    if (height <= trueTip) return result
    const bytes = Buffer.from(String(result), 'hex')
    const [coinbase, ...payments] = parseBlock(bytes, String(params[0])).transactions.map(stripped)
    return blockOf(bytes.subarray(0, HEADER_BYTES), [coinbase!, ...lie(payments)]).toString('hex')
  }
}

function blockOf(header: Uint8Array, transactions: readonly Uint8Array[]): Buffer {
  return Buffer.concat([header, Buffer.of(transactions.length), ...transactions])
}

function changed(ask: Ask, trueTip: number, lie: (output: Output) => Output): Answering {
  const change = (bytes: Buffer) => {
    const { inputs, outputs } = parseTransaction(bytes, idOfBytes(bytes))
    return bytesOf({ inputs, outputs: outputs.map(lie) })
  }
  const block = inBlocks(ask, trueTip, payments => payments.map(change))
  return async call => {
    const result = await block(call)
    if (call.method !== 'getrawtransaction') return result
    const waiting = parseTransaction(Buffer.from(String(result), 'hex'), String(call.params![0]))
    return change(stripped(waiting)).toString('hex')
  }
}

function inMempool(ask: Ask, transaction: Buffer): Answering {
  const id = idOfBytes(transaction)
  return async ({ method, params = [] }) => {
    if (method === 'getrawtransaction' && params[0] === id) return transaction.toString('hex')
    const result = await ask(method, params)
    return method === 'getrawmempool' ? [...result, id] : result
  }
}

/**
 * The last true block is another one, with only the invented payment, and enough blocks follow to confirm it. All of them
 * are sound: without proof of work, blocks cost nothing.
 */
function falseFork(ask: Ask, trueTip: number, transaction: Buffer): Answering {
  const from = Math.max(1, trueTip)
  /** From that height on, and by hash. */
  const hashes: string[] = []
  const blocks = new Map<string, Buffer>()
  const extend = async (tip: number) => {
    while (from + hashes.length <= tip) {
      const height = from + hashes.length
      const parent: string = hashes.at(-1) ?? (await ask('getblockhash', [from - 1]))
      const block = await falseBlock(ask, { height, parent, payments: height === from ? [transaction] : [] })
      const hash = idOfBytes(block.subarray(0, HEADER_BYTES))
      hashes.push(hash)
      blocks.set(hash, block)
    }
  }
  // One after the other, so that no height gets two blocks.
  let extending = Promise.resolve()
  const tipNow = async () => {
    const tip = Number(await ask('getblockcount', [])) + aheadBlocks
    extending = extending.then(() => extend(tip))
    await extending
    return from + hashes.length - 1
  }
  return async ({ method, params = [] }) => {
    const [first] = params
    if (method === 'getrawmempool') return []
    if (method === 'getrawtransaction') throw notFound
    const tip = await tipNow()
    if (method === 'getblockhash' && Number(first) > tip) throw outOfRange
    if (method === 'getblockhash' && Number(first) >= from) return hashes[Number(first) - from]
    const block = blocks.get(String(first))
    if (method === 'getblockheader' && block) return block.subarray(0, HEADER_BYTES).toString('hex')
    if (method === 'getblock' && block) return block.toString('hex')
    const result = await ask(method, params)
    return method === 'getblockchaininfo' ? { ...result, blocks: tip, bestblockhash: hashes.at(-1) } : result
  }
}

/** With the coinbase, the time and the bits of the true block of this height, or of the true tip. */
async function falseBlock(
  ask: Ask,
  { height, parent, payments }: { height: number; parent: string; payments: Buffer[] },
): Promise<Buffer> {
  const tip: number = await ask('getblockcount', [])
  const hash: string = await ask('getblockhash', [Math.min(height, tip)])
  const bytes = Buffer.from(await ask('getblock', [hash, 0]), 'hex')
  const coinbase = stripped(parseBlock(bytes, hash).transactions[0]!)
  const ids = [coinbase, ...payments].map(each => reversed(idOfBytes(each)))
  const root = ids.length === 1 ? ids[0]! : reversed(idOf(...ids))
  const [version, timeAndBits] = [bytes.subarray(0, 4), bytes.subarray(68, 76)]
  const header = Buffer.concat([version, reversed(parent), root, timeAndBits, randomBytes(4)])
  return blockOf(header, [coinbase, ...payments])
}
