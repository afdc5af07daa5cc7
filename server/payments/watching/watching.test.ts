import { beforeEach, describe, expect, test } from 'vitest'
import { type Chain, ChainFault } from '#server/rails/chain.ts'
import * as call from '#shared/contract/deposits.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { listAudit } from '#shared/contract/site.ts'
import { firmBalance } from '#test/support/books.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { look } from './look.ts'

let world: WatchedWorld
let investor: Person
beforeEach(async () => {
  world = await openWatchedWorld()
  investor = await world.person('Ines Investor')
  await world.look()
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
const shortfall = () => firmBalance(world.database.db, 'shortfall', 'USD')
const custody = () => firmBalance(world.database.db, 'custody', 'USDT')

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
      const deposit = await paid(250)
      world.network.mine()
      await world.look()
      world.network.mine(Math.max(0, depth - 1), { without: [] })
      world.network.reorg(depth)
      await world.look()
      world.network.mine(2)
      await world.look()
      expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250 })
      expect(await available()).toBe(25_000n)
      expect(await shortfall()).toBe(0n)
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
})

test('[K-03] where it is not known what is unconfirmed, blocks are credited all the same, and nothing is taken for gone', async () => {
  const waiting = await paid(100)
  await world.look()
  const deposit = await paid(250)
  world.network.mine(2, { without: [waiting.transaction] })
  const chain: Chain = {
    ...world.network.chain,
    pending: () => Promise.reject(new ChainFault('it is still reading what is unconfirmed')),
  }
  await expect(look(world.services, 'usdt', chain)).rejects.toThrow('still reading')
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

test('look at the same time by two processes: each payment counts once', async () => {
  for (let n = 0; n < 5; n += 1) {
    await paid(100)
    world.network.mine(2)
    await Promise.all([world.look(), look(world.services, 'usdt', world.network.chain), world.look()])
  }
  await world.look()
  expect(await available()).toBe(50_000n)
  await world.expectSoundBooks()
})
