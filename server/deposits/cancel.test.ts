import { describe, expect, test } from 'vitest'
import { cancelDeposit, cancelInvestment } from '#shared/contract/cancelling.ts'
import * as call from '#shared/contract/deposits.ts'
import { getInvestment, newInvestment } from '#shared/contract/investments.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { expireDeposits } from './expire.ts'

/** An investor cancels their own pending deposit. */

let world: WatchedWorld
let investor: Person
const { usdt, available, paid, send, shown, notices, actions } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

const cancel = (id: string, who = investor) => world.call(cancelDeposit, who, { params: { id } })
const approve = (id: string, body: object = {}) =>
  world.call(call.approveDeposit, world.admin, { params: { id }, body })
const decline = (id: string) =>
  world.call(call.declineDeposit, world.admin, { params: { id }, body: { reason: 'Not wanted' } })
const arrive = async () => {
  world.network.mine(2)
  await world.sync()
}
const invest = async () => {
  const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
  return (await world.call(newInvestment, investor, { body })).data
}

describe('cancelling a deposit', () => {
  test('[S-04, N-12] ends it, and says who did', async () => {
    const { _id, canCancel } = await world.ask(investor, 250)
    expect(canCancel).toBe(true)
    expect(await cancel(_id)).toMatchObject({
      status: 200,
      message: 'Deposit cancelled',
      data: { status: 'declined', stage: 'declined', cancelled: true, canCancel: false, declineReason: null },
    })
    expect(await notices()).toEqual(['deposit.cancelled'])
    expect((await shown(_id)).history.at(-1)).toMatchObject({
      action: 'Deposit cancelled',
      actor: investor.name,
    })
    const query = { q: investor.email, status: 'cancelled' }
    const { data } = await world.call(call.listDeposits, world.admin, { query })
    expect(data.map(deposit => deposit._id)).toEqual([_id])
  })

  test('[D5, S-04] a payment that arrives after all is credited and flagged', async () => {
    const { _id, payment } = await world.ask(investor, 250)
    await cancel(_id)
    send(payment.address, 250)
    await world.sync()
    expect(await shown(_id)).toMatchObject({
      cancelled: true,
      label: 'Cancelled. Then 250 USDT arrived. We will add it to the balance once it is confirmed.',
    })
    await arrive()
    expect(await shown(_id)).toMatchObject({
      status: 'paid',
      credited: 250,
      cancelled: false,
      flags: ['after_decline'],
      needsReview: true,
    })
    expect(await available()).toBe(25_000n)
    expect(await actions(_id)).toEqual(['deposit.requested', 'deposit.cancelled', 'deposit.credited'])
    await world.expectSoundBooks()
  })

  test('[D5] staff enter a payment of it with its arrival, and decide nothing else', async () => {
    const { _id, createdAt } = await world.ask(investor, 250)
    await cancel(_id)
    const before = await world.state()
    expect(await approve(_id)).toMatchObject({
      status: 409,
      message: 'This deposit is already cancelled. If its payment arrived after all, enter when it did.',
    })
    expect(await decline(_id)).toMatchObject({
      status: 409,
      message: 'This deposit is already cancelled. Only pending deposits can be declined.',
    })
    expect(await world.state()).toBe(before)
    expect((await approve(_id, { arrivedAt: createdAt })).data).toMatchObject({
      status: 'paid',
      cancelled: false,
    })
    expect(await available()).toBe(25_000n)
  })

  test('[D5, S-04] is refused once its payment is seen, in any coin', async () => {
    const { _id } = await paid(250)
    await world.sync()
    expect(await shown(_id)).toMatchObject({ stage: 'seen', canCancel: false })
    expect(await cancel(_id)).toMatchObject({
      status: 409,
      reason: 'payment_seen',
      message:
        'We see your payment on the network, so you cannot cancel it. We will credit it once it is confirmed.',
    })
    const other = await world.ask(investor, 250)
    world.network.send({ to: other.payment.address, units: 1_000_000n, token: 'TRX' })
    await arrive()
    expect(await cancel(other._id)).toMatchObject({ status: 409, reason: 'payment_seen' })
    expect(await shown(_id)).toMatchObject({ status: 'paid', credited: 250 })
  })

  test('[S-04] is refused after the network has reversed its credit', async () => {
    const { _id, transaction } = await paid(250)
    await arrive()
    world.network.reorg(2, { drop: [transaction] })
    await world.sync()
    expect(await shown(_id)).toMatchObject({ status: 'pending', canCancel: false })
    expect(await cancel(_id)).toMatchObject({ status: 409, reason: 'payment_reversed' })
  })

  test('[S-04] is refused of another’s, an unknown and an ended one', async () => {
    const [pending, expired] = [await world.ask(investor, 250), await world.ask(investor, 250)]
    await decline(expired._id)
    const other = await world.person('Otto Other')
    const before = await world.state()
    for (const who of [other, world.admin])
      expect(await cancel(pending._id, who)).toMatchObject({ status: 403, code: 'forbidden' })
    expect(await cancel(expired._id)).toMatchObject({ status: 409, code: 'wrong_state' })
    expect(await world.state()).toBe(before)
  })
})

describe('cancelling a deposit that pays an investment', () => {
  test('[D6, S-04] cancels both', async () => {
    const { _id, deposit } = await invest()
    await cancel(deposit!._id)
    const { data } = await world.call(getInvestment, investor, { params: { id: _id } })
    expect(data).toMatchObject({ status: 'declined', cancelled: true, deposit: { cancelled: true } })
    expect(await notices()).toEqual(['investment.cancelled'])
    expect(await actions(deposit!._id)).toEqual(['deposit.cancelled'])
    expect(await actions(_id)).toEqual(['investment.requested', 'investment.cancelled'])
  })

  test('[D6, S-04] is refused, as of the investment, once the payment is seen', async () => {
    const { _id, deposit } = await invest()
    send(deposit!.payment.address, 500)
    await world.sync()
    const message =
      'We see your payment on the network, so you cannot cancel it. We will credit it once it is confirmed. You can then cancel the investment and keep the money on your balance.'
    expect(await cancel(deposit!._id)).toMatchObject({ status: 409, message })
    const cancelIt = () => world.call(cancelInvestment, investor, { params: { id: _id } })
    expect(await cancelIt()).toMatchObject({ status: 409, message })
    await arrive()
    expect(await world.balances(investor)).toMatchObject({ available: 0n, held: 50_000n })
    const { data: held } = await world.call(getInvestment, investor, { params: { id: _id } })
    expect(held).toMatchObject({ status: 'pending', held: true })
    expect((await cancelIt()).status).toBe(200)
    expect(await world.balances(investor)).toMatchObject({ available: 50_000n, held: 0n })
    await world.expectSoundBooks()
  })
})

describe('cancelling a deposit while something else happens to it', () => {
  test('[S-04, B-05] its approval, or its decline: one wins', async () => {
    let credited = 0n
    for (const rival of [approve, decline, approve, decline, approve, decline]) {
      const { _id } = await world.ask(investor, 100)
      const [own, staffs] = await Promise.all([cancel(_id), rival(_id)])
      expect([own.status, staffs.status].toSorted()).toEqual([200, 409])
      if (rival === approve && staffs.status === 200) credited += 10_000n
    }
    expect(await available()).toBe(credited)
  })

  test('[S-04, B-05] its expiry: one wins', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { _id } = await world.ask(investor, 100)
      world.clock.pass({ days: 2 })
      await world.sync()
      const [own] = await Promise.all([cancel(_id), expireDeposits(world.services)])
      expect([200, 409]).toContain(own.status)
      expect(await shown(_id)).toMatchObject(
        own.status === 200 ? { status: 'declined', cancelled: true } : { status: 'unpaid', cancelled: false },
      )
    }
  })

  test('[D5, B-05] the sync that sees its payment: it is credited in any order', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { _id, payment } = await world.ask(investor, 100)
      world.network.send({ to: payment.address, units: usdt(100) })
      const [own] = await Promise.all([cancel(_id), world.sync()])
      expect([200, 409]).toContain(own.status)
      await arrive()
      expect(await shown(_id)).toMatchObject({
        status: 'paid',
        credited: 100,
        flags: own.status === 200 ? ['after_decline'] : [],
      })
    }
    expect(await available()).toBe(60_000n)
    await world.expectSoundBooks()
  })
})
