import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import type { TronPayoutFile } from '#server/rails/tron/payouts.ts'
import { tronChain } from '#server/rails/tron/trongrid.ts'
import { tronNetwork } from '#server/rails/tron.ts'
import * as call from '#shared/contract/deposits.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { firmBalance } from '#test/support/books.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { payoutsIn } from '#test/support/payouts.ts'
import { until, type Watched, watch } from '#test/support/processes.ts'
import { startTronGrid, type TronGrid, tronTransaction, tronWallet } from '#test/support/tron-grid.ts'
import { derivedRails, xpubs } from '#test/support/watched.ts'
import { addresses, withdrawalsIn } from '#test/support/withdrawals.ts'
import { isWaitedFor } from '#test/support/worker.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { MAIN } from '#tools/product-build.ts'

/**
 * Real workers that are ended with SIGKILL while they sync TRON: during a credit, and while they mark a payout as paid.
 */

const CONFIRMATIONS = 2
const sender = 'TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9'
let world: World
let grid: TronGrid
let investor: Person
beforeAll(async () => {
  const { contract } = tronNetwork({ testNetwork: true })
  grid = await startTronGrid(contract)
  const rails = derivedRails()
  const usdt = {
    ...rails.usdt,
    url: grid.url,
    payoutAddress: tronWallet.address,
    confirmations: CONFIRMATIONS,
  }
  world = await openWorld({ rails: { ...rails, usdt } })
  // Blocks before the installation; the newest are recent.
  grid.tip.timestamp = Date.now() - 200_000
  for (let n = 0; n < 60; n += 1) grid.add()
  await syncNetwork(
    world.services,
    'usdt',
    tronChain({
      url: grid.url,
      apiKey: undefined,
      contract,
      confirmations: CONFIRMATIONS,
      requestsPerSecond: null,
    }),
  )
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
})

/** A separate worker on the test's database that syncs the test's network. */
function worker(): Watched & { kill: () => Promise<void> } {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: world.database.appUrl,
    DATA_DIR: '/nonexistent',
    TOKEN_SECRET: 'x'.repeat(32),
    TRON_XPUB: xpubs.usdt,
    TRONGRID_URL: grid.url,
    TRON_PAYOUT_ADDRESS: tronWallet.address,
    TRON_CONFIRMATIONS: `${CONFIRMATIONS}`,
  }
  const watched = watch(process.execPath, [MAIN, 'worker'], { env })
  const kill = async () => {
    watched.child.kill('SIGKILL')
    await watched.ended()
  }
  atEnd(kill)
  return { ...watched, kill }
}

/** A current block with these transactions. */
function mine(...transactions: Parameters<TronGrid['add']>) {
  grid.add(...transactions).timestamp = Date.now()
}

async function ask(amount: number) {
  return (await world.call(call.newDeposit, investor, { body: { method: 'usdt', amount } })).data
}

function pay(to: string, dollars: number) {
  mine(tronTransaction([{ from: sender, to, units: BigInt(dollars) * 1_000_000n }]))
  for (let n = 1; n < CONFIRMATIONS; n += 1) mine()
}

/** A foreign lock that blocks the worker until it is released. */
async function holding(statement: string): Promise<() => Promise<void>> {
  const session = await world.database.owner.connect()
  let isHeld = true
  const letGo = async () => {
    if (!isHeld) return
    isHeld = false
    await session.query('ROLLBACK').finally(() => session.release(true))
  }
  // Releases the lock even if the test fails.
  onTestFinished(letGo)
  await session.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0')
  await session.query(statement)
  return letGo
}

/** Waits until the worker's commit waits for our lock, and for no other. */
const commitWaits = () =>
  until(async () => {
    const { rowCount } = await world.database.owner.query(
      `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE NOT l.granted AND l.locktype = 'advisory' AND (l.classid, l.objid, l.objsubid) = (0, 1, 1)
          AND d.datname = current_database()`,
    )
    return rowCount! > 0
  })
const postingWaits = () => until(() => isWaitedFor(world, 'ledger.transactions'))

const transfersAt = async (address: string) =>
  (
    await world.database.owner.query<{ units: bigint; credited_units: bigint }>(
      `SELECT units, credited_units FROM app.chain_transfers WHERE address = app.address_key($1)`,
      [address],
    )
  ).rows
const available = async () => (await world.balances(investor)).available
const status = async (id: string) =>
  (await world.call(call.getDeposit, investor, { params: { id } })).data.status
const height = async () =>
  (await world.database.db.selectFrom('app.chain_cursors').select('synced_height').executeTakeFirstOrThrow())
    .synced_height

async function expectSoundBooks() {
  const { checks } = await checkBooks(world.database.owner, { info() {}, error() {} })
  expect(checks.filter(({ faults }) => faults > 0)).toEqual([])
}

async function expectCreditedOnce(id: string, custodyBefore: bigint) {
  expect(await status(id)).toBe('paid')
  expect(await available()).toBe(25_000n)
  expect((await firmBalance(world.database.db, 'custody', 'USDT')) - custodyBefore).toBe(-250_000_000n)
  const { rows } = await world.database.owner.query<{ event: string }>(
    `SELECT event FROM ledger.transactions WHERE reference_id = $1`,
    [id],
  )
  expect(rows).toEqual([{ event: 'deposit.settled' }])
  const { rows: told } = await world.database.owner.query<{ count: bigint }>(
    `SELECT count(*) FROM app.notifications WHERE subject_id = $1`,
    [id],
  )
  expect(Number(told[0]!.count)).toBe(1)
  await expectSoundBooks()
}

const custody = () => firmBalance(world.database.db, 'custody', 'USDT')

test('[B-03] killed between seeing and crediting: the next worker credits once', async () => {
  const before = await custody()
  const first = worker()
  const deposit = await ask(250)
  // Nobody can post to the books now; transfers can still be stored.
  const letGo = await holding('LOCK TABLE ledger.transactions IN SHARE ROW EXCLUSIVE MODE')
  pay(deposit.payment.address, 250)
  await until(async () => (await height()) === grid.tip.number)
  await postingWaits()
  expect(await transfersAt(deposit.payment.address)).toMatchObject([{ credited_units: 0n }])
  await first.kill()
  await letGo()
  expect(await available()).toBe(0n)
  const asked = grid.asked.length
  const second = worker()
  await until(async () => (await status(deposit._id)) === 'paid')
  await expectCreditedOnce(deposit._id, before)
  // It continued from the stored cursor: no block was read again.
  const read = grid.asked.slice(asked).filter(({ path }) => path.endsWith('gettransactioninfobyblocknum'))
  expect(read).toEqual([])
  await second.kill()
})

test('[B-03] killed between crediting and hearing of it: the next one credits nothing again', async () => {
  const before = await custody()
  const first = worker()
  const deposit = await ask(250)
  // Blocks the commit of the ledger's transaction as long as the test needs.
  await world.owner(`
    CREATE FUNCTION app.wait() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0
      AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER waiting AFTER INSERT ON ledger.transactions DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION app.wait()`)
  const letGo = await holding('SELECT pg_advisory_xact_lock(1)')
  pay(deposit.payment.address, 250)
  await commitWaits()
  await first.kill()
  await letGo()
  // Its commit succeeds; nobody receives the answer.
  await until(async () =>
    (await transfersAt(deposit.payment.address)).some(({ credited_units }) => credited_units > 0n),
  )
  await world.owner('DROP FUNCTION app.wait() CASCADE')
  const second = worker()
  mine()
  await until(async () => (await height()) === grid.tip.number)
  mine()
  await until(async () => (await height()) === grid.tip.number)
  await expectCreditedOnce(deposit._id, before)
  await second.kill()
})

test('[B-03, S-04] killed between seeing a payout and marking it: the next worker marks it once', async () => {
  const { ask, approve } = withdrawalsIn(() => world)
  const { make, get, download } = payoutsIn(() => world)
  await world.fund(investor, 50_000n)
  mine()
  const first = worker()
  await until(async () => (await height()) === grid.tip.number)
  const wallet = 'USDT TRC-20'
  const { data } = await ask(investor, 100, { wallet, walletAddress: addresses[wallet] })
  expect(await approve(data._id)).toMatchObject({ status: 200 })
  const made = await make([data._id], { wallet })
  expect(made).toMatchObject({ status: 200 })
  const { transfers } = JSON.parse((await download(made.data._id)).body) as TronPayoutFile
  const { transaction } = transfers[0]!
  expect(await grid.broadcast(await tronWallet.sign(transaction))).toMatchObject({ result: true })
  const letGo = await holding('LOCK TABLE ledger.transactions IN SHARE ROW EXCLUSIVE MODE')
  mine()
  mine()
  await until(async () => (await height()) === grid.tip.number)
  await postingWaits()
  expect((await transfersAt(addresses[wallet])).map(({ units }) => units)).toEqual([100_000_000n])
  await first.kill()
  await letGo()
  expect((await get(made.data._id)).data.paid).toBe(0)
  const second = worker()
  await until(async () => (await get(made.data._id)).data.status === 'final')
  mine()
  await until(async () => (await height()) === grid.tip.number)
  await second.kill()
  expect((await get(made.data._id)).data).toMatchObject({ paid: 1, alerts: 0 })
  const { data: withdrawal } = await world.call(getWithdrawal, investor, { params: { id: data._id } })
  expect(withdrawal).toMatchObject({ status: 'paid', transactionId: transaction.txID })
  const { rows } = await world.owner(
    `SELECT event FROM ledger.transactions WHERE reference_id = '${data._id}' ORDER BY id`,
  )
  expect(rows).toEqual([{ event: 'withdrawal.requested' }, { event: 'withdrawal.paid' }])
  expect(await world.balances(investor)).toMatchObject({ available: 40_000n, held: 0n })
  await expectSoundBooks()
})

test('[B-03] with two workers, one killed, each payment is credited once and none is lost', async () => {
  const before = await custody()
  const workers = [worker(), worker()]
  const deposits: { _id: string }[] = []
  for (let n = 0; n < 6; n += 1) {
    const deposit = await ask(100)
    deposits.push(deposit)
    pay(deposit.payment.address, 100)
    if (n === 2) await workers[0]!.kill()
    if (n === 4) workers.push(worker())
  }
  await until(async () => {
    const all = await Promise.all(deposits.map(({ _id }) => status(_id)))
    return all.every(each => each === 'paid')
  })
  expect(await available()).toBe(60_000n)
  expect((await custody()) - before).toBe(-600_000_000n)
  await expectSoundBooks()
  await Promise.all(workers.map(each => each.kill()))
})
