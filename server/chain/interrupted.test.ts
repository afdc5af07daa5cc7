import { describe, expect, test } from 'vitest'
import { expireDeposits } from '#server/deposits/expire.ts'
import { getInvestment, newInvestment } from '#shared/contract/investments.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

let world: WatchedWorld
let investor: Person
const { usdt, paid, available, shown } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

describe('an interrupted sync', () => {
  test('[B-03] credits seen payments with the next sync, once', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.owner(`
      CREATE OR REPLACE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE TRIGGER failing BEFORE UPDATE OF status ON app.deposits FOR EACH ROW EXECUTE FUNCTION app.fail()`)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({
      stage: 'confirmed',
      confirmations: { have: 2, needed: 2 },
    })
    await world.owner('DROP TRIGGER failing ON app.deposits')
    await world.sync()
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid' })
    expect(await available()).toBe(25_000n)
    await world.expectSoundBooks()
  })

  test('[B-03] scans again what was not stored, together with its cursor', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.owner(`
      CREATE OR REPLACE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE TRIGGER failing BEFORE UPDATE OF synced_hash ON app.chain_cursors FOR EACH ROW EXECUTE FUNCTION app.fail()`)
    await expect(world.sync()).rejects.toThrow('no')
    expect((await shown(deposit._id)).transfers).toEqual([])
    await world.owner('DROP TRIGGER failing ON app.chain_cursors')
    await world.sync()
    expect(await available()).toBe(25_000n)
  })

  test("[B-03] loses nothing while a node is away; payments count by their block's time", async () => {
    const deposit = await world.ask(investor, 250)
    world.network.setAway(true)
    await expect(world.sync()).rejects.toThrow('away')
    world.clock.pass({ minutes: 5 })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(40)
    world.clock.pass({ minutes: 60 })
    await expect(world.sync()).rejects.toThrow('away')
    world.network.setAway(false)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', deviation: null, credited: 250 })
    const cursor = await world.database.db
      .selectFrom('app.chain_cursors')
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(cursor).toMatchObject({ sync_error: null, synced_height: world.network.height() })
  })

  test('[D5] expires nothing', async () => {
    const deposit = await world.ask(investor, 250)
    world.network.setAway(true)
    world.clock.pass({ minutes: 10 })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(2)
    world.clock.pass({ days: 2 })
    await expireDeposits(world.services)
    expect(await shown(deposit._id)).toMatchObject({ status: 'pending' })
    world.network.setAway(false)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', deviation: null })
  })

  test('[D5, D6] after the node is removed, deposits expire; payments are found later', async () => {
    const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
    const { data: investment } = await world.call(newInvestment, investor, { body })
    const deposit = await world.ask(investor, 250)
    world.clock.pass({ minutes: 10 })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    world.network.mine(2)
    world.clock.pass({ days: 2 })
    const { config } = world.services
    const rails = { ...config.rails, usdt: { ...config.rails.usdt, url: null } }
    await expireDeposits({ ...world.services, config: { ...config, rails } })
    const { data } = await world.call(getInvestment, investor, { params: { id: investment._id } })
    expect(data).toMatchObject({ status: 'declined', declineReason: 'No payment arrived in time' })
    expect(await shown(deposit._id)).toMatchObject({ status: 'unpaid' })
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', credited: 250 })
  })

  test('watches addresses shown before the first sync', async () => {
    const fresh = await openWatchedWorld()
    const person = await fresh.person('Emil Early')
    const deposit = await fresh.ask(person, 250)
    fresh.network.send({ to: deposit.payment.address, units: usdt(250) })
    fresh.network.mine(3)
    await fresh.sync()
    expect(await fresh.deposit(person, deposit._id)).toMatchObject({ status: 'paid' })
  })
})
