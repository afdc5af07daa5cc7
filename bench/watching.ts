import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import { type Anvil, anvilChainId, anvilProgram, startAnvil } from '#server/demo/anvil.ts'
import { demoAccount } from '#server/demo/chain.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { storeReadings } from '#server/prices/feeds.ts'
import { sampleFeed } from '#server/prices/sample.ts'
import { nodeAt } from '#server/rails/ethereum/node.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { parseDecimal } from '#shared/money.ts'
import { make } from './calls.ts'
import { type Figure, figure } from './figure.ts'
import { percentile } from './measure.ts'
import type { Scale, WatchingScale } from './scale.ts'
import { type Server, startServer } from './servers.ts'
import type { World } from './world.ts'

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
/** `USER_HZ`, Linux's unit of process times. */
const TICK_MS = 10

/**
 * How long a payment waits for its credit after its confirming block, and how much processor time the worker and its
 * database use meanwhile: a real worker syncs a real chain. Each block has some hundreds of transactions, a few of them
 * payments, and very many addresses are watched.
 * @throws Error if a payment is not credited, or an invariant of the books is violated
 */
export async function measureWatching(world: World, { watching }: Scale): Promise<Figure[]> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const chain = await openChain(closers)
    const product = await openProduct(world, watching, { chain, closers })
    const measured: Round[] = []
    for (let round = 0; round <= watching.rounds; round += 1) {
      const one = await measureRound(watching, { chain, product })
      // The first one warms up.
      if (round > 0) measured.push(one)
    }
    await requireSound(product)
    return figuresOf(measured, watching)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

function figuresOf(measured: readonly Round[], { addresses, transactions }: WatchingScale): Figure[] {
  const unit = 'milliseconds'
  const count = addresses.toLocaleString('en')
  return [
    figure(
      'blockToCreditP95',
      { atMost: 1 },
      {
        what: 'p95 from the block that confirms a payment to its credit',
        unit,
        rounds: measured.map(({ creditMs }) => percentile(creditMs, 0.95)),
      },
      { what: 'at most', unit, rounds: measured.map(() => MOST_MS) },
    ),
    figure(
      'watchingPerTwoCores',
      null,
      {
        what: `of processors a second: a worker that watches ${count} addresses, and its database, a block of ${transactions} transactions a second`,
        unit,
        rounds: measured.map(({ processorMs, elapsedMs }) => (processorMs / elapsedMs) * 1000),
      },
      { what: 'two cores', unit, rounds: measured.map(() => 2 * 1000) },
    ),
  ]
}

type Closers = (() => Promise<unknown>)[]
type Payment = { to: string; wei: bigint; depositId: string }
type Chain = Awaited<ReturnType<typeof openChain>>

/** Accounts whose transactions the node signs itself. */
async function openChain(closers: Closers) {
  const program = anvilProgram()
  if (program === undefined) throw new Error('There is no anvil here: npm ci --include=optional')
  const anvil: Anvil = await startAnvil(program, ['--no-mining'])
  closers.push(anvil.stop)
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
      const strangers = Array.from({ length: others }, () => addressOf('stranger', sent++))
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
  /** Processor milliseconds of the worker and the database since their start. */
  processorMs: () => number
}

async function openProduct(
  world: World,
  { addresses, rounds, blocks, payments }: WatchingScale,
  { chain, closers }: { chain: Chain; closers: Closers },
): Promise<Product> {
  const { temporaryFolder: folder } = world.postgres
  const pool = openPool({ url: world.watchingUrl, as: 'app', name: 'probity bench', max: 2 })
  closers.push(() => pool.end())
  await watchOthers(pool, world, addresses - (rounds + 1) * blocks * payments)
  const silent = { info() {}, warn() {} }
  await storeReadings({ db: openDatabase(pool), log: silent, clock: { now: () => new Date() } }, [sampleFeed])
  const env = {
    ...world.environmentOn(world.watchingUrl),
    // The sample series, which needs no network.
    PRICE_SOURCES: '',
    ETHEREUM_XPUB: demoAccount,
    ETHEREUM_CHAIN_ID: `${anvilChainId}`,
    ETHEREUM_RPC_URL: chain.url,
    ETHEREUM_CONFIRMATIONS: `${CONFIRMATIONS}`,
  }
  const start = async (role: 'web' | 'worker', readyPath: string) => {
    const portVariable = role === 'worker' ? 'METRICS_PORT' : 'PORT'
    const log = join(folder, `watching-${role}.log`)
    const server = await startServer({ script: ['server/main.ts', role], env, readyPath, log, portVariable })
    closers.push(server.stop)
    return server
  }
  const web = await start('web', '/api/ready')
  const worker = await start('worker', '/metrics')
  const credited = await listenForCredits(world.watchingUrl, closers)
  let asked = 0
  const ask = async (): Promise<Payment> => {
    const investor = world.large.investors[asked++ % world.large.investors.length]!
    const body = { method: 'ethereum', amount: DOLLARS } as const
    const { data } = await make(web, world.tokenOf(investor), newDeposit, { body })
    const { address, amountCrypto } = data.payment
    return { to: address, wei: parseDecimal(amountCrypto, 18)!, depositId: data._id }
  }
  const database = join(folder, 'data/postgres/data/postmaster.pid')
  const postmaster = Number(readFileSync(database, 'utf8').split('\n')[0])
  return { pool, ask, credited, processorMs: () => processorMsOf(worker, postmaster) }
}

/** Addresses that were shown and get no payment: they are watched like any other. */
async function watchOthers(pool: pg.Pool, { large: { investors } }: World, count: number): Promise<void> {
  const shown = Array.from({ length: count }, (_, index) => addressOf('shown', index))
  await pool.query(
    `INSERT INTO app.payment_addresses (account, branch, address_index, method, address, user_id, used_at, created_at)
     SELECT repeat('f', 16), 0, n, 'ethereum', address, $2, now(), now()
       FROM unnest($1::text[]) WITH ORDINALITY AS shown (address, n)`,
    [shown, investors[0]],
  )
}

type Round = { creditMs: number[]; processorMs: number; elapsedMs: number }

async function measureRound(
  { blocks, payments, transactions }: WatchingScale,
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
  const [processorMs, elapsedMs] = [product.processorMs() - before, performance.now() - began]
  const creditMs = [...confirmedAt].map(([id, at]) => creditedAt.get(id)! - at).sort((a, b) => a - b)
  return { creditMs, processorMs, elapsedMs }
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

/** Times of a server's process, and of the database with all its children, ended ones included. */
function processorMsOf({ pid }: Server, postmaster: number): number {
  const processes = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  let ticks = 0
  for (const name of processes) {
    const times = timesOf(Number(name))
    if (times === undefined) continue
    if (Number(name) === pid || times.parent === postmaster) ticks += times.own
    if (Number(name) === postmaster) ticks += times.own + times.ofEnded
  }
  return ticks * TICK_MS
}

/** proc_pid_stat(5), in ticks; undefined if the process has just ended. */
function timesOf(pid: number): { parent: number; own: number; ofEnded: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The process's name precedes the last parenthesis.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map(at => fields[at]!)
    return { parent: parent!, own: user! + system!, ofEnded: endedUser! + endedSystem! }
  } catch {
    return undefined
  }
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

/** A foreign address. */
function addressOf(kind: 'shown' | 'stranger', index: number): string {
  return `0x${{ shown: 'aa', stranger: 'bb' }[kind]}${index.toString(16).padStart(38, '0')}`
}
