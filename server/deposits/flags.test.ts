import { describe, expect, test } from 'vitest'
import { startWatching } from '#server/process/chain-worker.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { type Chain, ChainError } from '#server/rails/chain.ts'
import * as call from '#shared/contract/deposits.ts'
import { declineInvestment, newInvestment } from '#shared/contract/investments.ts'
import { listAudit } from '#shared/contract/site.ts'
import { declineWithdrawal, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { until } from '#test/support/processes.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { expireDeposits } from './expire.ts'

/** The flags of a payment, and how long each one stays. */

let world: WatchedWorld
let investor: Person
const { usdt, send, confirmed, available, shown, review } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

describe('a flag', () => {
  test('reversed: stays until as much has arrived again', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    send(to, 20)
    world.network.mine(1)
    const taken = send(to, 1000)
    world.network.mine(2)
    await world.sync()
    world.network.reorg(2, { drop: [taken] })
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 20, flags: ['reversed'] })
    send(to, 240)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 260, flags: ['reversed'] })
    expect((await shown(deposit._id)).label).toContain('The network reversed part of this payment.')
    send(to, 760)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ credited: 1020, flags: [] })
    await world.expectSoundBooks()
  })

  test('debt: goes once the debt is repaid', async () => {
    const deposit = await confirmed(250)
    const body = {
      amount: 200,
      wallet: 'Bitcoin (BTC)',
      address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    } as const
    const { data } = await world.call(newWithdrawal, investor, { body })
    world.network.reorg(2, { drop: [deposit.transaction] })
    await world.sync()
    const owed = await shown(deposit._id)
    expect(owed).toMatchObject({ flags: ['reversed', 'debt'], debt: 200 })
    expect(owed.label).toContain('$200.00 of it had left the balance')
    await world.call(declineWithdrawal, world.admin, {
      params: { id: data._id },
      body: { reason: 'Payment reversed' },
    })
    expect(await shown(deposit._id)).toMatchObject({ flags: ['reversed'], debt: 0 })
  })

  test('reversed: shows while a manual credit has no transfer on the chain', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    const transaction = send(to, 250)
    world.network.mine(1)
    await world.sync()
    await world.call(call.approveDeposit, world.admin, { params: { id: deposit._id }, body: {} })
    world.network.mine(1)
    await world.sync()
    world.network.reorg(2, { drop: [transaction] })
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', flags: ['reversed'], needsReview: true })
    send(to, 250)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250, flags: [] })
    expect(await available()).toBe(25_000n)
    await world.expectSoundBooks()
  })

  test('manual_credit: marks a payment that arrives after a manual credit', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    world.network.send({ to, units: usdt(250), token: 'USDC' })
    world.network.mine(2)
    await world.sync()
    await world.call(call.approveDeposit, world.admin, { params: { id: deposit._id }, body: {} })
    await review(deposit._id)
    const transactionId = send(to, 250)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      credited: 250,
      flags: ['wrong_asset', 'manual_credit'],
      needsReview: true,
    })
    const { data } = await world.call(listAudit, world.admin, { query: { q: deposit._id } })
    expect(data[0]).toMatchObject({
      action: 'deposit.matched',
      actor: null,
      details: { creditedManually: '250.000000 USDT', transactions: [transactionId] },
    })
    await review(deposit._id)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ needsReview: false })
    await world.expectSoundBooks()
  })

  test('manual_credit: ignores earlier payments and the transaction entered', async () => {
    const there = await world.ask(investor, 250)
    send(there.payment.address, 250)
    await world.sync()
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
    await world.sync()
    for (const { _id } of [there, named]) {
      expect(await shown(_id)).toMatchObject({
        credited: 250,
        flags: [],
        transfers: [{ state: 'credited_manually' }],
      })
    }
  })

  test('wrong_asset: needs a new review for each payment', async () => {
    const deposit = await world.ask(investor, 250)
    const stray = () => world.network.send({ to: deposit.payment.address, units: usdt(5), token: 'USDC' })
    stray()
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ flags: ['wrong_asset'], needsReview: true })
    await review(deposit._id)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ needsReview: false })
    stray()
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ flags: ['wrong_asset'], needsReview: true })
  })

  test('after_decline: marks a credit of a declined deposit', async () => {
    const deposit = await world.ask(investor, 250)
    send(deposit.payment.address, 250)
    world.network.mine(1)
    await world.sync()
    const params = { id: deposit._id }
    await world.call(call.declineDeposit, world.admin, { params, body: { reason: 'Not their wallet.' } })
    expect((await shown(deposit._id)).label).toBe(
      'Declined: Not their wallet. Then 250 USDT arrived. We will add it to the balance once it is confirmed.',
    )
    world.network.mine(1)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      status: 'paid',
      credited: 250,
      flags: ['after_decline'],
      needsReview: true,
    })
  })
})

describe('an amount below the dust limit', () => {
  test('[D5] missing: the payment is credited as it arrived', async () => {
    const deposit = await confirmed(250, 249.991)
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_under', credited: 249.99, missing: null })
    await world.expectSoundBooks()
  })

  test('[D5] missing after a top-up: nothing more is asked for', async () => {
    const deposit = await confirmed(250, 100)
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_under', missing: '150.000000' })
    send(deposit.payment.address, 149.991)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_under', credited: 249.99, missing: null })
  })

  test('[D6] is raised to the dust limit for the rest of an investment', async () => {
    const { data } = await world.call(newInvestment, investor, {
      body: { method: 'usdt', plan: 'Basic', amount: 500 },
    })
    const deposit = data.deposit!
    send(deposit.payment!.address, 499.991)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'underpaid', missing: '0.010000' })
    send(deposit.payment!.address, 0.01)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid' })
    expect(await world.balances(investor)).toMatchObject({ held: 50_000n })
    await world.call(declineInvestment, world.admin, { params: { id: data._id }, body: { reason: 'No' } })
  })

  test('beyond a manual credit is recorded and leaves nothing open', async () => {
    const deposit = await world.ask(investor, 250)
    const transaction = world.network.send({ to: deposit.payment.address, units: usdt(250) + 1n })
    world.network.mine(1)
    await world.sync()
    await world.call(call.approveDeposit, world.admin, { params: { id: deposit._id }, body: {} })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      received: '250.000001',
      credited: 250,
      confirmations: null,
    })
    await world.expectSoundBooks()
    world.network.reorg(3, { drop: [transaction] })
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      received: '250.000000',
      credited: 250,
      flags: ['reversed'],
    })
    await world.expectSoundBooks()
  })
})

describe('a service without unconfirmed transfers', () => {
  const silent = (): Chain => ({
    ...world.network.chain,
    pending: () => Promise.reject(new ChainError('it refuses to tell')),
  })

  test('[D5] lets an unpaid deposit expire, and is polled as often as any other', async () => {
    const deposit = await world.ask(investor, 250)
    const paid = await world.ask(investor, 150)
    world.clock.pass({ days: 2 })
    send(paid.payment.address, 150)
    world.network.mine(1)
    await expect(syncNetwork(world.services, 'usdt', silent())).rejects.toThrow('refuses to tell')
    await expireDeposits(world.services)
    expect(await shown(deposit._id)).toMatchObject({ status: 'unpaid' })
    expect(await shown(paid._id)).toMatchObject({ status: 'pending' })
    world.network.mine(1)
    await expect(syncNetwork(world.services, 'usdt', silent())).rejects.toThrow('refuses to tell')
    expect(await shown(paid._id)).toMatchObject({ status: 'paid' })
  })

  test('[K-03] is asked for its blocks as often as any other service', async () => {
    let polls = 0
    const tip = () => {
      polls += 1
      return world.network.chain.tip()
    }
    const chainFor = (method: string) => (method === 'usdt' ? { ...silent(), tip } : undefined)
    const stop = startWatching(world.services, { chainFor, pauseMs: 1 })
    // Twice as long a pause after each would be an hour by then.
    await until(() => polls > 20)
    await stop()
  })
})

test('[K-03] a node that stays behind the synced height is an error', async () => {
  world.network.mine(3)
  await world.sync()
  world.network.cut(3)
  await world.sync()
  world.clock.pass({ minutes: 11 })
  await expect(world.sync()).rejects.toThrow('the node is behind')
  const { sync_error } = await world.database.db
    .selectFrom('app.chain_cursors')
    .select('sync_error')
    .executeTakeFirstOrThrow()
  expect(sync_error).toContain('the node is behind')
  world.network.mine(4)
  await world.sync()
})
