import { describe, expect, test } from 'vitest'
import { syncNetwork } from '#server/process/sync-network.ts'
import * as call from '#shared/contract/deposits.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { isPaymentExpected } from './expected.ts'

let world: WatchedWorld
let investor: Person
const { usdt, paid, confirmedFor, available, shown, notices, actions, custody } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

describe('payment addresses', () => {
  test("[D5] each deposit gets its own; quotes reuse the investor's unused one", async () => {
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

  test('[B-03] twenty concurrent requests get twenty addresses without a gap', async () => {
    const people = [investor, await world.person('Omar Other')]
    const deposits = await Promise.all(Array.from({ length: 20 }, (_, n) => world.ask(people[n % 2]!, 100)))
    expect(new Set(deposits.map(({ payment }) => payment.address)).size).toBe(20)
    const { rows } = await world.database.owner.query(
      'SELECT address_index FROM app.payment_addresses ORDER BY address_index',
    )
    expect(rows.map(({ address_index }) => address_index)).toEqual([...Array(rows.length).keys()])
  })
})

describe('a payment on the network', () => {
  test('[C-14, D5] is shown at each stage and credited automatically once confirmed', async () => {
    const deposit = await paid(250)
    expect((await shown(deposit._id)).stage).toBe('waiting')
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      status: 'pending',
      stage: 'seen',
      seen: '250.000000',
      confirmations: { have: 0, needed: 2 },
      label: 'Seen: 250 USDT, not confirmed yet. Nothing more to do.',
    })
    world.network.mine()
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      stage: 'confirming',
      confirmations: { have: 1, needed: 2 },
      label: 'Confirming: 250 USDT, 1 of 2 confirmations. Nothing more to do.',
    })
    expect(await available()).toBe(0n)
    world.network.mine()
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      status: 'paid',
      stage: 'paid',
      credited: 250,
      received: '250.000000',
      deviation: null,
      confirmations: null,
      label: 'Paid in full and added to the balance.',
    })
    expect(await available()).toBe(25_000n)
    expect(await notices()).toEqual(['deposit.approved'])
    expect(await actions(deposit._id)).toEqual(['deposit.requested', 'deposit.credited'])
    await world.expectSoundBooks()
  })

  test('[B-03] is credited once, however often its block is scanned', async () => {
    await paid(250)
    world.network.mine(3)
    for (let n = 0; n < 4; n += 1) await world.sync()
    expect(await available()).toBe(25_000n)
    expect(await custody()).toBe(-usdt(250))
  })

  test('[D5] in one transaction with another deposit is split correctly', async () => {
    const other = await world.person('Otto Other')
    const [mine, theirs] = [await world.ask(investor, 150), await world.ask(other, 260)]
    world.network.send(
      { to: mine.payment.address, units: usdt(150) },
      { to: theirs.payment.address, units: usdt(260) },
    )
    world.network.mine(2)
    await world.sync()
    expect(await available()).toBe(15_000n)
    expect((await world.balances(other)).available).toBe(26_000n)
  })

  test('[D5] in two transactions is credited with each, then paid in full', async () => {
    const deposit = await world.ask(investor, 250)
    world.network.send({ to: deposit.payment.address, units: usdt(100) })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      status: 'paid',
      stage: 'paid_under',
      credited: 100,
      missing: '150.000000',
      canCredit: false,
      needsReview: true,
      label:
        'Underpaid: received 100 USDT instead of 250 USDT, so we credited $100.00 instead of $250.00. Added to the balance. Send the remaining 150 USDT to the same address, and we will add it to the balance.',
    })
    expect(await available()).toBe(10_000n)
    world.network.send({ to: deposit.payment.address, units: usdt(150) })
    await world.sync()
    const { label, missing } = await shown(deposit._id)
    expect(missing).toBe(null)
    expect(label).toContain('Another 150 USDT arrived. We will add it once it is confirmed.')
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      ...{ stage: 'paid', credited: 250, received: '250.000000', needsReview: false },
      label: 'Paid in full and added to the balance.',
    })
    expect(await available()).toBe(25_000n)
    expect(await notices()).toEqual(['deposit.approved', 'deposit.added'])
    await world.expectSoundBooks()
  })

  test('[D5, D6] of an investment in two transactions waits for the second', async () => {
    const deposit = await confirmedFor('Basic', 500, 200)
    expect(await shown(deposit._id)).toMatchObject({
      ...{ status: 'pending', stage: 'underpaid', missing: '300.000000', canCredit: true },
    })
    expect(await notices()).toEqual(['deposit.underpaid'])
    await world.sync()
    expect(await notices()).toEqual(['deposit.underpaid'])
    expect(await world.balances(investor)).toEqual({ available: 0n, held: 0n, invested: 0n })
    world.network.send({ to: deposit.payment.address, units: usdt(300) })
    world.network.mine(1)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'pending', missing: null })
    world.network.mine(1)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', credited: 500 })
    expect(await world.balances(investor)).toEqual({ available: 0n, held: 50_000n, invested: 0n })
    await world.expectSoundBooks()
  })

  test('[D5] above the request is credited in full; later payments are added', async () => {
    const deposit = await world.ask(investor, 250)
    world.network.send({ to: deposit.payment.address, units: usdt(300) })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_over', credited: 300 })
    world.network.send({ to: deposit.payment.address, units: usdt(40) })
    world.network.mine(2)
    await world.sync()
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

test('only one process syncs a network at a time', async () => {
  await paid(100)
  world.network.mine(2)
  world.network.asked.length = 0
  let others: unknown[] = []
  world.network.setBefore(async () => {
    world.network.setBefore(undefined)
    others = await Promise.all([world.sync(), world.sync()])
    expect(world.network.asked).toEqual([])
  })
  expect(await world.sync()).toEqual({ outcome: 'synced' })
  expect(others).toEqual([{ outcome: 'busy' }, { outcome: 'busy' }])
  expect(await available()).toBe(10_000n)
})

test('[D-17] the rest of a short payment is expected until an hour after its window', async () => {
  const own = await openWatchedWorld()
  await own.sync()
  const isExpected = () => isPaymentExpected(own.services, 'usdt')
  const deposit = await own.ask(await own.person('Ines Investor'), 250)
  own.network.send({ to: deposit.payment.address, units: usdt(100) })
  own.network.mine(5)
  await own.sync()
  expect(await isExpected()).toBe(true)
  own.clock.pass({ minutes: 74 })
  expect(await isExpected()).toBe(true)
  own.clock.pass({ minutes: 2 })
  expect(await isExpected()).toBe(false)
})

test('an impossible amount is skipped and blocks nothing else', async () => {
  const world = await openWatchedWorld('ethereum')
  const investor = await world.person('Ines Investor')
  await world.sync()
  const [good, evil] = [await world.ask(investor, 100), await world.ask(investor, 100)]
  const units = BigInt(good.payment.amountCrypto.replace('.', ''))
  world.network.send({ to: good.payment.address, units })
  world.network.mine(3)
  world.network.send({ to: evil.payment.address, units: 2n ** 256n - 1n, token: 'USDT' })
  expect(await world.sync()).toEqual({ outcome: 'synced' })
  expect(await world.deposit(investor, good._id)).toMatchObject({ status: 'paid' })
  expect(await world.deposit(investor, evil._id)).toMatchObject({ status: 'pending', stage: 'waiting' })
})

test('[K-02] a changed number of confirmations takes effect with the next sync', async () => {
  const deposit = await paid(250)
  world.network.mine(2)
  const five = { ...world.network.chain, confirmations: 5 }
  await syncNetwork(world.services, 'usdt', five)
  expect(await shown(deposit._id)).toMatchObject({
    stage: 'confirming',
    confirmations: { have: 2, needed: 5 },
  })
  await world.sync()
  expect(await shown(deposit._id)).toMatchObject({ status: 'paid' })
  await syncNetwork(world.services, 'usdt', five)
  expect(await shown(deposit._id)).toMatchObject({ status: 'paid' })
  expect(await available()).toBe(25_000n)
})

test('an internal transfer to a shown address is credited to nobody', async () => {
  const world = await openWatchedWorld('bitcoin')
  const investor = await world.person('Ines Investor')
  await world.sync()
  const paid = await world.ask(investor, 1000)
  const units = BigInt(paid.payment.amountCrypto.replace('.', ''))
  const first = world.network.send({ to: paid.payment.address, units })
  world.network.mine(2)
  await world.sync()
  const { available } = await world.balances(investor)
  // The wallet consolidates to addresses that it takes for unused: a deposit's and a quote's.
  const asked = await world.ask(investor, 150)
  const query = { method: 'bitcoin', amount: '150' } as const
  const quoted = (await world.call(call.quoteDeposit, investor, { query })).data.address
  for (const to of [asked.payment.address, quoted]) {
    world.network.send({ to, units: 1_500_000n, from: [`${first}:0`] })
  }
  world.network.mine(2)
  await world.sync()
  expect((await world.balances(investor)).available).toBe(available)
  expect(await world.deposit(investor, asked._id)).toMatchObject({ status: 'pending' })
  // A transaction with others' inputs is a payment.
  world.network.send({
    to: asked.payment.address,
    units: 1_500_000n,
    from: [`${first}:0`, `${'e'.repeat(64)}:1`],
  })
  world.network.mine(2)
  await world.sync()
  expect(await world.deposit(investor, asked._id)).toMatchObject({ status: 'paid' })
  await world.expectSoundBooks()
})
