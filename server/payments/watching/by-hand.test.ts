import { describe, expect, test } from 'vitest'
import { expireDeposits } from '#server/payments/expire.ts'
import * as call from '#shared/contract/deposits.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

let world: WatchedWorld
let investor: Person
const { usdt, paid, available, shown, custody } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

describe("somebody's word and the network's", () => {
  const approve = (id: string, body: object = {}) =>
    world.call(call.approveDeposit, world.admin, { params: { id }, body })

  test.each([
    ['before it is seen', 0],
    ['while it is confirming', 1],
  ])('[B-03] approved by hand %s, it is not credited again', async (_, blocks) => {
    const deposit = await paid(250)
    if (blocks > 0) {
      world.network.mine(blocks)
      await world.look()
    }
    expect(await approve(deposit._id)).toMatchObject({ status: 200 })
    world.network.mine(3)
    await world.look()
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      credited: 250,
      transfers: [{ state: 'credited_manually' }],
    })
    expect(await available()).toBe(25_000n)
    expect(await custody()).toBe(-usdt(250))
    world.network.reorg(4)
    await world.look()
    world.network.mine(2)
    await world.look()
    expect(await available()).toBe(25_000n)
    await world.expectSoundBooks()
  })

  test('[B-03] approved by hand with another transaction, or for less than came: only what is beyond is credited', async () => {
    const deposit = await world.ask(investor, 250)
    await approve(deposit._id, { received: '100', transactionId: 'b'.repeat(64) })
    world.network.send({ to: deposit.payment.address, units: usdt(60) })
    world.network.send({ to: deposit.payment.address, units: usdt(190) })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250, received: '250.000000' })
    expect(await available()).toBe(25_000n)
    expect(await custody()).toBe(-usdt(250))
    await world.expectSoundBooks()
  })

  test('a transaction that its network has shown to pay another deposit proves nothing', async () => {
    const [first, second] = [await paid(150), await world.ask(investor, 150)]
    world.network.mine(2)
    await world.look()
    expect(await approve(second._id, { transactionId: first.transaction })).toMatchObject({
      status: 409,
      code: 'transaction_reused',
    })
  })

  test("[decision 20] a frozen account's payment is kept, and credited after the freeze as it came", async () => {
    const deposit = await world.ask(investor, 250)
    await freeze(investor, true)
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(2)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({
      status: 'pending',
      label: 'Confirmed: 250 USDT. It is credited once the account is not frozen any more.',
    })
    world.clock.pass({ days: 3 })
    world.network.mine()
    await world.look()
    await expireDeposits(world.services)
    expect(await shown(deposit._id)).toMatchObject({ status: 'pending' })
    await freeze(investor, false)
    await world.look()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', deviation: null, credited: 250 })
  })

  test('a frozen account has taken back what its network takes back', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.look()
    await freeze(investor, true)
    world.network.reorg(2)
    await world.look()
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
