import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Services } from '#server/context.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { startWatching } from '#server/process/chain-worker.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import type { Chain } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import { getDeposit, newDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { assetDecimals, parseDecimal } from '#shared/money.ts'
import { withoutAnvil } from '#test/support/anvil.ts'
import { firmBalance } from '#test/support/books.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { withoutLitecoind } from '#test/support/litecoind.ts'
import { until, type Watched } from '#test/support/processes.ts'
import { type RealNetwork, realBitcoin, realEthereum } from '#test/support/real-networks.ts'
import { isWaitedFor, kill, lockTable, startWorker } from '#test/support/worker.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { cursorOf } from './cursor.ts'
import { resumeAfter } from './resume.ts'

/** Real networks of each kind, with reorgs and crashes: every payment is credited once, and none is lost. */

describe.skipIf(withoutLitecoind !== undefined)(
  'never twice, never lost, on a real network of Bitcoin’s kind',
  () => neverTwiceNeverLost(realBitcoin),
)
describe.skipIf(withoutAnvil !== undefined)(
  'never twice, never lost, on a real network of Ethereum’s kind',
  () => neverTwiceNeverLost(realEthereum),
)

const depths = [1, 2, 3, 4, 5, 6]
/** More blocks than one scan step, and more than we store. */
const longAway = 150

function neverTwiceNeverLost(open: () => Promise<RealNetwork>): void {
  let network: RealNetwork
  let world: World
  let investor: Person
  let asset: 'BTC' | 'ETH'
  /** The firm's balances at the start of the test. */
  let before: { custody: bigint; debt: bigint }

  beforeAll(async () => {
    network = await open()
    asset = network.rail === 'bitcoin' ? 'BTC' : 'ETH'
    world = await openWorld({ rails: network.rails, rateLimit: false })
    await syncNow()
  })
  beforeEach(async () => {
    // Bury earlier tests' transactions deeper than any reorg.
    await network.mine(7)
    await syncNow()
    await world.refreshPrices()
    investor = await world.person('Ines Investor')
    before = await firm()
  })

  /** A fresh client of the network, as after a process start. */
  function chain(confirmations = 2): Chain {
    const { mode, rails } = world.services.config
    const changed = { ...rails, [network.rail]: { ...rails[network.rail], confirmations } }
    return chainOf({ mode, rails: changed }, network.rail)!
  }
  const syncNow = (confirmations?: number) => syncNetwork(world.services, network.rail, chain(confirmations))
  const cursor = async () => (await cursorOf(world.database.db, network.rail))!
  const firm = async () => ({
    custody: await firmBalance(world.database.db, 'custody', asset),
    debt: await firmBalance(world.database.db, 'receivable', 'USD'),
  })
  const ask = async (amount: number) =>
    (await world.call(newDeposit, investor, { body: { method: network.rail, amount } })).data
  const due = ({ payment }: Deposit) => parseDecimal(payment.amountCrypto, assetDecimals[asset])!
  const pay = (deposit: Deposit, units = due(deposit)) => network.pay(deposit.payment.address, units)
  const shown = async ({ _id }: Deposit) =>
    (await world.call(getDeposit, investor, { params: { id: _id } })).data
  async function paid(amount: number) {
    const deposit = await ask(amount)
    return { deposit, transaction: await pay(deposit) }
  }

  /** Checks the investor's balances, the firm's coins and the ledger's invariants. */
  async function expectBooks(
    credited: readonly Deposit[],
    { available, held = 0, owed = 0 }: { available: number; held?: number; owed?: number },
  ): Promise<void> {
    expect(await world.balances(investor)).toEqual({
      available: BigInt(available) * 100n,
      held: BigInt(held) * 100n,
      invested: 0n,
    })
    const { custody, debt } = await firm()
    expect(before.custody - custody).toBe(credited.reduce((sum, deposit) => sum + due(deposit), 0n))
    expect(before.debt - debt).toBe(BigInt(owed) * 100n)
    const run = await checkBooks(world.services.pool, world.services.log)
    expect(run.checks.filter(({ faults }) => faults > 0)).toEqual([])
    expect(run.ok).toBe(true)
  }

  test('[B-03, K-02] a block scanned twice', async () => {
    const { deposit } = await paid(250)
    await network.mine(3)
    await syncNow()
    await syncNow()
    const { synced_height: height } = await cursor()
    await resumeAfter(world.services, { rail: network.rail, chain: chain(), height: height - 4 })
    await syncNow()
    expect(await shown(deposit)).toMatchObject({ status: 'paid', credited: 250, flags: [] })
    await expectBooks([deposit], { available: 250 })
  })

  test.each(depths)('[B-03, K-02] a reorg of %i blocks before the credit', async depth => {
    const { deposit } = await paid(250)
    await network.mine(depth)
    await syncNow(depth + 1)
    expect(await shown(deposit)).toMatchObject({
      stage: 'confirming',
      confirmations: { have: depth, needed: depth + 1 },
    })
    await network.reorganise(depth)
    await syncNow(depth + 1)
    expect(await shown(deposit)).toMatchObject({ status: 'pending', stage: 'seen' })
    await expectBooks([], { available: 0 })
    await network.mine(depth + 1)
    await syncNow(depth + 1)
    expect(await shown(deposit)).toMatchObject({ status: 'paid', credited: 250, flags: [] })
    await expectBooks([deposit], { available: 250 })
  })

  test.each(depths)('[B-03, K-02] a reorg of %i blocks after the credit', async depth => {
    const { deposit } = await paid(200)
    await network.mine(depth)
    await syncNow(depth)
    expect(await shown(deposit)).toMatchObject({ status: 'paid', credited: 200 })
    await network.reorganise(depth)
    await syncNow(depth)
    expect(await shown(deposit)).toMatchObject({ status: 'pending', credited: null, flags: ['reversed'] })
    await expectBooks([], { available: 0 })
    await network.mine(depth)
    await syncNow(depth)
    expect(await shown(deposit)).toMatchObject({ status: 'paid', credited: 200, flags: [] })
    expect(await world.balances(investor)).toMatchObject({ available: 20_000n })
  })

  test('[B-03, K-02] a payment replaced by RBF', async () => {
    const { deposit, transaction } = await paid(300)
    await syncNow()
    const replacement = await network.replace(transaction, { with: 'payment' })
    await syncNow()
    expect(await shown(deposit)).toMatchObject({ stage: 'seen' })
    await network.mine(2)
    await syncNow()
    const { status, transfers } = await shown(deposit)
    expect(status).toBe('paid')
    expect(transfers.map(({ transactionId, state }) => ({ transactionId, state }))).toEqual(
      expect.arrayContaining([
        { transactionId: transaction, state: 'dropped' },
        { transactionId: replacement, state: 'credited' },
      ]),
    )
    await expectBooks([deposit], { available: 300 })
  })

  test('[B-03, K-02] a payment double-spent before its block', async () => {
    const { deposit, transaction } = await paid(300)
    await syncNow()
    expect(await shown(deposit)).toMatchObject({ stage: 'seen' })
    await network.replace(transaction, { with: 'nothing' })
    await network.mine(3)
    await syncNow()
    expect(await shown(deposit)).toMatchObject({ status: 'pending', stage: 'dropped' })
    await expectBooks([], { available: 0 })
  })

  test('[B-03, K-02] a credited payment replaced by RBF in a reorg', async () => {
    const { deposit, transaction } = await paid(300)
    await network.mine(2)
    await syncNow()
    await expectBooks([deposit], { available: 300 })
    await network.reorganise(2)
    await network.replace(transaction, { with: 'payment' })
    await network.mine(2)
    await syncNow()
    expect(await shown(deposit)).toMatchObject({ status: 'paid', credited: 300, flags: [] })
    await expectBooks([deposit], { available: 300 })
  })

  test('[B-03, K-02] a credited and used payment double-spent in a reorg', async () => {
    const { deposit, transaction } = await paid(250)
    await network.mine(2)
    await syncNow()
    const address = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
    const body = { amount: 200, wallet: 'Bitcoin (BTC)', address } as const
    expect(await world.call(newWithdrawal, investor, { body })).toMatchObject({ status: 200 })
    await network.reorganise(2)
    await network.replace(transaction, { with: 'nothing' })
    await network.mine(3)
    await syncNow()
    expect(await shown(deposit)).toMatchObject({ status: 'pending', credited: null })
    expect([...(await shown(deposit)).flags].sort()).toEqual(['debt', 'reversed'])
    await expectBooks([], { available: 0, held: 200, owed: 200 })
    await pay(deposit)
    await network.mine(2)
    await syncNow()
    expect(await shown(deposit)).toMatchObject({ status: 'paid', credited: 250, flags: [] })
    await expectBooks([deposit], { available: 50, held: 200 })
  })

  test('[B-03, K-02] a payment split over two transactions in two blocks', async () => {
    const deposit = await ask(400)
    const half = due(deposit) / 2n
    await pay(deposit, half)
    await network.mine(2)
    await syncNow()
    expect(await shown(deposit)).toMatchObject({ stage: 'paid_under', credited: 200 })
    expect(await world.balances(investor)).toMatchObject({ available: 20_000n })
    await pay(deposit, due(deposit) - half)
    await network.mine(2)
    await syncNow()
    expect(await shown(deposit)).toMatchObject({ status: 'paid', credited: 400 })
    await expectBooks([deposit], { available: 400 })
  })

  test('[B-03, K-02] two deposits in one block', async () => {
    const [first, second] = [(await paid(150)).deposit, (await paid(350)).deposit]
    await network.mine(2)
    await syncNow()
    expect(await shown(first)).toMatchObject({ status: 'paid', credited: 150 })
    expect(await shown(second)).toMatchObject({ status: 'paid', credited: 350 })
    const { rows } = await world.database.owner.query(
      `SELECT count(*)::int AS transfers, count(DISTINCT t.block_hash)::int AS blocks
         FROM app.chain_transfers t JOIN app.deposits d ON app.address_key(d.address) = t.address
        WHERE d.id = ANY ($1)`,
      [[first._id, second._id]],
    )
    expect(rows).toEqual([{ transfers: 2, blocks: 1 }])
    await expectBooks([first, second], { available: 500 })
  })

  test('[B-03, K-02] two workers at once during blocks and reorgs', async () => {
    const other = openWatcher()
    const chainFor = (rail: string) => (rail === network.rail ? chain() : undefined)
    const stops = [world.services, other].map(services => startWatching(services, { chainFor, pauseMs: 5 }))
    const deposits: Deposit[] = []
    try {
      for (const amount of [110, 120, 130, 140]) {
        deposits.push((await paid(amount)).deposit)
        await network.mine(1)
      }
      await network.mine(1)
      await network.reorganise(3)
      await network.mine(3)
      await until(async () =>
        (await Promise.all(deposits.map(shown))).every(({ status }) => status === 'paid'),
      )
    } finally {
      await Promise.all(stops.map(stop => stop()))
    }
    await syncNow()
    await expectBooks(deposits, { available: 500 })
  })

  test('[B-03, K-02] a node away for many blocks', async () => {
    const [early, late] = [await ask(150), await ask(350)]
    network.setAway(true)
    await expect(syncNow()).rejects.toThrow('cannot be reached')
    await pay(early)
    await network.mine(longAway / 2)
    await pay(late)
    await network.mine(longAway / 2)
    await expect(syncNow()).rejects.toThrow('cannot be reached')
    expect(await cursor()).toMatchObject({ sync_error: expect.stringContaining('cannot be reached') })
    network.setAway(false)
    await syncNow()
    const { synced_height, tip_height, sync_error } = await cursor()
    expect({ read: synced_height, sync_error }).toEqual({ read: tip_height, sync_error: null })
    expect(await shown(early)).toMatchObject({ status: 'paid', credited: 150, deviation: null })
    expect(await shown(late)).toMatchObject({ status: 'paid', credited: 350, deviation: null })
    await expectBooks([early, late], { available: 500 })
  })

  test('[B-03, K-02] a restart continues after the last synced block', async () => {
    const { deposit: first } = await paid(150)
    await network.mine(1)
    await syncNow()
    const { synced_height: height } = await cursor()
    const { deposit: second } = await paid(350)
    await network.mine(2)
    const fresh = chain()
    const read: number[] = []
    const scan: Chain['scan'] = (range, watched) => {
      read.push(range.from, range.to)
      return fresh.scan(range, watched)
    }
    await syncNetwork(world.services, network.rail, { ...fresh, scan })
    expect(read).toEqual([height + 1, height + 2])
    expect(await shown(first)).toMatchObject({ status: 'paid', credited: 150 })
    expect(await shown(second)).toMatchObject({ status: 'paid', credited: 350 })
    await expectBooks([first, second], { available: 500 })
  })

  test.each([
    ['after a payment was seen and before it is credited', 'ledger.transactions'],
    ['after scanning its block and before storing it', 'app.chain_transfers'],
  ])('[B-03, K-02] a process that is killed %s', async (_, table) => {
    const { deposit } = await paid(250)
    await network.mine(2)
    const held = await world.database.owner.connect()
    try {
      // Stop it here, in the middle.
      await lockTable(held, table)
      const worker = startWorker(world, env())
      await until(() => isWaitedFor(world, table))
      await kill(worker)
    } finally {
      await held.query('ROLLBACK').finally(() => held.release(true))
    }
    expect(await shown(deposit)).toMatchObject({ status: 'pending', credited: null })
    await expectBooks([], { available: 0 })
    const next = startWorker(world, env())
    await until(async () => (await shown(deposit)).status === 'paid')
    await kill(next)
    await syncNow()
    expect(await shown(deposit)).toMatchObject({ credited: 250, flags: [] })
    await expectBooks([deposit], { available: 250 })
  })

  test('[B-03, K-02] of two processes the working one is killed, and the other takes over', async () => {
    const { deposit: first } = await paid(110)
    await network.mine(2)
    const held = await world.database.owner.connect()
    let others: Watched[] = []
    try {
      // The process with the lock stops while crediting.
      await lockTable(held, 'ledger.transactions')
      const atWork = startWorker(world, env())
      await until(() => isWaitedFor(world, 'ledger.transactions'))
      others = [startWorker(world, env())]
      await until(async () => (await watchers()) > 1)
      await kill(atWork)
    } finally {
      await held.query('ROLLBACK').finally(() => held.release(true))
    }
    await until(async () => (await shown(first)).status === 'paid')
    others.push(startWorker(world, env()))
    const deposits = [first]
    for (const amount of [120, 130, 140]) {
      deposits.push((await paid(amount)).deposit)
      await network.mine(1)
    }
    await network.reorganise(3)
    await network.mine(3)
    await until(async () => (await Promise.all(deposits.map(shown))).every(({ status }) => status === 'paid'))
    await Promise.all(others.map(kill))
    await syncNow()
    await expectBooks(deposits, { available: 500 })
  })

  const env = () => ({ BITCOIN_CONFIRMATIONS: '2', ETHEREUM_CONFIRMATIONS: '2', ...network.env })

  /** Services with their own connections, as in another process. */
  function openWatcher(): Services {
    const pool = openPool({ url: world.database.appUrl, as: 'app', name: 'probity test', max: 5 })
    atEnd(() => pool.end())
    return { ...world.services, pool, db: openDatabase(pool) }
  }

  /** Processes that sync the network, or have tried to. */
  async function watchers(): Promise<number> {
    const { rowCount } = await world.owner(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'probity sync'`,
    )
    return rowCount!
  }
}
