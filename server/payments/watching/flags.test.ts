import { describe, expect, test } from 'vitest'
import { expireDeposits } from '#server/payments/expire.ts'
import { type Chain, ChainFault } from '#server/rails/chain.ts'
import { startWatching } from '#server/watching.ts'
import * as call from '#shared/contract/deposits.ts'
import { declineInvestment, newInvestment } from '#shared/contract/investments.ts'
import { listAudit } from '#shared/contract/site.ts'
import { declineWithdrawal, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { until } from '#test/support/processes.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { look } from './look.ts'

/** What staff and investors are told of a payment that is not as it was asked for, and for how long. */

let world: WatchedWorld
let investor: Person
const { usdt, send, confirmed, available, shown, lookAt } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

describe('a flag that somebody has to see', () => {
  test('stays while less has come again than its network took back, and goes then', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    send(to, 20)
    world.network.mine(1)
    const taken = send(to, 1000)
    world.network.mine(2)
    await world.look()
    world.network.reorg(2, { drop: [taken] })
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 20, flags: ['reversed'] })
    send(to, 240)
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 260, flags: ['reversed'] })
    expect((await shown(deposit._id)).label).toContain('Its network has taken a part of it back.')
    send(to, 760)
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ credited: 1020, flags: [] })
    await world.expectSoundBooks()
  })

  test('goes with the debt that it is about', async () => {
    const deposit = await confirmed(250)
    const body = {
      amount: 200,
      wallet: 'Bitcoin (BTC)',
      address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    } as const
    const { data } = await world.call(newWithdrawal, investor, { body })
    world.network.reorg(2, { drop: [deposit.transaction] })
    await world.look()
    const owed = await shown(deposit._id)
    expect(owed).toMatchObject({ flags: ['reversed', 'debt'], debt: 200 })
    expect(owed.label).toContain('$200.00 of it was not on the balance any more')
    await world.call(declineWithdrawal, world.admin, {
      params: { id: data._id },
      body: { reason: 'Taken back' },
    })
    expect(await shown(deposit._id)).toMatchObject({ flags: ['reversed'], debt: 0 })
  })

  test('is there while what was approved by hand is not on its network, and no longer', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    const transaction = send(to, 250)
    world.network.mine(1)
    await world.look()
    await world.call(call.approveDeposit, world.admin, { params: { id: deposit._id }, body: {} })
    world.network.mine(1)
    await world.look()
    world.network.reorg(2, { drop: [transaction] })
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', flags: ['reversed'], needsReview: true })
    send(to, 250)
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250, flags: [] })
    expect(await available()).toBe(25_000n)
    await world.expectSoundBooks()
  })

  test('tells of a payment that came after its deposit was approved by hand, for another reason perhaps, and is not credited', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    world.network.send({ to, units: usdt(250), token: 'USDC' })
    world.network.mine(2)
    await world.look()
    await world.call(call.approveDeposit, world.admin, { params: { id: deposit._id }, body: {} })
    await lookAt(deposit._id)
    const transactionId = send(to, 250)
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      credited: 250,
      flags: ['wrong_asset', 'manual_credit'],
      needsReview: true,
    })
    const { data } = await world.call(listAudit, world.admin, { query: { q: deposit._id } })
    expect(data[0]).toMatchObject({
      action: 'deposit.matched',
      actor: null,
      details: { creditedByHand: '250.000000 USDT', transactions: [transactionId] },
    })
    await lookAt(deposit._id)
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ needsReview: false })
    await world.expectSoundBooks()
  })

  test('tells nothing of what was there when it was approved by hand, nor of the transaction that was named', async () => {
    const there = await world.ask(investor, 250)
    send(there.payment.address, 250)
    await world.look()
    const named = await world.ask(investor, 250)
    const transactionId = 'c'.repeat(64)
    for (const [{ _id: id }, body] of [
      [there, {}],
      [named, { transactionId }],
    ] as const) {
      await world.call(call.approveDeposit, world.admin, { params: { id }, body })
    }
    world.network.send({ to: named.payment.address, units: usdt(250), id: transactionId })
    world.network.mine(2)
    await world.look()
    for (const { _id } of [there, named]) {
      expect(await shown(_id)).toMatchObject({
        credited: 250,
        flags: [],
        transfers: [{ state: 'credited_manually' }],
      })
    }
  })

  test('is to be looked at anew for each payment in another coin', async () => {
    const deposit = await world.ask(investor, 250)
    const stray = () => world.network.send({ to: deposit.payment.address, units: usdt(5), token: 'USDC' })
    stray()
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ flags: ['wrong_asset'], needsReview: true })
    await lookAt(deposit._id)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ needsReview: false })
    stray()
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ flags: ['wrong_asset'], needsReview: true })
  })

  test('tells who has declined a deposit that its payment was credited all the same', async () => {
    const deposit = await world.ask(investor, 250)
    send(deposit.payment.address, 250)
    world.network.mine(1)
    await world.look()
    const params = { id: deposit._id }
    await world.call(call.declineDeposit, world.admin, { params, body: { reason: 'Not his wallet.' } })
    expect((await shown(deposit._id)).label).toBe(
      'Declined: Not his wallet. Then 250 USDT came all the same: once it is confirmed, it is added to the balance.',
    )
    world.network.mine(1)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      status: 'paid',
      credited: 250,
      flags: ['after_decline'],
      needsReview: true,
    })
  })
})

describe('too little', () => {
  test('[D5] short by less than the dust limit it is credited as it came: the rest could not be sent', async () => {
    const deposit = await confirmed(250, 249.991)
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_under', credited: 249.99, missing: null })
    await world.expectSoundBooks()
  })

  test('[D5] topped up to less than the dust limit it is credited, too', async () => {
    const deposit = await confirmed(250, 100)
    expect(await shown(deposit._id)).toMatchObject({ stage: 'underpaid', missing: '150.000000' })
    send(deposit.payment.address, 149.991)
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_under', credited: 249.99 })
  })

  test('[D6] an investment waits for the rest, of which as much is asked for as counts', async () => {
    const { data } = await world.call(newInvestment, investor, {
      body: { method: 'usdt', plan: 'Basic', amount: 500 },
    })
    const deposit = data.deposit!
    send(deposit.payment!.address, 499.991)
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'underpaid', missing: '0.010000' })
    send(deposit.payment!.address, 0.01)
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid' })
    expect(await world.balances(investor)).toMatchObject({ held: 50_000n })
    await world.call(declineInvestment, world.admin, { params: { id: data._id }, body: { reason: 'No' } })
  })

  test('a unit more than was said by hand is written down, and nothing is open any more', async () => {
    const deposit = await world.ask(investor, 250)
    const transaction = world.network.send({ to: deposit.payment.address, units: usdt(250) + 1n })
    world.network.mine(1)
    await world.look()
    await world.call(call.approveDeposit, world.admin, { params: { id: deposit._id }, body: {} })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      received: '250.000001',
      credited: 250,
      confirmations: null,
    })
    await world.expectSoundBooks()
    world.network.reorg(3, { drop: [transaction] })
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      received: '250.000000',
      credited: 250,
      flags: ['reversed'],
    })
    await world.expectSoundBooks()
  })
})

describe('a service that tells nothing of what is unconfirmed', () => {
  const silent = (): Chain => ({
    ...world.network.chain,
    pending: () => Promise.reject(new ChainFault('it refuses to tell')),
  })

  test('[D5] lets a deposit expire that nothing came for, and is asked as often as any other', async () => {
    const deposit = await world.ask(investor, 250)
    const paid = await world.ask(investor, 150)
    world.clock.pass({ days: 2 })
    send(paid.payment.address, 150)
    world.network.mine(1)
    await expect(look(world.services, 'usdt', silent())).rejects.toThrow('refuses to tell')
    await expireDeposits(world.services)
    expect(await shown(deposit._id)).toMatchObject({ status: 'unpaid' })
    expect(await shown(paid._id)).toMatchObject({ status: 'pending' })
    world.network.mine(1)
    await expect(look(world.services, 'usdt', silent())).rejects.toThrow('refuses to tell')
    expect(await shown(paid._id)).toMatchObject({ status: 'paid' })
  })

  test('[K-03] is asked for its blocks as often as one that tells everything', async () => {
    let looks = 0
    const tip = () => {
      looks += 1
      return world.network.chain.tip()
    }
    const chainFor = (method: string) => (method === 'usdt' ? { ...silent(), tip } : undefined)
    const stop = startWatching(world.services, { chainFor, pauseMs: 1 })
    // Twice as long a pause after each would be an hour by then.
    await until(() => looks > 20)
    await stop()
  })
})

test('[K-03] a node that stays behind what was read is a fault', async () => {
  world.network.mine(3)
  await world.look()
  world.network.cut(3)
  await world.look()
  world.clock.pass({ minutes: 11 })
  await expect(world.look()).rejects.toThrow('the node is behind')
  const { sync_error } = await world.database.db
    .selectFrom('app.chain_cursors')
    .select('sync_error')
    .executeTakeFirstOrThrow()
  expect(sync_error).toContain('the node is behind')
  world.network.mine(4)
  await world.look()
})
