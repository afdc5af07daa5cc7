import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expireDeposits } from '#server/payments/expire.ts'
import { createLogger } from '#server/platform/logger.ts'
import { type Chain, ChainFault } from '#server/rails/chain.ts'
import * as call from '#shared/contract/deposits.ts'
import {
  approveInvestment,
  declineInvestment,
  getInvestment,
  newInvestment,
} from '#shared/contract/investments.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { listAudit } from '#shared/contract/site.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { firmBalance } from '#test/support/books.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { look } from './look.ts'
import { resumeAfter } from './resume.ts'

let world: WatchedWorld
let investor: Person
/** What the firm's accounts had when the test began. */
let before: { shortfall: bigint; custody: bigint }
beforeAll(async () => {
  world = await openWatchedWorld()
})
beforeEach(async () => {
  // What earlier tests have sent lies deeper than any test digs.
  world.network.mine(25)
  await world.look()
  investor = await world.person('Ines Investor')
  before = { shortfall: await firm('shortfall', 'USD'), custody: await firm('custody', 'USDT') }
})

/** USDT in its minor units. */
const usdt = (dollars: number) => BigInt(Math.round(dollars * 1e6))
const available = async () => (await world.balances(investor)).available
const shown = (id: string) => world.deposit(investor, id)
const notices = async () =>
  (await world.call(listNotifications, investor, { query: { limit: 50 } })).data
    .map(({ kind }) => kind)
    .reverse()
const actions = async (id: string) =>
  (await world.call(listAudit, world.admin, { query: { q: id } })).data.map(({ action }) => action).reverse()
const firm = (kind: 'shortfall' | 'custody', asset: 'USD' | 'USDT') =>
  firmBalance(world.database.db, kind, asset)
const shortfall = async () => (await firm('shortfall', 'USD')) - before.shortfall
const custody = async () => (await firm('custody', 'USDT')) - before.custody

async function paid(amount: number) {
  const deposit = await world.ask(investor, amount)
  const transaction = world.network.send({ to: deposit.payment.address, units: usdt(amount) })
  return { ...deposit, transaction }
}

describe('addresses of one payment each', () => {
  test('[D5] each deposit gets an address of its own; a quote shows the one that is kept for its investor until then', async () => {
    const query = { method: 'usdt', amount: '150' } as const
    const quote = async (who: Person) => (await world.call(call.quoteDeposit, who, { query })).data
    const other = await world.person('Otto Other')
    const first = await quote(investor)
    expect((await quote(investor)).address).toBe(first.address)
    expect((await quote(other)).address).not.toBe(first.address)
    const body = { method: 'usdt', amount: 150, quote: first.quote } as const
    const { data } = await world.call(call.newDeposit, investor, { body })
    expect(data.payment.address).toBe(first.address)
    expect((await quote(investor)).address).not.toBe(first.address)
    expect(await world.call(call.newDeposit, investor, { body })).toMatchObject({
      status: 409,
      code: 'quote_expired',
    })
  })

  test('[B-03] twenty requests at the same moment get twenty addresses, and no index is left out', async () => {
    const deposits = await Promise.all(Array.from({ length: 20 }, () => world.ask(investor, 100)))
    expect(new Set(deposits.map(({ payment }) => payment.address)).size).toBe(20)
    const { rows } = await world.database.owner.query(
      'SELECT address_index FROM app.payment_addresses ORDER BY address_index',
    )
    expect(rows.map(({ address_index }) => address_index)).toEqual([...Array(rows.length).keys()])
  })
})

describe('a payment that is seen', () => {
  test('[C-14, D5] is shown at each step, and credited once it is confirmed, without anybody', async () => {
    const deposit = await paid(250)
    expect((await shown(deposit._id)).stage).toBe('waiting')
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      status: 'pending',
      stage: 'seen',
      seen: '250.000000',
      confirmations: { have: 0, needed: 2 },
      label: 'Seen: 250 USDT, not confirmed yet. There is nothing more to do.',
    })
    world.network.mine()
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      stage: 'confirming',
      confirmations: { have: 1, needed: 2 },
      label: 'Confirming: 250 USDT, 1 of 2 confirmations. There is nothing more to do.',
    })
    expect(await available()).toBe(0n)
    world.network.mine()
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      status: 'paid',
      stage: 'paid',
      credited: 250,
      received: '250.000000',
      arrival: null,
      confirmations: null,
      label: 'Paid in full and added to the balance.',
    })
    expect(await available()).toBe(25_000n)
    expect(await notices()).toEqual(['deposit.approved'])
    expect(await actions(deposit._id)).toEqual(['deposit.requested', 'deposit.credited'])
    await world.expectSoundBooks()
  })

  test('[B-03] is credited once, however often its block is looked at', async () => {
    await paid(250)
    world.network.mine(3)
    for (let n = 0; n < 4; n += 1) await world.look()
    expect(await available()).toBe(25_000n)
    expect(await custody()).toBe(-usdt(250))
  })

  test('[D5] paid in one transaction with another deposit, each gets what is its own', async () => {
    const other = await world.person('Otto Other')
    const [mine, his] = [await world.ask(investor, 150), await world.ask(other, 260)]
    world.network.send(
      { to: mine.payment.address, units: usdt(150) },
      { to: his.payment.address, units: usdt(260) },
    )
    world.network.mine(2)
    await world.look()
    expect(await available()).toBe(15_000n)
    expect((await world.balances(other)).available).toBe(26_000n)
  })

  test('[D5] split over two transactions it is short, then paid in full', async () => {
    const deposit = await world.ask(investor, 250)
    world.network.send({ to: deposit.payment.address, units: usdt(100) })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'short', missing: '150.000000', canCredit: true })
    expect(await notices()).toEqual(['deposit.short'])
    await world.look()
    expect(await notices()).toEqual(['deposit.short'])
    world.network.send({ to: deposit.payment.address, units: usdt(150) })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', credited: 250, received: '250.000000' })
    expect(await available()).toBe(25_000n)
    await world.expectSoundBooks()
  })

  test('[D5] more than was asked for is credited as it came; what comes later is added', async () => {
    const deposit = await world.ask(investor, 250)
    world.network.send({ to: deposit.payment.address, units: usdt(300) })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_over', credited: 300 })
    world.network.send({ to: deposit.payment.address, units: usdt(40) })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      stage: 'paid_over',
      credited: 340,
      received: '340.000000',
    })
    expect(await available()).toBe(34_000n)
    expect(await actions(deposit._id)).toEqual(['deposit.requested', 'deposit.credited', 'deposit.added'])
    await world.expectSoundBooks()
  })
})

describe('a chain that changes', () => {
  test.each([1, 2, 3, 4, 5, 6])(
    '[B-03] a reorganisation of %i blocks before the credit changes nothing in the end',
    async depth => {
      // More confirmations than blocks that are replaced; each of them was looked at.
      const patient = { ...world.network.chain, confirmations: 7 }
      const lookOnce = () => look(world.services, 'usdt', patient)
      const deposit = await paid(250)
      for (let n = 0; n < depth; n += 1) {
        world.network.mine()
        await lookOnce()
      }
      expect((await shown(deposit._id)).confirmations).toEqual({ have: depth, needed: 7 })
      world.network.reorg(depth)
      await lookOnce()
      expect((await shown(deposit._id)).confirmations).toEqual({ have: 0, needed: 7 })
      world.network.mine(6)
      await lookOnce()
      expect(await available()).toBe(0n)
      world.network.mine()
      await lookOnce()
      expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250 })
      expect(await available()).toBe(25_000n)
      expect(await shortfall()).toBe(0n)
      expect(await actions(deposit._id)).toEqual(['deposit.requested', 'deposit.credited'])
      await world.expectSoundBooks()
    },
  )

  test.each([2, 3, 4, 5, 6])(
    '[B-03] a reorganisation of %i blocks after the credit takes it back, and credits it again',
    async depth => {
      const deposit = await paid(250)
      world.network.mine(depth)
      await world.look()
      expect(await available()).toBe(25_000n)
      world.network.reorg(depth)
      await world.look()
      expect(await available()).toBe(0n)
      expect(await shown(deposit._id)).toMatchObject({
        status: 'pending',
        credited: null,
        flags: ['reversed'],
      })
      expect(await custody()).toBe(0n)
      world.network.mine(2)
      await world.look()
      expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250, flags: [] })
      expect(await available()).toBe(25_000n)
      expect(await custody()).toBe(-usdt(250))
      await world.expectSoundBooks()
    },
  )

  test('[B-03] a payment that is replaced before it is confirmed (RBF) counts in its last form only', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    const first = world.network.send({ to, units: usdt(200) })
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'seen', seen: '200.000000' })
    world.network.drop(first)
    world.network.send({ to, units: usdt(250) })
    await world.look()
    expect((await shown(deposit._id)).transfers).toMatchObject([
      { state: 'seen', amountCrypto: '250.000000' },
      { state: 'gone', amountCrypto: '200.000000' },
    ])
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', credited: 250 })
    expect(await custody()).toBe(-usdt(250))
  })

  test('a payment that is dropped is waited for again, and counts when it comes back', async () => {
    const deposit = await world.ask(investor, 250)
    const sent = { to: deposit.payment.address, units: usdt(250), id: 'a'.repeat(64) }
    world.network.send(sent)
    await world.look()
    world.network.drop(sent.id)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'waiting', seen: null })
    world.network.send(sent)
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid' })
    expect((await shown(deposit._id)).transfers).toHaveLength(1)
  })

  test('[B-03] a credited payment that another transaction replaces in a new chain is credited once', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.look()
    world.network.reorg(2, { drop: [deposit.transaction] })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    await world.look()
    expect(await available()).toBe(0n)
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250 })
    expect(await available()).toBe(25_000n)
    expect(await custody()).toBe(-usdt(250))
    await world.expectSoundBooks()
  })

  test('a node that is behind, or has not its new blocks yet, takes nothing back', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.look()
    world.network.cut(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid' })
    world.network.mine(3)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250 })
    expect(await available()).toBe(25_000n)
  })

  test('a chain that changes while it is read is not believed; the next look finds it as it is', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    world.network.setBefore(asked => {
      if (asked !== 'scan') return
      world.network.setBefore(undefined)
      world.network.reorg(3)
    })
    await expect(world.look()).rejects.toThrow('changed its chain')
    expect(await shown(deposit._id)).toMatchObject({ stage: 'waiting' })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid' })
    expect(await available()).toBe(25_000n)
  })

  test('a reorganisation deeper than the horizon stops the watching until a person has looked', async () => {
    const own = await openWatchedWorld('usdt', { horizon: 5 })
    const person = await own.person('Dora Deep')
    const pay = async (amount: number) => {
      const deposit = await own.ask(person, amount)
      own.network.send({ to: deposit.payment.address, units: usdt(amount) })
      own.network.mine(2)
      return deposit
    }
    await own.look()
    await pay(250)
    own.network.mine(20)
    await own.look()
    const second = await pay(150)
    own.network.reorg(12)
    await expect(own.look()).rejects.toThrow('None of the last')
    own.network.mine(3)
    expect(await own.look()).toEqual({ outcome: 'stopped' })
    expect(await own.deposit(person, second._id)).toMatchObject({ stage: 'waiting' })
    expect((await own.balances(person)).available).toBe(25_000n)
    const cursor = await own.database.db.selectFrom('app.chain_cursors').selectAll().executeTakeFirstOrThrow()
    expect(cursor).toMatchObject({ stopped: true, fault: expect.stringContaining('None of the last') })
    const chain = own.network.chain
    await resumeAfter(own.services, { method: 'usdt', chain, height: cursor.height - 30 })
    own.network.mine()
    await own.look()
    expect(await own.deposit(person, second._id)).toMatchObject({ status: 'paid', credited: 150 })
    await own.look()
    expect((await own.balances(person)).available).toBe(40_000n)
  })
})

test('[K-03] where it is not known what is unconfirmed, blocks are credited all the same, and nothing is taken for gone', async () => {
  const waiting = await paid(100)
  await world.look()
  const deposit = await paid(250)
  world.network.mine(2, { without: [waiting.transaction] })
  const chain: Chain = {
    ...world.network.chain,
    pending: () =>
      Promise.reject(new ChainFault('it is still reading what is unconfirmed', { details: 'disk is full' })),
  }
  const lines: string[] = []
  const log = createLogger('warn', { write: line => void lines.push(line) })
  await expect(look({ ...world.services, log }, 'usdt', chain)).rejects.toThrow('still reading')
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { method: 'usdt', details: 'disk is full', msg: 'the words of a node' },
  ])
  expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250 })
  expect(await shown(waiting._id)).toMatchObject({ stage: 'seen' })
  const cursor = () => world.database.db.selectFrom('app.chain_cursors').selectAll().executeTakeFirstOrThrow()
  const { fault, fault_since } = await cursor()
  expect(fault).toBe('it is still reading what is unconfirmed')
  world.clock.pass({ minutes: 1 })
  await expect(look(world.services, 'usdt', chain)).rejects.toThrow('still reading')
  expect((await cursor()).fault_since).toEqual(fault_since)
  await world.look()
  expect(await cursor()).toMatchObject({ fault: null, fault_since: null })
})

test('[D5] of what came in parts its network takes back one: that is told, and the rest stays', async () => {
  const deposit = await paid(250)
  world.network.mine(2)
  await world.look()
  const more = world.network.send({ to: deposit.payment.address, units: usdt(40) })
  world.network.mine(2)
  await world.look()
  expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_over', credited: 290 })
  world.network.reorg(2, { drop: [more] })
  await world.look()
  expect(await shown(deposit._id)).toMatchObject({
    status: 'paid',
    stage: 'paid',
    credited: 250,
    label: 'Paid in full and added to the balance. Its network has taken a part of it back.',
  })
})

describe('what is spent already when its network takes it back', () => {
  test('[B-03] what is available is taken back, the rest is owed; credited again, that is made good first', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.look()
    const body = {
      amount: 200,
      wallet: 'Bitcoin (BTC)',
      address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    } as const
    await world.call(newWithdrawal, investor, { body })
    world.network.reorg(2)
    await world.look()
    expect(await world.balances(investor)).toMatchObject({ available: 0n, held: 20_000n })
    expect(await shortfall()).toBe(-20_000n)
    expect(await shown(deposit._id)).toMatchObject({
      stage: 'seen',
      flags: ['reversed', 'shortfall'],
      shortfall: 200,
      toLookAt: true,
      label:
        'Seen: 250 USDT, not confirmed yet. There is nothing more to do. You owe $200.00, spent before its network took it back: write to us.',
    })
    expect(await notices()).toEqual(['deposit.approved', 'address.added', 'deposit.reversed'])
    world.network.mine(2)
    await world.look()
    expect(await world.balances(investor)).toMatchObject({ available: 5_000n, held: 20_000n })
    expect(await shortfall()).toBe(0n)
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', flags: [], shortfall: 0, credited: 250 })
    expect(await actions(deposit._id)).toEqual([
      'deposit.requested',
      'deposit.credited',
      'deposit.reversed',
      'deposit.credited',
    ])
    await world.expectSoundBooks()
  })

  test('[D6] a pending investment keeps what is held for it, cannot be approved, and makes it good when it is declined', async () => {
    const { data } = await world.call(newInvestment, investor, {
      body: { method: 'usdt', plan: 'Basic', amount: 500 },
    })
    const to = data.deposit!.payment.address
    const payment = world.network.send({ to, units: usdt(500) })
    world.network.mine(2)
    await world.look()
    expect(await world.balances(investor)).toMatchObject({ available: 0n, held: 50_000n })
    world.network.reorg(2, { drop: [payment] })
    await world.look()
    expect(await shortfall()).toBe(-50_000n)
    const params = { id: data._id }
    expect(await world.call(approveInvestment, world.admin, { params })).toMatchObject({
      status: 409,
      code: 'wrong_state',
    })
    await world.call(declineInvestment, world.admin, { params, body: { reason: 'Its payment is gone' } })
    expect(await world.balances(investor)).toEqual({ available: 0n, held: 0n, invested: 0n })
    expect(await shortfall()).toBe(0n)
    world.network.mine(2)
    await world.look()
    expect(await world.balances(investor)).toEqual({ available: 0n, held: 0n, invested: 0n })
    // Sent again it is its owner's: the investment is declined for good.
    world.network.send({ to, units: usdt(500) })
    world.network.mine(2)
    await world.look()
    expect(await world.balances(investor)).toEqual({ available: 50_000n, held: 0n, invested: 0n })
    await world.expectSoundBooks()
  })

  test('[D6] a pending investment whose payment is confirmed again is held for once', async () => {
    const { data } = await world.call(newInvestment, investor, {
      body: { method: 'usdt', plan: 'Basic', amount: 500 },
    })
    world.network.send({ to: data.deposit!.payment.address, units: usdt(500) })
    world.network.mine(2)
    await world.look()
    world.network.reorg(2)
    await world.look()
    world.network.mine(2)
    await world.look()
    expect(await world.balances(investor)).toEqual({ available: 0n, held: 50_000n, invested: 0n })
    await world.call(approveInvestment, world.admin, { params: { id: data._id } })
    expect(await world.balances(investor)).toEqual({ available: 0n, held: 0n, invested: 50_000n })
    expect(await shortfall()).toBe(0n)
    await world.expectSoundBooks()
  })
})

describe('whatever ends a look', () => {
  test('[B-03] what was seen and not credited when it ended is credited by the next one, once', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.owner(`
      CREATE OR REPLACE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE TRIGGER failing BEFORE UPDATE OF status ON app.deposits FOR EACH ROW EXECUTE FUNCTION app.fail()`)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      stage: 'confirmed',
      confirmations: { have: 2, needed: 2 },
    })
    await world.owner('DROP TRIGGER failing ON app.deposits')
    await world.look()
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid' })
    expect(await available()).toBe(25_000n)
    await world.expectSoundBooks()
  })

  test('[B-03] what was not written down is read again: sightings and cursor go together', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.owner(`
      CREATE OR REPLACE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE TRIGGER failing BEFORE UPDATE OF hash ON app.chain_cursors FOR EACH ROW EXECUTE FUNCTION app.fail()`)
    await expect(world.look()).rejects.toThrow('no')
    expect((await shown(deposit._id)).transfers).toEqual([])
    await world.owner('DROP TRIGGER failing ON app.chain_cursors')
    await world.look()
    expect(await available()).toBe(25_000n)
  })

  test('[B-03] a node that is away for an hour loses nothing: what came meanwhile counts by the time of its block', async () => {
    const deposit = await world.ask(investor, 250)
    world.network.setAway(true)
    await expect(world.look()).rejects.toThrow('away')
    world.clock.pass({ minutes: 5 })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(40)
    world.clock.pass({ minutes: 60 })
    await expect(world.look()).rejects.toThrow('away')
    world.network.setAway(false)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', arrival: null, credited: 250 })
    const cursor = await world.database.db
      .selectFrom('app.chain_cursors')
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(cursor).toMatchObject({ fault: null, height: world.network.height() })
  })

  test('[D5] nothing expires while its network is not looked at', async () => {
    const deposit = await world.ask(investor, 250)
    world.network.setAway(true)
    world.clock.pass({ minutes: 10 })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(2)
    world.clock.pass({ days: 2 })
    await expireDeposits(world.services)
    expect(await shown(deposit._id)).toMatchObject({ status: 'pending' })
    world.network.setAway(false)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', arrival: null })
  })

  test('[D5, D6] whose node is configured no more, what nothing came for expires; what came is found once there is one again', async () => {
    const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
    const { data: investment } = await world.call(newInvestment, investor, { body })
    const deposit = await world.ask(investor, 250)
    world.clock.pass({ minutes: 10 })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(2)
    world.clock.pass({ days: 2 })
    const { config } = world.services
    const rails = { ...config.rails, usdt: { ...config.rails.usdt, url: null } }
    await expireDeposits({ ...world.services, config: { ...config, rails } })
    const { data } = await world.call(getInvestment, investor, { params: { id: investment._id } })
    expect(data).toMatchObject({ status: 'declined', declineReason: 'No payment arrived in time' })
    expect(await shown(deposit._id)).toMatchObject({ status: 'unpaid' })
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', credited: 250 })
  })

  test('addresses that were shown before anybody looked are not lost', async () => {
    const fresh = await openWatchedWorld()
    const person = await fresh.person('Emil Early')
    const deposit = await fresh.ask(person, 250)
    fresh.network.send({ to: deposit.payment.address, units: usdt(250) })
    fresh.network.mine(3)
    await fresh.look()
    expect(await fresh.deposit(person, deposit._id)).toMatchObject({ status: 'paid' })
  })
})

describe('what is not as it was asked for', () => {
  test('[D5] late it is credited at once, and told as late', async () => {
    const deposit = await world.ask(investor, 250)
    world.clock.pass({ minutes: 20 })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_late', arrival: 'late', credited: 250 })
  })

  test('[D5] after it was given up it is credited all the same', async () => {
    const deposit = await world.ask(investor, 250)
    world.clock.pass({ days: 2 })
    await world.look()
    await expireDeposits(world.services)
    expect(await shown(deposit._id)).toMatchObject({ status: 'unpaid', stage: 'expired' })
    world.network.send({ to: deposit.payment.address, units: usdt(100) })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', stage: 'paid_late', credited: 100 })
  })

  test('[D5] after it was declined it is credited all the same', async () => {
    const deposit = await world.ask(investor, 250)
    const params = { id: deposit._id }
    await world.call(call.declineDeposit, world.admin, { params, body: { reason: 'Not wanted' } })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250, declineReason: null })
  })

  test('[D5] short, its owner can have what came credited; its investment is declined then', async () => {
    const { data } = await world.call(newInvestment, investor, {
      body: { method: 'usdt', plan: 'Basic', amount: 500 },
    })
    const deposit = data.deposit!
    const credit = (who: Person) => world.call(call.creditOwnDeposit, who, { params: { id: deposit._id } })
    expect(await credit(investor)).toMatchObject({ status: 409, code: 'wrong_state' })
    world.network.send({ to: deposit.payment.address, units: usdt(400) })
    world.network.mine(2)
    await world.look()
    const other = await world.person('Otto Other')
    expect(await credit(other)).toMatchObject({ status: 403 })
    expect(await credit(investor)).toMatchObject({
      status: 200,
      data: { stage: 'paid_short', credited: 400 },
    })
    expect(await credit(investor)).toMatchObject({ status: 409 })
    expect(await world.balances(investor)).toEqual({ available: 40_000n, held: 0n, invested: 0n })
    expect((await world.call(getInvestment, investor, { params: { id: data._id } })).data.status).toBe(
      'declined',
    )
    expect((await notices()).sort()).toEqual(['deposit.approved', 'deposit.short', 'investment.declined'])
    await world.expectSoundBooks()
  })

  test('[B-06, D5] an act with an idempotency key, as browsers send it, credits the same', async () => {
    const deposit = await world.ask(investor, 250)
    world.network.send({ to: deposit.payment.address, units: usdt(100) })
    world.network.mine(2)
    await world.look()
    const params = { id: deposit._id }
    const credit = () => world.call(call.creditOwnDeposit, investor, { params }, { idempotencyKey: 'once' })
    const credited = { status: 200, data: { stage: 'paid_short', credited: 100 } }
    expect(await credit()).toMatchObject(credited)
    expect(await credit()).toMatchObject(credited)
    expect(await world.balances(investor)).toEqual({ available: 10_000n, held: 0n, invested: 0n })
    await world.expectSoundBooks()
  })

  test('[D5] short, it is credited by itself when the monitoring ends, and not before', async () => {
    const deposit = await world.ask(investor, 250)
    world.network.send({ to: deposit.payment.address, units: usdt(100) })
    world.network.mine(2)
    await world.look()
    world.clock.pass({ minutes: 24 * 60 + 14 })
    await world.look()
    await expireDeposits(world.services)
    expect(await available()).toBe(0n)
    world.clock.pass({ minutes: 2 })
    world.network.mine()
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_short', credited: 100 })
  })

  test('[D5] staff credits what came of a short one, and nobody his own by that', async () => {
    const deposit = await world.ask(investor, 250)
    world.network.send({ to: deposit.payment.address, units: usdt(100) })
    world.network.mine(2)
    await world.look()
    const params = { id: deposit._id }
    expect(await world.call(call.creditDeposit, world.admin, { params })).toMatchObject({
      data: { stage: 'paid_short', credited: 100 },
    })
    expect(await actions(deposit._id)).toEqual(['deposit.requested', 'deposit.credited'])
  })

  test('[D5] of more transfers than are shown, those that count come first, and it is said how many more there are', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    for (let n = 0; n < 100; n++) world.network.send({ to, units: 9_999n })
    await world.look()
    world.clock.pass({ minutes: 1 })
    world.network.send({ to, units: usdt(250), token: 'USDC' })
    world.network.send({ to, units: usdt(250) })
    world.network.mine(2)
    await world.look()
    const { transfers, moreTransfers } = await shown(deposit._id)
    expect(transfers.slice(0, 3)).toMatchObject([
      { state: 'credited' },
      { state: 'wrong_asset' },
      { state: 'dust' },
    ])
    expect([transfers.length, moreTransfers]).toEqual([100, 2])
  })

  test('[D5] dust counts for nothing and is shown; another coin is flagged and not credited', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    world.network.send({ to, units: 9_999n })
    world.network.send({ to, units: usdt(250), token: 'USDC' })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      stage: 'waiting',
      seen: null,
      flags: ['wrong_asset'],
      toLookAt: true,
      transfers: [{ state: 'wrong_asset', token: 'USDC' }, { state: 'dust' }],
    })
    expect((await shown(deposit._id)).label).toMatch(
      /^Waiting for .* Another coin than USDT came to its address: it is not credited and not lost, write to us\.$/,
    )
    expect(await available()).toBe(0n)
    const params = { id: deposit._id }
    expect((await world.call(call.lookAtDeposit, world.admin, { params })).data.toLookAt).toBe(false)
    await world.look()
    expect((await shown(deposit._id)).toLookAt).toBe(false)
  })

  test('[D5] who paid before he confirmed the request has it credited to the request', async () => {
    const query = { method: 'usdt', amount: '150' } as const
    const { data: quote } = await world.call(call.quoteDeposit, investor, { query })
    world.network.send({ to: quote.address, units: usdt(150) })
    await world.look()
    const body = { method: 'usdt', amount: 150, quote: quote.quote } as const
    const { data } = await world.call(call.newDeposit, investor, { body })
    expect(data).toMatchObject({ stage: 'seen', seen: '150.000000' })
    world.network.mine(2)
    await world.look()
    expect(await shown(data._id)).toMatchObject({ stage: 'paid', credited: 150, flags: [] })
  })

  test('[D5] what comes to an address whose request was never confirmed becomes a deposit, once', async () => {
    const query = { method: 'usdt', amount: '150' } as const
    const { data: quote } = await world.call(call.quoteDeposit, investor, { query })
    world.network.send({ to: quote.address, units: usdt(70) })
    world.network.mine(2)
    await world.look()
    await world.look()
    const { data: deposits } = await world.call(call.listOwnDeposits, investor)
    expect(deposits).toMatchObject([
      { status: 'paid', amount: 70, credited: 70, flags: ['unrequested'], toLookAt: true },
    ])
    expect(await available()).toBe(7_000n)
    const body = { method: 'usdt', amount: 150, quote: quote.quote } as const
    expect(await world.call(call.newDeposit, investor, { body })).toMatchObject({ code: 'quote_expired' })
    expect((await world.call(call.quoteDeposit, investor, { query })).data.address).not.toBe(quote.address)
    await world.expectSoundBooks()
  })
})

describe("somebody's word and the network's", () => {
  const approve = (id: string, body: object = {}) =>
    world.call(call.approveDeposit, world.admin, { params: { id }, body })

  test.each([
    ['before it is seen', 0],
    ['while it is confirming', 1],
  ])('[B-03] approved by hand %s, it is not credited again', async (_, blocks) => {
    const deposit = await paid(250)
    if (blocks > 0) {
      world.network.mine(blocks)
      await world.look()
    }
    expect(await approve(deposit._id)).toMatchObject({ status: 200 })
    world.network.mine(3)
    await world.look()
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ credited: 250, transfers: [{ state: 'by_hand' }] })
    expect(await available()).toBe(25_000n)
    expect(await custody()).toBe(-usdt(250))
    world.network.reorg(4)
    await world.look()
    world.network.mine(2)
    await world.look()
    expect(await available()).toBe(25_000n)
    await world.expectSoundBooks()
  })

  test('[B-03] approved by hand with another transaction, or for less than came: only what is beyond is credited', async () => {
    const deposit = await world.ask(investor, 250)
    await approve(deposit._id, { received: '100', transactionId: 'b'.repeat(64) })
    world.network.send({ to: deposit.payment.address, units: usdt(60) })
    world.network.send({ to: deposit.payment.address, units: usdt(190) })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250, received: '250.000000' })
    expect(await available()).toBe(25_000n)
    expect(await custody()).toBe(-usdt(250))
    await world.expectSoundBooks()
  })

  test('a transaction that its network has shown to pay another deposit proves nothing', async () => {
    const [first, second] = [await paid(150), await world.ask(investor, 150)]
    world.network.mine(2)
    await world.look()
    expect(await approve(second._id, { transactionId: first.transaction })).toMatchObject({
      status: 409,
      code: 'transaction_reused',
    })
  })

  test("[decision 20] a frozen account's payment is kept, and credited after the freeze as it came", async () => {
    const deposit = await world.ask(investor, 250)
    await freeze(investor, true)
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      status: 'pending',
      label: 'Confirmed: 250 USDT. It is credited once the account is not frozen any more.',
    })
    world.clock.pass({ days: 3 })
    world.network.mine()
    await world.look()
    await expireDeposits(world.services)
    expect(await shown(deposit._id)).toMatchObject({ status: 'pending' })
    await freeze(investor, false)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', arrival: null, credited: 250 })
  })

  test('a frozen account has taken back what its network takes back', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.look()
    await freeze(investor, true)
    world.network.reorg(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'pending' })
    expect(await available()).toBe(0n)
  })

  const freeze = (who: Person, isFrozen: boolean) =>
    world.owner(
      isFrozen
        ? `UPDATE app.users SET frozen_at = now(), frozen_by = '${world.admin.id}', freeze_reason = 'Asked' WHERE id = '${who.id}'`
        : `UPDATE app.users SET frozen_at = NULL, frozen_by = NULL, freeze_reason = NULL WHERE id = '${who.id}'`,
    )
})

test('while one looks at a network, others leave it alone', async () => {
  await paid(100)
  world.network.mine(2)
  world.network.asked.length = 0
  let others: unknown[] = []
  world.network.setBefore(async () => {
    world.network.setBefore(undefined)
    others = await Promise.all([world.look(), world.look()])
    expect(world.network.asked).toEqual([])
  })
  expect(await world.look()).toEqual({ outcome: 'alone' })
  expect(others).toEqual([{ outcome: 'elsewhere' }, { outcome: 'elsewhere' }])
  expect(await available()).toBe(10_000n)
})

test('a transfer of more than there can be is left out, and keeps nothing else from being credited', async () => {
  const world = await openWatchedWorld('ethereum')
  const investor = await world.person('Ines Investor')
  await world.look()
  const [good, evil] = [await world.ask(investor, 100), await world.ask(investor, 100)]
  const units = BigInt(good.payment.amountCrypto.replace('.', ''))
  world.network.send({ to: good.payment.address, units })
  world.network.mine(3)
  world.network.send({ to: evil.payment.address, units: 2n ** 256n - 1n, token: 'USDT' })
  expect(await world.look()).toEqual({ outcome: 'alone' })
  expect(await world.deposit(investor, good._id)).toMatchObject({ status: 'paid' })
  expect(await world.deposit(investor, evil._id)).toMatchObject({ status: 'pending', stage: 'waiting' })
})

test('[K-02] what spends an output of ours is seen anew where its block was replaced', async () => {
  const world = await openWatchedWorld('bitcoin')
  const investor = await world.person('Ines Investor')
  await world.look()
  const deposit = await world.ask(investor, 1000)
  const units = BigInt(deposit.payment.amountCrypto.replace('.', ''))
  const received = world.network.send({ to: deposit.payment.address, units })
  world.network.mine(3)
  await world.look()
  const spending = world.network.send({ to: 'elsewhere', units, from: [`${received}:0`] })
  world.network.mine()
  await world.look()
  const spent = () =>
    world.database.db
      .selectFrom('app.chain_transfers')
      .select(['spent_by', 'spent_height'])
      .where('transaction_id', '=', received)
      .executeTakeFirstOrThrow()
  const at = world.network.height()
  expect(await spent()).toEqual({ spent_by: spending, spent_height: at })
  // The new blocks hold it, too.
  world.network.cut(1)
  world.network.mine(2)
  await world.look()
  expect(await spent()).toEqual({ spent_by: spending, spent_height: at })
  world.network.reorg(2, { drop: [spending] })
  await world.look()
  expect(await spent()).toEqual({ spent_by: null, spent_height: null })
})

test('[K-02] another number of confirmations counts from the next look on', async () => {
  const deposit = await paid(250)
  world.network.mine(2)
  const five = { ...world.network.chain, confirmations: 5 }
  await look(world.services, 'usdt', five)
  expect(await shown(deposit._id)).toMatchObject({
    stage: 'confirming',
    confirmations: { have: 2, needed: 5 },
  })
  await world.look()
  expect(await shown(deposit._id)).toMatchObject({ status: 'paid' })
  await look(world.services, 'usdt', five)
  expect(await shown(deposit._id)).toMatchObject({ status: 'paid' })
  expect(await available()).toBe(25_000n)
})

test("coins that the firm's own wallet sends to an address that was shown are credited to nobody", async () => {
  const world = await openWatchedWorld('bitcoin')
  const investor = await world.person('Ines Investor')
  await world.look()
  const paid = await world.ask(investor, 1000)
  const units = BigInt(paid.payment.amountCrypto.replace('.', ''))
  const first = world.network.send({ to: paid.payment.address, units })
  world.network.mine(2)
  await world.look()
  const { available } = await world.balances(investor)
  // The wallet gathers at addresses that it takes for unused: one of a request, one of a quote.
  const asked = await world.ask(investor, 150)
  const query = { method: 'bitcoin', amount: '150' } as const
  const quoted = (await world.call(call.quoteDeposit, investor, { query })).data.address
  for (const to of [asked.payment.address, quoted]) {
    world.network.send({ to, units: 1_500_000n, from: [`${first}:0`] })
  }
  world.network.mine(2)
  await world.look()
  expect((await world.balances(investor)).available).toBe(available)
  expect(await world.deposit(investor, asked._id)).toMatchObject({ status: 'pending' })
  // What others have a part in is a payment.
  world.network.send({
    to: asked.payment.address,
    units: 1_500_000n,
    from: [`${first}:0`, `${'e'.repeat(64)}:1`],
  })
  world.network.mine(2)
  await world.look()
  expect(await world.deposit(investor, asked._id)).toMatchObject({ status: 'paid' })
  await world.expectSoundBooks()
})
