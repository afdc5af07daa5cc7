import { describe, expect, test } from 'vitest'
import { approveInvestment, declineInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

let world: WatchedWorld
let investor: Person
const { usdt, paid, shown, notices, actions, debt } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

describe('a reversed deposit that was already used', () => {
  test('[B-03] takes what is available; the rest is a debt until the payment returns', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.sync()
    const body = {
      amount: 200,
      wallet: 'Bitcoin (BTC)',
      address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    } as const
    await world.call(newWithdrawal, investor, { body })
    world.network.reorg(2)
    await world.sync()
    expect(await world.balances(investor)).toMatchObject({ available: 0n, held: 20_000n })
    expect(await debt()).toBe(-20_000n)
    expect(await shown(deposit._id)).toMatchObject({
      stage: 'seen',
      flags: ['reversed', 'debt'],
      debt: 200,
      needsReview: true,
      label:
        'The network reversed this payment after we credited it. $200.00 of it had left the balance; the next funds that become available repay it. Seen: 250 USDT, not confirmed yet. Nothing more to do.',
    })
    expect(await notices()).toEqual(['deposit.approved', 'address.added', 'deposit.reversed'])
    world.network.mine(2)
    await world.sync()
    expect(await world.balances(investor)).toMatchObject({ available: 5_000n, held: 20_000n })
    expect(await debt()).toBe(0n)
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', flags: [], debt: 0, credited: 250 })
    expect(await actions(deposit._id)).toEqual([
      'deposit.requested',
      'deposit.credited',
      'deposit.reversed',
      'deposit.credited',
    ])
    await world.expectSoundBooks()
  })

  test('[D6] a pending investment keeps its hold, and repays the debt once declined', async () => {
    const { data } = await world.call(newInvestment, investor, {
      body: { method: 'usdt', plan: 'Basic', amount: 500 },
    })
    const to = data.deposit!.payment.address
    const payment = world.network.send({ to, units: usdt(500) })
    world.network.mine(2)
    await world.sync()
    expect(await world.balances(investor)).toMatchObject({ available: 0n, held: 50_000n })
    world.network.reorg(2, { drop: [payment] })
    await world.sync()
    expect(await debt()).toBe(-50_000n)
    const params = { id: data._id }
    expect(await world.call(approveInvestment, world.admin, { params })).toMatchObject({
      status: 409,
      reason: 'deposit_reversed',
    })
    await world.call(declineInvestment, world.admin, { params, body: { reason: 'Its payment is gone' } })
    expect(await world.balances(investor)).toEqual({ available: 0n, held: 0n, invested: 0n })
    expect(await debt()).toBe(0n)
    world.network.mine(2)
    await world.sync()
    expect(await world.balances(investor)).toEqual({ available: 0n, held: 0n, invested: 0n })
    // A new payment belongs to the investor: the investment stays declined.
    world.network.send({ to, units: usdt(500) })
    world.network.mine(2)
    await world.sync()
    expect(await world.balances(investor)).toEqual({ available: 50_000n, held: 0n, invested: 0n })
    await world.expectSoundBooks()
  })

  test('[D6] a pending investment is held once when its payment confirms again', async () => {
    const { data } = await world.call(newInvestment, investor, {
      body: { method: 'usdt', plan: 'Basic', amount: 500 },
    })
    world.network.send({ to: data.deposit!.payment.address, units: usdt(500) })
    world.network.mine(2)
    await world.sync()
    world.network.reorg(2)
    await world.sync()
    world.network.mine(2)
    await world.sync()
    expect(await world.balances(investor)).toEqual({ available: 0n, held: 50_000n, invested: 0n })
    await world.call(approveInvestment, world.admin, { params: { id: data._id } })
    expect(await world.balances(investor)).toEqual({ available: 0n, held: 0n, invested: 50_000n })
    expect(await debt()).toBe(0n)
    await world.expectSoundBooks()
  })
})
