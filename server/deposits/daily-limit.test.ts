import { describe, expect, test } from 'vitest'
import * as call from '#shared/contract/deposits.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

/** One node's word credits at most $1,000 in 24 hours here. */

let world: WatchedWorld
let investor: Person
const { send, confirmed, available, shown } = usdtPayments(
  scene => {
    ;({ world, investor } = scene)
    world.clock.pass({ days: 1, minutes: 1 })
  },
  { creditDailyCents: 100_000n },
)
const credit = async (id: string) => {
  const { seen } = await shown(id)
  return world.call(call.creditDeposit, world.admin, { params: { id }, body: { seen } })
}

describe('[C-14, D5] what one node shows in 24 hours', () => {
  test('is credited up to the daily limit; the next payment waits for a review', async () => {
    for (const amount of [400, 600]) expect((await shown((await confirmed(amount))._id)).status).toBe('paid')
    const beyond = await confirmed(100)
    expect(await shown(beyond._id)).toMatchObject({
      status: 'pending',
      flags: ['daily_limit'],
      needsReview: true,
      canCredit: false,
      label:
        'Confirmed: 100 USDT. More has arrived in 24 hours than we credit without a review, so our team compares it with another source first. The payment is safe.',
    })
    expect(await available()).toBe(100_000n)
    expect(await credit(beyond._id)).toMatchObject({ status: 200 })
    expect(await shown(beyond._id)).toMatchObject({ status: 'paid', credited: 100, flags: [] })
    await world.expectSoundBooks()
  })

  test('counts payments of all investors, and no reviewed one', async () => {
    const first = await confirmed(1_100)
    expect(await shown(first._id)).toMatchObject({ flags: ['daily_limit'] })
    await credit(first._id)
    // Reviewed: the whole limit is left.
    expect(await shown((await confirmed(1_000))._id)).toMatchObject({ status: 'paid' })
    const other = await world.person('Olga Other')
    const { data } = await world.call(call.newDeposit, other, { body: { method: 'usdt', amount: 100 } })
    send(data.payment.address, 100)
    world.network.mine(2)
    await world.sync()
    const { data: seen } = await world.call(call.getDeposit, other, { params: { id: data._id } })
    expect(seen).toMatchObject({ status: 'pending', flags: ['daily_limit'] })
  })

  test('is credited automatically once the limit has room again', async () => {
    expect(await shown((await confirmed(900))._id)).toMatchObject({ status: 'paid' })
    const waiting = await confirmed(200)
    expect(await shown(waiting._id)).toMatchObject({ flags: ['daily_limit'] })
    world.clock.pass({ days: 1 })
    await world.sync()
    expect(await shown(waiting._id)).toMatchObject({ status: 'paid', credited: 200, flags: [] })
  })

  test('two credits at the same moment do not exceed the limit together', async () => {
    const deposits = [await world.ask(investor, 700), await world.ask(investor, 700)]
    for (const { payment } of deposits) send(payment.address, 600)
    world.network.mine(2)
    await world.sync()
    await Promise.all(
      deposits.map(({ _id }) => world.call(call.creditOwnDeposit, investor, { params: { id: _id } })),
    )
    expect(await available()).toBe(60_000n)
    const flags = (await Promise.all(deposits.map(({ _id }) => shown(_id)))).map(each => each.flags)
    expect(flags.toSorted()).toEqual([[], ['daily_limit']])
  })
})
