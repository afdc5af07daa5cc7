import { describe, expect, test } from 'vitest'
import * as call from '#shared/contract/deposits.ts'
import { getInvestment, newInvestment } from '#shared/contract/investments.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { expireDeposits } from './expire.ts'

/** Late, underpaid, overpaid, wrong asset, dust, unsolicited. */

let world: WatchedWorld
let investor: Person
const { usdt, confirmedFor, available, shown, notices, actions } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

describe('a payment that deviates from its request', () => {
  test('[D5] late: is credited at once and marked as late', async () => {
    const deposit = await world.ask(investor, 250)
    world.clock.pass({ minutes: 20 })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_late', deviation: 'late', credited: 250 })
  })

  test('[D5] unpaid: is credited when it arrives after all', async () => {
    const deposit = await world.ask(investor, 250)
    world.clock.pass({ days: 2 })
    await world.sync()
    await expireDeposits(world.services)
    expect(await shown(deposit._id)).toMatchObject({ status: 'unpaid', stage: 'expired' })
    world.network.send({ to: deposit.payment.address, units: usdt(100) })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', stage: 'paid_late', credited: 100 })
  })

  test('[D5] declined: is credited when it arrives after all', async () => {
    const deposit = await world.ask(investor, 250)
    const params = { id: deposit._id }
    await world.call(call.declineDeposit, world.admin, { params, body: { reason: 'Not wanted' } })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250, declineReason: null })
  })

  test('[D5] underpaid: the investor may credit it; its investment is then declined', async () => {
    const { data } = await world.call(newInvestment, investor, {
      body: { method: 'usdt', plan: 'Basic', amount: 500 },
    })
    const deposit = data.deposit!
    const credit = (who: Person) => world.call(call.creditOwnDeposit, who, { params: { id: deposit._id } })
    expect(await credit(investor)).toMatchObject({ status: 409, code: 'wrong_state' })
    world.network.send({ to: deposit.payment.address, units: usdt(400) })
    world.network.mine(2)
    await world.sync()
    const other = await world.person('Otto Other')
    expect(await credit(other)).toMatchObject({ status: 403 })
    expect(await credit(investor)).toMatchObject({
      status: 200,
      data: { stage: 'paid_under', credited: 400 },
    })
    expect(await credit(investor)).toMatchObject({ status: 409 })
    expect(await world.balances(investor)).toEqual({ available: 40_000n, held: 0n, invested: 0n })
    expect((await world.call(getInvestment, investor, { params: { id: data._id } })).data.status).toBe(
      'declined',
    )
    expect((await notices()).sort()).toEqual(['deposit.approved', 'deposit.underpaid', 'investment.declined'])
    await world.expectSoundBooks()
  })

  test('[B-06, D5] an action with an idempotency key, as browsers send it, credits the same', async () => {
    const deposit = await confirmedFor('Basic', 500, 100)
    const params = { id: deposit._id }
    const credit = () => world.call(call.creditOwnDeposit, investor, { params }, { idempotencyKey: 'once' })
    const credited = { status: 200, data: { stage: 'paid_under', credited: 100 } }
    expect(await credit()).toMatchObject(credited)
    expect(await credit()).toMatchObject(credited)
    expect(await world.balances(investor)).toEqual({ available: 10_000n, held: 0n, invested: 0n })
    await world.expectSoundBooks()
  })

  test('[D5] underpaid for an investment: is credited at the end of its monitoring', async () => {
    const deposit = await confirmedFor('Basic', 500, 100)
    world.clock.pass({ minutes: 24 * 60 + 14 })
    await world.sync()
    await expireDeposits(world.services)
    expect(await available()).toBe(0n)
    world.clock.pass({ minutes: 2 })
    world.network.mine()
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_under', credited: 100 })
  })

  test('[D5] underpaid: nothing more is asked for once the monitoring has ended', async () => {
    const deposit = await world.ask(investor, 250)
    world.network.send({ to: deposit.payment.address, units: usdt(100) })
    world.network.mine(2)
    await world.sync()
    world.clock.pass({ minutes: 24 * 60 + 16 })
    const { label, missing } = await shown(deposit._id)
    expect([missing, label]).toEqual([null, expect.stringMatching(/Added to the balance\.$/)])
    world.network.send({ to: deposit.payment.address, units: usdt(150) })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_late', credited: 250 })
    await world.expectSoundBooks()
  })

  test('[D5] underpaid by what staff entered: nothing more is asked for', async () => {
    const deposit = await world.ask(investor, 250)
    const params = { id: deposit._id }
    await world.call(call.approveDeposit, world.admin, { params, body: { received: '100' } })
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_under', credited: 100, missing: null })
  })

  test('[D5] staff credit an underpaid payment of an investment', async () => {
    const deposit = await confirmedFor('Basic', 500, 100)
    const params = { id: deposit._id }
    expect(await world.call(call.creditDeposit, world.admin, { params })).toMatchObject({
      data: { stage: 'paid_under', credited: 100 },
    })
    expect(await actions(deposit._id)).toEqual(['deposit.credited'])
  })

  test('[D5] shows payments before dust, and how many transfers are hidden', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    for (let n = 0; n < 100; n++) world.network.send({ to, units: 9_999n })
    await world.sync()
    world.clock.pass({ minutes: 1 })
    world.network.send({ to, units: usdt(250), token: 'USDC' })
    world.network.send({ to, units: usdt(250) })
    world.network.mine(2)
    await world.sync()
    const { transfers, moreTransfers } = await shown(deposit._id)
    expect(transfers.slice(0, 3)).toMatchObject([
      { state: 'credited' },
      { state: 'wrong_asset' },
      { state: 'dust' },
    ])
    expect([transfers.length, moreTransfers]).toEqual([100, 2])
  })

  test('[D5] dust does not count; a wrong asset is flagged and not credited', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    world.network.send({ to, units: 9_999n })
    world.network.send({ to, units: usdt(250), token: 'USDC' })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      stage: 'waiting',
      seen: null,
      flags: ['wrong_asset'],
      needsReview: true,
      transfers: [{ state: 'wrong_asset', token: 'USDC' }, { state: 'dust' }],
    })
    expect((await shown(deposit._id)).label).toMatch(
      /^Waiting for .* We received a different coin at this address\. It was not credited but is safe; please contact us\.$/,
    )
    expect(await available()).toBe(0n)
    const params = { id: deposit._id }
    expect((await world.call(call.reviewDeposit, world.admin, { params })).data.needsReview).toBe(false)
    await world.sync()
    expect((await shown(deposit._id)).needsReview).toBe(false)
  })

  test('[D5] TRX at an address for USDT is flagged, and TRX from our own address is internal', async () => {
    const [deposit, other] = [await world.ask(investor, 250), await world.ask(investor, 300)]
    world.network.send({ to: deposit.payment.address, units: 30_000_000n, token: 'TRX' })
    const own = [other.payment.address]
    world.network.send({ to: other.payment.address, units: 30_000_000n, token: 'TRX', from: own })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      flags: ['wrong_asset'],
      needsReview: true,
      transfers: [{ state: 'wrong_asset', token: 'TRX', amountCrypto: '30.000000' }],
    })
    expect(await shown(other._id)).toMatchObject({ flags: [], transfers: [{ state: 'internal' }] })
    expect(await available()).toBe(0n)
  })

  test('[D5] a payment before confirmation is credited to the confirmed request', async () => {
    const query = { method: 'usdt', amount: '150' } as const
    const { data: quote } = await world.call(call.quoteDeposit, investor, { query })
    world.network.send({ to: quote.address, units: usdt(150) })
    await world.sync()
    const body = { method: 'usdt', amount: 150, quote: quote.quote } as const
    const { data } = await world.call(call.newDeposit, investor, { body })
    expect(data).toMatchObject({ stage: 'seen', seen: '150.000000' })
    world.network.mine(2)
    await world.sync()
    expect(await shown(data._id)).toMatchObject({ stage: 'paid', credited: 150, flags: [] })
  })

  test('[D5] a payment to an unconfirmed quote becomes one deposit', async () => {
    const query = { method: 'usdt', amount: '150' } as const
    const { data: quote } = await world.call(call.quoteDeposit, investor, { query })
    world.network.send({ to: quote.address, units: usdt(70) })
    world.network.mine(2)
    await world.sync()
    await world.sync()
    const { data: deposits } = await world.call(call.listOwnDeposits, investor)
    expect(deposits).toMatchObject([
      { status: 'paid', amount: 70, credited: 70, flags: ['unsolicited'], needsReview: true },
    ])
    expect(await available()).toBe(7_000n)
    const body = { method: 'usdt', amount: 150, quote: quote.quote } as const
    expect(await world.call(call.newDeposit, investor, { body })).toMatchObject({ code: 'quote_expired' })
    expect((await world.call(call.quoteDeposit, investor, { query })).data.address).not.toBe(quote.address)
    await world.expectSoundBooks()
  })
})
