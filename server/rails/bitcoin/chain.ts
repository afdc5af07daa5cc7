import {
  type Block,
  type Chain,
  ChainError,
  outpointOf,
  type Scanned,
  type Watched,
} from '#server/rails/chain.ts'
import { addressOfScript, scriptOfAddress } from './addresses.ts'
import { mempool } from './mempool.ts'
import type { BitcoinNetwork } from './networks.ts'
import { requireSameWork, requireWork } from './proof-of-work.ts'
import type { Payable, Source } from './source.ts'
import { type Header, parseBlock, parseHeader, type Transaction } from './wire.ts'

export type BitcoinChainSettings = { network: BitcoinNetwork; confirmations: number }

/**
 * Reversing two blocks costs a miner more than a usual payment is worth; larger firms set more (BITCOIN_CONFIRMATIONS).
 */
export const defaultConfirmations = 2
/** The longest reorgs of the main network had 53 and 24 blocks, in 2010 and 2013, caused by software bugs. */
const MAX_REORG_DEPTH = 60
/** New coins cannot be spent before their hundredth confirmation (COINBASE_MATURITY). */
const MATURITY = 100
/** An hour: what estimates are for. */
const CONFIRMING_BLOCKS = 6
/** Satoshi per 1,000 virtual bytes that nodes relay (minrelaytxfee of Bitcoin Core before 30). */
const LEAST_RATE = 1_000n

/**
 * Reads Bitcoin's network from a backend. Whole blocks are checked against their own hashes and, on the main network,
 * against the required proof of work: a backend can hide a payment, but inventing one costs as much as mining a block.
 * Other rules of full nodes (signatures, amounts) are not checked.
 *
 * New coins (outputs of a coinbase transaction) count in the block that makes them spendable, 99 above their own:
 * before that they cannot be spent, and do not come back after a reorg.
 */
export function bitcoinChain(source: Source, { network, confirmations }: BitcoinChainSettings): Chain {
  const pool = mempool(source, network)
  const checkNetwork = onceRight(async () => {
    const genesis = await source.hashAt(0)
    if (genesis === undefined || !network.genesis.includes(genesis))
      throw new ChainError(`it is not on ${network.name}: its first block is another one`)
  })
  const blockOf = async (height: number, hash: string): Promise<Block> => {
    const header = parseHeader(await source.header(hash), hash)
    requireWork(header, network.work)
    return { height, hash, parentHash: header.parentHash, time: header.time }
  }
  return {
    confirmations,
    maxReorgDepth: Math.max(MAX_REORG_DEPTH, confirmations),
    staleMinutes: network.staleMinutes,
    restSeconds: null,
    async tip() {
      await checkNetwork()
      const { height, hash } = await source.tip()
      return blockOf(height, hash)
    },
    async blockAt(height) {
      await checkNetwork()
      const hash = await source.hashAt(height)
      return hash === undefined ? undefined : blockOf(height, hash)
    },
    async scan(range, watched) {
      await checkNetwork()
      return scan(source, network, range, watched)
    },
    async pending(watched) {
      await checkNetwork()
      const found: Pick<Scanned, 'transfers' | 'spends'> = { transfers: [], spends: [] }
      const growing = { ...watched, outpoints: new Set(watched.outpoints) }
      for (const transaction of await pool.about(watched)) collect(found, network, transaction, growing, null)
      return found
    },
    async balances(addresses) {
      await checkNetwork()
      const payable = payableOf(addresses, network)
      return new Map([['BTC', payable.length === 0 ? 0n : await source.unspent(payable)]])
    },
    async reserves(addresses) {
      await checkNetwork()
      const { block, outputs } = await source.outputs(payableOf(addresses, network))
      const sums = new Map<string, bigint>()
      for (const { address, satoshi } of outputs) sums.set(address, (sums.get(address) ?? 0n) + satoshi)
      const holdings = [...sums].map(([address, units]) => ({
        address,
        token: 'BTC' as const,
        units,
        isContract: false,
      }))
      return { block, holdings, outputs }
    },
    async broadcast(raw) {
      await checkNetwork()
      return { refused: await source.broadcast(raw) }
    },
    async fees() {
      await checkNetwork()
      const price = await source.feeRate(CONFIRMING_BLOCKS)
      return price === null ? null : { price: price < LEAST_RATE ? LEAST_RATE : price, tip: null }
    },
  }
}

function payableOf(addresses: readonly string[], network: BitcoinNetwork): Payable[] {
  return addresses.map(address => {
    const script = scriptOfAddress(address, network)
    if (!script) throw new RangeError(`${address} is no address of ${network.name}`)
    return { address, script }
  })
}

async function scan(
  source: Source,
  network: BitcoinNetwork,
  { from, to }: { from: number; to: number },
  watched: Watched,
): Promise<Scanned> {
  const whole = new Map<string, Uint8Array>()
  const scanned: Scanned = { blocks: [], transfers: [], spends: [], transactions: whole }
  // A transaction may spend an output of an earlier block, or of the same one.
  const growing = { ...watched, outpoints: new Set(watched.outpoints) }
  let before: Header | undefined
  for (let height = from; height <= to; height += 1) {
    const read = await wholeBlock(source, height)
    const { hash, parentHash, time, transactions } = read
    if (before && before.hash !== parentHash) throw changed()
    await requireMined(source, network, { header: read, height, before })
    before = read
    scanned.blocks.push({ height, hash, parentHash, time })
    const [coinbase, ...payments] = transactions
    if (!coinbase?.coinbase) throw new ChainError(`block ${hash} begins with no coinbase transaction`)
    const ripe = await ripeCoinbase(source, height)
    const block = { height, hash, time }
    for (const transaction of [...ripe, ...payments]) {
      const pays = collect(scanned, network, transaction, growing, block)
      if (pays) whole.set(transaction.id, Buffer.concat(transaction.stripped))
    }
  }
  // Blocks form a chain: if the last one is still active, all are.
  const last = scanned.blocks.at(-1)
  if (last && (await source.hashAt(last.height)) !== last.hash) throw changed()
  return scanned
}

/** Where blocks have proof of work: this one must have as much as its parent, which was read already. */
async function requireMined(
  source: Source,
  { work }: BitcoinNetwork,
  { header, height, before }: { header: Header; height: number; before: Header | undefined },
): Promise<void> {
  if (work === null) return
  requireWork(header, work)
  const { parentHash } = header
  requireSameWork(header, height, before ?? parseHeader(await source.header(parentHash), parentHash))
}

function changed(): ChainError {
  return new ChainError('the chain changed while it was read')
}

async function wholeBlock(source: Source, height: number) {
  const hash = await source.hashAt(height)
  if (hash === undefined) throw new ChainError(`block ${height} is not there any more`)
  return parseBlock(await source.block(hash), hash)
}

/** The coinbase transaction that gets its hundredth confirmation from the block of this height. */
async function ripeCoinbase(source: Source, height: number): Promise<Transaction[]> {
  const from = height - MATURITY + 1
  // The first block's coins can never be spent.
  if (from < 1) return []
  const { transactions } = await wholeBlock(source, from)
  return transactions.slice(0, 1)
}

/**
 * Adds what a transaction pays to or spends of the watched, and watches new outputs. Scripts without an address are
 * ignored. In a block, a transaction comes after those it spends.
 * @returns true if it pays a watched address
 */
function collect(
  found: Pick<Scanned, 'transfers' | 'spends'>,
  network: BitcoinNetwork,
  { id, inputs, outputs }: Transaction,
  watched: Pick<Watched, 'addresses'> & { outpoints: Set<string> },
  block: Scanned['transfers'][number]['block'],
): boolean {
  const before = found.transfers.length
  for (const [position, { script, satoshi }] of outputs.entries()) {
    const address = addressOfScript(script, network)
    if (address === undefined || satoshi === 0n || !watched.addresses.has(address)) continue
    found.transfers.push({
      transactionId: id,
      position,
      address,
      token: 'BTC',
      units: satoshi,
      from: inputs,
      block,
    })
    watched.outpoints.add(outpointOf(id, position))
  }
  for (const outpoint of inputs)
    if (watched.outpoints.has(outpoint))
      found.spends.push({ slot: outpoint, sender: null, transactionId: id, block })
  return found.transfers.length > before
}

/** Runs until it succeeds once. */
function onceRight(check: () => Promise<void>): () => Promise<void> {
  let right = false
  return async () => {
    if (!right) await check()
    right = true
  }
}
