import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import { type Anvil, anvilChainId, anvilProgram, startAnvil } from '#server/demo/anvil.ts'
import { demoAccount } from '#server/demo/chain.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { openDatabase } from '#server/platform/database/pool.ts'
import { storeReadings } from '#server/prices/feeds.ts'
import { sampleFeed } from '#server/prices/sample.ts'
import { nodeAt } from '#server/rails/ethereum/node.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { parseDecimal } from '#shared/money.ts'
import { make } from './calls.ts'
import type { ChainScale } from './chain-scale.ts'
import { type ChainWorld, watchOthers } from './chain-world.ts'
import { type Figure, figure } from './figure.ts'
import { percentile } from './measure.ts'
import type { Closers } from './until-stopped.ts'

/** Maximum time from a payment's confirming block to its credit, in milliseconds. */
const MOST_MS = 2_000
/**
 * Blocks are half a second to one and a half seconds apart, so not in step with the worker's syncs, which are a second
 * apart.
 */
const SHORTEST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 1_500
/** The block of a payment, and the one that completes its confirmations. */
const CONFIRMATIONS = 2
const DOLLARS = 100
/** Time limit until everything is credited. */
const LIMIT_MS = 30_000

/**
 * How long a payment waits for its credit after its confirming block, and how much processor time the worker and its
 * database use meanwhile: a real worker syncs a real chain. Each block has some hundreds of transactions, a few of them
 * payments, and very many addresses are watched.
 * @throws Error if a payment is not credited, or an invariant of the books is violated
 */
export async function measureWatching(world: ChainWorld, scale: ChainScale): Promise<Figure[]> {
  const closers: Closers = []
  try {
    const chain = await openChain(closers)
    const product = await openProduct(world, scale, { chain, closers })
    const measured: Round[] = []
    for (let round = 0; round <= scale.rounds; round += 1) {
      const one = await measureRound(scale, { chain, product })
      // The first one warms up.
      if (round > 0) measured.push(one)
    }
    await requireSound(product)
    return figuresOf(measured, scale)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

function figuresOf(measured: readonly Round[], { addresses, transactions }: ChainScale): Figure[] {
  const unit = 'milliseconds'
  const count = addresses.toLocaleString('en')
  const share = (of: (round: Round) => number) => measured.map(round => (of(round) / round.elapsedMs) * 1000)
  const twoCores = { what: 'two cores', unit, rounds: measured.map(() => 2 * 1000) } as const
  return [
    figure(
      'blockToCreditP95',
      { atMost: 1 },
      {
        what: `p95 of ${measured.flatMap(({ creditMs }) => creditMs).length} credits, from the block that confirms a payment`,
        unit,
        rounds: measured.map(({ creditMs }) => percentile(creditMs, 0.95)),
      },
      { what: 'at most', unit, rounds: measured.map(() => MOST_MS) },
    ),
    figure(
      'watchingPerTwoCores',
      { atMost: 0.25 },
      {
        what: `of processors a second: a worker that watches ${count} addresses, and its database, a block of ${transactions} transactions a second`,
        unit,
        rounds: share(({ worker, database }) => worker + database),
      },
      twoCores,
    ),
    figure(
      'watchingDatabasePerTwoCores',
      null,
      { what: 'the database alone', unit, rounds: share(({ database }) => database) },
      twoCores,
    ),
  ]
}

type Payment = { to: string; wei: bigint; depositId: string }
type Chain = Awaited<ReturnType<typeof openChain>>

/** A product's settings of a local Ethereum. */
export function ethereumEnvironment(url: string, confirmations: number): Record<string, string> {
  return {
    ETHEREUM_XPUB: demoAccount,
    ETHEREUM_CHAIN_ID: `${anvilChainId}`,
    ETHEREUM_RPC_URL: url,
    ETHEREUM_CONFIRMATIONS: `${confirmations}`,
  }
}

/** @throws Error without anvil */
export async function startChain(closers: Closers, options: readonly string[] = []): Promise<Anvil> {
  const program = anvilProgram()
  if (program === undefined) throw new Error('There is no anvil here: npm ci --include=optional')
  const anvil = await startAnvil(program, ['--no-mining', ...options])
  closers.push(anvil.stop)
  return anvil
}

/** Accounts whose transactions the node signs itself. */
async function openChain(closers: Closers) {
  const anvil = await startChain(closers)
  const node = nodeAt(anvil.url)
  const accounts = await node.ask('eth_accounts', [], z.array(z.string()))
  const nonces = accounts.map(() => 0)
  let sent = 0
  const send = (to: string, wei: bigint) => {
    const at = sent++ % accounts.length
    const fees = { maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x3b9aca00' }
    const nonce = hex(nonces[at]!++)
    const transaction = { from: accounts[at], to, value: hex(wei), gas: '0x5208', nonce, ...fees }
    return node.ask('eth_sendTransaction', [transaction], z.string())
  }
  return {
    url: anvil.url,
    /**
     * A block of these payments and this many foreign transactions.
     * @returns the time just before it
     */
    async mine(payments: readonly Payment[], others: number): Promise<number> {
      const strangers = Array.from({ length: others }, () => strangerAt(sent++))
      await Promise.all([
        ...payments.map(({ to, wei }) => send(to, wei)),
        ...strangers.map(to => send(to, 1n)),
      ])
      const before = performance.now()
      await node.ask('evm_mine', [], z.unknown())
      const block = z.object({ transactions: z.array(z.string()) })
      const { transactions } = await node.ask('eth_getBlockByNumber', ['latest', false], block)
      if (transactions.length !== payments.length + others) {
        throw new Error(`${transactions.length} transactions were mined of ${payments.length + others}`)
      }
      return before
    },
  }
}

type Product = {
  pool: pg.Pool
  /** Investors with one payment each, by round. */
  ask: () => Promise<Payment>
  credited: Credited
  /** Of the worker and the database since their start. */
  processorMs: () => { worker: number; database: number }
}

async function openProduct(
  world: ChainWorld,
  { addresses, rounds, blocks, payments }: ChainScale,
  { chain, closers }: { chain: Chain; closers: Closers },
): Promise<Product> {
  const site = world.open('credits', closers)
  const count = addresses - (rounds + 1) * blocks * payments
  await watchOthers(site.pool, { rail: 'ethereum', count, investor: world.investors[0]! })
  const silent = { info() {}, warn() {} }
  await storeReadings({ db: openDatabase(site.pool), log: silent, clock: { now: () => new Date() } }, [
    sampleFeed,
  ])
  const env = ethereumEnvironment(chain.url, CONFIRMATIONS)
  const web = await site.start('web', env)
  const worker = await site.start('worker', env)
  const credited = await listenForCredits(site.url, closers)
  let asked = 0
  const ask = async (): Promise<Payment> => {
    const investor = world.investors[asked++ % world.investors.length]!
    const body = { method: 'ethereum', amount: DOLLARS } as const
    const { data } = await make(web, world.tokenOf(investor), newDeposit, { body })
    const { address, amountCrypto } = data.payment
    return { to: address, wei: parseDecimal(amountCrypto, 18)!, depositId: data._id }
  }
  return { pool: site.pool, ask, credited, processorMs: () => site.processorMs(worker) }
}

type Round = { creditMs: number[]; worker: number; database: number; elapsedMs: number }

async function measureRound(
  { blocks, payments, transactions }: ChainScale,
  { chain, product }: { chain: Chain; product: Product },
): Promise<Round> {
  const asked: Payment[] = []
  for (let n = 0; n < blocks * payments; n += 1) asked.push(await product.ask())
  const confirmedAt = new Map<string, number>()
  const [began, before] = [performance.now(), product.processorMs()]
  let unconfirmed: Payment[] = []
  for (let block = 0; block < blocks + CONFIRMATIONS - 1; block += 1) {
    const pause = SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS)
    const next = delay(pause)
    const paid = asked.slice(block * payments, (block + 1) * payments)
    const at = await chain.mine(paid, transactions - paid.length)
    for (const { depositId } of unconfirmed) confirmedAt.set(depositId, at)
    unconfirmed = paid
    await next
  }
  const creditedAt = await product.credited(asked.map(({ depositId }) => depositId))
  const [after, elapsedMs] = [product.processorMs(), performance.now() - began]
  const creditMs = [...confirmedAt].map(([id, at]) => creditedAt.get(id)! - at).sort((a, b) => a - b)
  const [worker, database] = [after.worker - before.worker, after.database - before.database]
  return { creditMs, worker, database, elapsedMs }
}

/**
 * Waits until deposits are credited; returns when each was.
 * @throws Error after the time limit
 */
type Credited = (depositIds: readonly string[]) => Promise<ReadonlyMap<string, number>>

/** The database notifies a deposit's change at once, as for open pages, so nothing is polled. */
async function listenForCredits(url: string, closers: Closers): Promise<Credited> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  closers.push(() => client.end())
  const found = new Map<string, number>()
  let looking = Promise.resolve()
  const find = async () => {
    const { rows } = await client.query<{ id: string }>("SELECT id FROM app.deposits WHERE status = 'paid'")
    const now = performance.now()
    for (const { id } of rows) if (!found.has(id)) found.set(id, now)
  }
  client.on('notification', ({ payload }) => {
    if (payload?.startsWith('deposits')) looking = looking.then(find)
  })
  await client.query('LISTEN changed')
  return async depositIds => {
    const deadline = Date.now() + LIMIT_MS
    for (;;) {
      await looking
      const missing = depositIds.filter(id => !found.has(id))
      if (missing.length === 0) return found
      if (Date.now() > deadline) throw new Error(`${missing.length} payments were not credited`)
      await delay(50)
    }
  }
}

/** Everything was credited as it arrived, and the books are in order. */
async function requireSound({ pool }: Product): Promise<void> {
  const { rows } = await pool.query<{ wrong: number }>(
    'SELECT count(*)::int AS wrong FROM app.deposits d WHERE (SELECT sum(cents) FROM app.deposit_credits WHERE deposit_id = d.id) IS DISTINCT FROM amount_cents',
  )
  if (rows[0]!.wrong > 0) throw new Error(`${rows[0]!.wrong} payments were not credited as they came`)
  const { ok } = await checkBooks(pool, { info() {}, error() {} })
  if (!ok) throw new Error('the books are broken')
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

/** A foreign address. */
function strangerAt(index: number): string {
  return `0xbb${index.toString(16).padStart(38, '0')}`
}
