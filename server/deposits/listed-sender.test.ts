import { describe, expect, test } from 'vitest'
import { creditDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { importSdn } from '#test/support/sanctions.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

let world: WatchedWorld
let investor: Person
const { usdt, available, shown } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

const listed = 'TGE94JqqM3D8eWnHkPSrVmy8SzEuBCVdhZ'
const other = 'TJ9q8SYfVdSkDqRzYFcyjcRyhAKKfwJrUT'
const entry = { uid: 25308, first: 'Ali', last: 'KHORASHADIZADEH' }
const list = (day: string, wallets: [string, string][]) => importSdn(world, [{ ...entry, wallets }], { day })
const paidFrom = async (sender: string, amount = 100) => {
  const { data } = await world.call(newDeposit, investor, { body: { method: 'usdt', amount } })
  world.network.send({ to: data.payment.address, units: usdt(amount), from: [sender] })
  world.network.mine(2)
  await world.sync()
  return data._id
}

describe('[C-14] a payment from a wallet on a sanctions list', () => {
  test('waits until staff have reviewed it; others are credited', async () => {
    await list('11/20/2026', [['USDT', listed]])
    expect(await shown(await paidFrom(other))).toMatchObject({
      status: 'paid',
    })
    const id = await paidFrom(listed)
    const waiting = await shown(id)
    expect(waiting).toMatchObject({
      status: 'pending',
      flags: ['listed_sender'],
      needsReview: true,
      label:
        'Confirmed: 100 USDT. It came from an address on a sanctions list, so our team reviews it before we credit it. Contact us if you have questions.',
    })
    expect(await available()).toBe(10_000n)
    const body = { seen: waiting.seen }
    expect((await world.call(creditDeposit, world.admin, { params: { id }, body })).status).toBe(200)
    expect(await shown(id)).toMatchObject({ status: 'paid', flags: [] })
    expect(await available()).toBe(20_000n)
  })

  test('is credited without a review once the wallet is listed no more', async () => {
    await list('11/21/2026', [['USDT', listed]])
    const id = await paidFrom(listed)
    expect(await shown(id)).toMatchObject({ status: 'pending', flags: ['listed_sender'] })
    await list('11/22/2026', [['USDT', other]])
    world.clock.pass({ minutes: 11 })
    world.network.mine(1)
    await world.sync()
    expect(await shown(id)).toMatchObject({ status: 'paid', flags: [] })
  })
  test('says so, too, where the payment waits for another reason', async () => {
    const id = await paidFrom(listed, 60_000)
    expect((await shown(id)).flags.toSorted()).toEqual(['large'])
    await list('11/23/2026', [['USDT', listed]])
    const { seen } = await shown(id)
    const credit = () => world.call(creditDeposit, world.admin, { params: { id }, body: { seen } })
    // Nobody has seen yet that the sender is listed.
    expect(await credit()).toMatchObject({ status: 409, reason: 'sender_listed' })
    await world.sync()
    expect((await shown(id)).flags.toSorted()).toEqual(['large', 'listed_sender'])
    await list('11/24/2026', [['USDT', other]])
    await world.sync()
    expect((await shown(id)).flags).toEqual(['large'])
    await list('11/25/2026', [['USDT', listed]])
    await world.sync()
    expect(await credit()).toMatchObject({ status: 200 })
    expect(await shown(id)).toMatchObject({ status: 'paid', flags: [] })
    await world.expectSoundBooks()
  })
})
