import { describe, expect, test } from 'vitest'
import { expireDeposits } from '#server/deposits/expire.ts'
import { listOwnDeposits, newDeposit } from '#shared/contract/deposits.ts'
import { utcMinute } from '#shared/moments.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

/** What the investor is told at each stage of a payment. */

let world: WatchedWorld
let investor: Person
const { send, paid, confirmed, shown } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})
const gone =
  'The payment we saw is no longer on the network: it was cancelled, replaced or dropped. Check your wallet.'
const late = 'If it sends the payment again, we will still credit it. To pay now, start a new deposit.'

describe('[D-15] a payment that the network dropped before its credit', () => {
  test('is still to be paid, by the end of its window', async () => {
    const deposit = await paid(250)
    world.network.mine(1)
    await world.sync()
    world.network.reorg(1, { drop: [deposit.transaction] })
    await world.sync()
    const until = utcMinute(new Date(deposit.payment.expiresAt))
    expect(await shown(deposit._id)).toMatchObject({
      stage: 'dropped',
      seen: null,
      label: `${gone} If it has not sent it again, send 250 USDT by ${until}.`,
    })
    send(deposit.payment.address, 250)
    await world.sync()
    expect((await shown(deposit._id)).stage).toBe('seen')
  })

  test('is never called one that did not arrive', async () => {
    const deposit = await paid(250)
    await world.sync()
    world.network.drop(deposit.transaction)
    await world.sync()
    world.clock.pass({ minutes: 60 })
    expect(await shown(deposit._id)).toMatchObject({ stage: 'dropped', label: `${gone} ${late}` })
    world.clock.pass({ days: 2 })
    await world.sync()
    await expireDeposits(world.services)
    expect(await shown(deposit._id)).toMatchObject({ status: 'unpaid', label: `${gone} ${late}` })
  })
})

describe('[D-15] a credited payment that a reorg reversed', () => {
  const reversed =
    'The network reversed this payment after we credited it, so we removed it from the balance.'

  test('says so while it waits to be confirmed again', async () => {
    const deposit = await confirmed(250)
    world.network.reorg(2)
    await world.sync()
    expect((await shown(deposit._id)).label).toBe(
      `${reversed} Seen: 250 USDT, not confirmed yet. Nothing more to do.`,
    )
    world.network.mine(2)
    await world.sync()
    expect((await shown(deposit._id)).label).toBe('Paid in full and added to the balance.')
  })

  test('says what happens next while the network does not show it', async () => {
    const deposit = await confirmed(250)
    world.network.reorg(2, { drop: [deposit.transaction] })
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      stage: 'reversed',
      label: `${reversed} We will credit it again once it is confirmed again. Contact us if you do not know why.`,
    })
  })
})

test('[D-22] the rest of an underpaid payment has a URI of its own', async () => {
  const bitcoin = await openWatchedWorld('bitcoin')
  await bitcoin.sync()
  const person = await bitcoin.person('Beth Bitcoin')
  const deposit = await bitcoin.ask(person, 300)
  expect(await bitcoin.deposit(person, deposit._id)).toMatchObject({ watched: true, missingUri: null })
  bitcoin.network.send({ to: deposit.payment.address, units: 100_000n })
  await bitcoin.sync()
  const { missing, missingUri, payment } = await bitcoin.deposit(person, deposit._id)
  expect(missingUri).toBe(payment.uri.replace(payment.amountCrypto, missing!))
})

test('a payment stays with the open ones for an hour after its credit', async () => {
  const open = async () =>
    (await world.call(listOwnDeposits, investor, { query: { status: 'open' } })).data.map(({ _id }) => _id)
  const deposit = await confirmed(250)
  const { data: unpaid } = await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 100 } })
  expect(await open()).toEqual([unpaid._id, deposit._id])
  world.clock.pass({ minutes: 59 })
  expect(await open()).toContain(deposit._id)
  world.clock.pass({ minutes: 2 })
  expect(await open()).toEqual([unpaid._id])
})

test('a payment credited in part stays with the open ones while the rest can be sent', async () => {
  const open = async () => (await world.call(listOwnDeposits, investor, { query: { status: 'open' } })).data
  const deposit = await confirmed(250, 100)
  expect(await shown(deposit._id)).toMatchObject({ status: 'paid', missing: '150.000000' })
  world.clock.pass({ minutes: 120 })
  expect((await open()).map(({ _id }) => _id)).toEqual([deposit._id])
  world.clock.pass({ days: 1 })
  expect(await open()).toEqual([])
})
