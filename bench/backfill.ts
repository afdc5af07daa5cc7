import { setTimeout as delay } from 'node:timers/promises'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { publicMnemonic } from '#server/demo/anvil.ts'
import type { RailName } from '#shared/coins.ts'
import { type Litecoind, startLitecoind } from '#test/support/litecoind.ts'
import type { ChainScale } from './chain-scale.ts'
import { type ChainWorld, type Site, watchOthers } from './chain-world.ts'
import { type Figure, figure } from './figure.ts'
import type { Server } from './servers.ts'
import type { Closers } from './until-stopped.ts'
import { ethereumEnvironment, startChain } from './watching.ts'

/** 10,000 blocks a minute. */
const LEAST_PER_SECOND = 10_000 / 60
const LIMIT_MS = 600_000
/** How the bare loop reads: as many full blocks of Ethereum in one request as the product. */
const BLOCKS_AT_ONCE = 10
const BITCOIN_BLOCK_MS = 10_000

type Range = { from: number; to: number }
/** A node with a long chain, and the least that a program does to read its blocks. */
type Node = { env: Record<string, string>; height: number; readBare: (range: Range) => Promise<void> }

/**
 * How fast a worker catches up with a node of its own, and what watching Bitcoin costs it then.
 * @throws Error if it does not reach the tip
 */
export async function measureBackfill(world: ChainWorld, scale: ChainScale): Promise<Figure[]> {
  const closers: Closers = []
  try {
    const anvil = await ethereumNode(scale, closers)
    const ethereum = await measureNetwork(world, scale, { rail: 'ethereum', node: anvil, closers })
    const litecoind = await startLitecoind({ funded: 50 })
    closers.push(litecoind.remove)
    const chain = await bitcoinNode(scale, litecoind)
    const bitcoin = await measureNetwork(world, scale, { rail: 'bitcoin', node: chain, closers })
    return [...ethereum.figures, ...bitcoin.figures, await measureBitcoin(scale, litecoind, bitcoin)]
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function measureNetwork(
  world: ChainWorld,
  { addresses, backfill, rounds }: ChainScale,
  { rail, node, closers }: { rail: 'ethereum' | 'bitcoin'; node: Node; closers: Closers },
): Promise<{ site: Site; worker: Server; figures: Figure[] }> {
  const site = world.open(`backfill_${rail}`, closers)
  await watchOthers(site.pool, { rail, count: addresses, investor: world.investors[0]! })
  const worker = await site.start('worker', node.env)
  const parts = Array.from({ length: rounds }, (_, part) => {
    const size = Math.floor(backfill[rail] / rounds)
    const from = node.height - backfill[rail] + part * size
    return { from, to: from + size }
  })
  const product = await speedOfWorker(site, { rail, parts })
  const bare: number[] = []
  for (const { from, to } of parts) {
    const began = performance.now()
    await node.readBare({ from: from + 1, to })
    bare.push(((to - from) / (performance.now() - began)) * 1000)
  }
  const unit = 'per second'
  const measured = {
    what: `blocks of ${rail} while ${addresses.toLocaleString('en')} addresses are watched`,
    unit,
    rounds: product,
  } as const
  const name = `backfill${rail === 'ethereum' ? 'Ethereum' : 'Bitcoin'}`
  return {
    site,
    worker,
    figures: [
      figure(name, { atLeast: 1 }, measured, {
        what: 'at least',
        unit,
        rounds: parts.map(() => LEAST_PER_SECOND),
      }),
      figure(`${name}PerBare`, null, measured, { what: 'read by a bare loop', unit, rounds: bare }),
    ],
  }
}

/** @returns blocks a second in each part */
async function speedOfWorker(
  { pool }: Site,
  { rail, parts }: { rail: RailName; parts: Range[] },
): Promise<number[]> {
  const deadline = performance.now() + LIMIT_MS
  const reached = async (height: number) => {
    for (;;) {
      const { rows } = await pool.query<{ at: number; error: string | null }>(
        'SELECT synced_height AS at, sync_error AS error FROM app.chain_cursors WHERE rail = $1',
        [rail],
      )
      const [cursor] = rows
      if (cursor && cursor.at >= height) return { at: cursor.at, time: performance.now() }
      if (performance.now() > deadline) throw new Error(`${rail} is not synced: ${JSON.stringify(cursor)}`)
      await delay(20)
    }
  }
  const speeds: number[] = []
  let last = await reached(parts[0]!.from)
  for (const { to } of parts) {
    const next = await reached(to)
    speeds.push(((next.at - last.at) / (next.time - last.time)) * 1000)
    last = next
  }
  return speeds
}

/** Empty blocks, a second apart in the past. */
async function ethereumNode({ backfill }: ChainScale, closers: Closers): Promise<Node> {
  const height = backfill.ethereum + 100
  const began = Math.floor(Date.now() / 1000) - height - 3_600
  const { url } = await startChain(closers, ['--prune-history', '--timestamp', `${began}`])
  const ask = (calls: { method: string; params: unknown[] }[]) =>
    post(
      url,
      calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })),
    )
  await ask([{ method: 'anvil_mine', params: [`0x${height.toString(16)}`, '0x1'] }])
  return {
    env: ethereumEnvironment(url, 12),
    height,
    async readBare({ from, to }) {
      for (let first = from; first <= to; first += BLOCKS_AT_ONCE) {
        const heights = Array.from({ length: Math.min(BLOCKS_AT_ONCE, to - first + 1) }, (_, n) => first + n)
        await ask(
          heights.map(at => ({ method: 'eth_getBlockByNumber', params: [`0x${at.toString(16)}`, true] })),
        )
      }
    },
  }
}

async function bitcoinNode({ backfill }: ChainScale, node: Litecoind): Promise<Node> {
  await node.mine(backfill.bitcoin)
  const height = await node.call<number>('getblockcount')
  const versions = { private: 0x04_35_83_94, public: 0x04_35_87_cf }
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(publicMnemonic), versions)
  return {
    env: {
      BITCOIN_NETWORK: 'litecoin-regtest',
      BITCOIN_XPUB: root.derive("m/84'/1'/0'").publicExtendedKey,
      BITCOIN_RPC_URL: node.url,
    },
    height,
    async readBare({ from, to }) {
      for (let at = from; at <= to; at += 1) {
        await node.call('getblock', await node.call('getblockhash', at), 0)
      }
    },
  }
}

/** A block of strangers' transactions every ten seconds, which is sixty times the main network's rate. */
async function measureBitcoin(
  { addresses, rounds, bitcoin: { blocks, transactions } }: ChainScale,
  node: Litecoind,
  { site, worker }: { site: Site; worker: Server },
): Promise<Figure> {
  const stranger = await node.call<string>('getnewaddress')
  const used: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const [began, before] = [performance.now(), site.processorMs(worker)]
    for (let block = 0; block < blocks; block += 1) {
      const next = delay(BITCOIN_BLOCK_MS)
      for (let n = 0; n < transactions; n += 1) await node.pay({ address: stranger, satoshi: 100_000n })
      await next
      await node.mine()
    }
    const after = site.processorMs(worker)
    const processorMs = after.worker - before.worker + after.database - before.database
    used.push((processorMs / (performance.now() - began)) * 1000)
  }
  const unit = 'milliseconds'
  return figure(
    'watchingBitcoinPerTwoCores',
    { atMost: 0.25 },
    {
      what: `of processors a second: a worker that watches ${addresses.toLocaleString('en')} addresses of Bitcoin, and its database`,
      unit,
      rounds: used,
    },
    { what: 'two cores', unit, rounds: used.map(() => 2 * 1000) },
  )
}

async function post(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const answers = (await response.json()) as { error?: unknown }[]
  const failed = answers.find(({ error }) => error !== undefined)
  if (failed !== undefined) throw new Error(JSON.stringify(failed.error))
}
