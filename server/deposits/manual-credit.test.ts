import { describe, expect, test } from 'vitest'
import * as call from '#shared/contract/deposits.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { expireDeposits } from './expire.ts'

let world: WatchedWorld
let investor: Person
const { usdt, paid, available, shown, custody } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

describe('a manual credit', () => {
  const approve = (id: string, body: object = {}) =>
    world.call(call.approveDeposit, world.admin, { params: { id }, body })

  test.each([
    ['before it is seen', 0],
    ['while it is confirming', 1],
  ])('[B-03] made %s is not credited again', async (_, blocks) => {
    const deposit = await paid(250)
    if (blocks > 0) {
      world.network.mine(blocks)
      await world.sync()
    }
    expect(await approve(deposit._id)).toMatchObject({ status: 200 })
    world.network.mine(3)
    await world.sync()
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      credited: 250,
      transfers: [{ state: 'credited_manually' }],
    })
    expect(await available()).toBe(25_000n)
    expect(await custody()).toBe(-usdt(250))
    world.network.reorg(4)
    await world.sync()
    world.network.mine(2)
    await world.sync()
    expect(await available()).toBe(25_000n)
    await world.expectSoundBooks()
  })

  test('[B-03] with another transaction or a smaller amount: only the excess is credited', async () => {
    const deposit = await world.ask(investor, 250)
    await approve(deposit._id, { received: '100', transactionId: 'b'.repeat(64) })
    world.network.send({ to: deposit.payment.address, units: usdt(60) })
    world.network.send({ to: deposit.payment.address, units: usdt(190) })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250, received: '250.000000' })
    expect(await available()).toBe(25_000n)
    expect(await custody()).toBe(-usdt(250))
    await world.expectSoundBooks()
  })

  test('a transaction that pays another deposit is refused as evidence', async () => {
    const [first, second] = [await paid(150), await world.ask(investor, 150)]
    world.network.mine(2)
    await world.sync()
    expect(await approve(second._id, { transactionId: first.transaction })).toMatchObject({
      status: 409,
      code: 'transaction_reused',
    })
  })

  test('[decision 20] a payment to a frozen account is credited after the freeze', async () => {
    const deposit = await world.ask(investor, 250)
    await freeze(investor, true)
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      status: 'pending',
      label: 'Confirmed: 250 USDT. We will credit it once the account is no longer frozen.',
    })
    world.clock.pass({ days: 3 })
    world.network.mine()
    await world.sync()
    await expireDeposits(world.services)
    expect(await shown(deposit._id)).toMatchObject({ status: 'pending' })
    await freeze(investor, false)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', deviation: null, credited: 250 })
  })

  test('a reversal applies to a frozen account', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.sync()
    await freeze(investor, true)
    world.network.reorg(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'pending' })
    expect(await available()).toBe(0n)
  })

  const freeze = (who: Person, isFrozen: boolean) =>
    world.owner(
      isFrozen
        ? `UPDATE app.users SET frozen_at = now(), frozen_by = '${world.admin.id}', freeze_reason = 'Asked' WHERE id = '${who.id}'`
        : `UPDATE app.users SET frozen_at = NULL, frozen_by = NULL, freeze_reason = NULL WHERE id = '${who.id}'`,
    )
})
