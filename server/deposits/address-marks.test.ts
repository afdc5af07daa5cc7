import { appendFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { railOf } from '#server/rails/rails.ts'
import { chainOverview } from '#shared/contract/console.ts'
import { newDeposit, quoteDeposit } from '#shared/contract/deposits.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { lastMark, mark } from './address-marks.ts'
import { resumeNumbering } from './resume-numbering.ts'
import { tellOfStops } from './stopped-accounts.ts'

let world: WatchedWorld
let investors: Person[]
beforeEach(async () => {
  world = await openWatchedWorld('usdt')
  investors = await Promise.all(['Ann', 'Ben', 'Cat', 'Dan'].map(name => world.person(name)))
})

const quote = (who: Person, of = world) =>
  of.call(quoteDeposit, who, { query: { method: 'usdt', amount: '150' } })
const rail = () => railOf(world.services.config, 'usdt')!
const account = () => {
  const { receiving } = rail()
  if (receiving.kind === 'fixed') throw new Error('not derived')
  return receiving
}
const addressAt = (index: number) => account().addressAt(0, index)
const marks = (of = world) => join(of.services.config.dataDir, 'addresses')
const resume = (index: number) => resumeNumbering(world.services, rail(), index)
const overview = async () => (await world.call(chainOverview, world.admin)).data
const stopped = async () => (await overview()).rails.find(({ rail: name }) => name === 'usdt')!.stopped
/** The database as it was before anything was in it, beside the same machine's files. */
const restored = () => openWatchedWorld('usdt', {}, { dataDir: world.services.config.dataDir })

describe('after a restore to an earlier time', () => {
  test("[D-15, D5] nobody is shown an address that was another investor's", async () => {
    for (const who of investors.slice(0, 2)) expect((await quote(who)).status).toBe(200)
    const earlier = await restored()
    const other = await earlier.person('Eve')
    const refused = await quote(other, earlier)
    expect(refused).toMatchObject({
      status: 503,
      code: 'method_paused',
      message:
        'New payments on TRON are paused while our team checks something. Payment requests that you already have stay valid. Please choose another method, or try again later.',
    })
    expect(await earlier.call(newDeposit, other, { body: { method: 'usdt', amount: 150 } })).toMatchObject({
      code: 'method_paused',
    })
    const { rows } = await earlier.owner('SELECT count(*)::int AS given FROM app.payment_addresses')
    expect(rows).toEqual([{ given: 0 }])
  })

  test('[D-15] one lost address is enough', async () => {
    await quote(investors[0]!)
    const earlier = await restored()
    expect((await quote(await earlier.person('Eve'), earlier)).code).toBe('method_paused')
  })

  test('[D-15] an investor keeps the address that they were shown before', async () => {
    const before = await quote(investors[0]!)
    await mark(world.services.config.dataDir, account().account, 7)
    expect((await quote(investors[1]!)).code).toBe('method_paused')
    expect((await quote(investors[0]!)).data.address).toBe(before.data.address)
    expect((await world.ask(investors[0]!, 150)).payment.address).toBe(before.data.address)
  })

  test('[D-15] without marks, another server or timeline of PostgreSQL stops it too', async () => {
    await quote(investors[0]!)
    await world.owner(`UPDATE app.receiving_accounts SET server = '7 00000001'`)
    // A failover: the mark says that no address is missing.
    expect((await quote(investors[1]!)).status).toBe(200)
    await world.owner(`UPDATE app.receiving_accounts SET server = '7 00000001'`)
    rmSync(marks(), { recursive: true })
    expect((await quote(investors[2]!)).code).toBe('method_paused')
    expect(await stopped()).toMatchObject({ because: 'server', knownIndex: null })
  })

  test('[D-15] the operator goes on after the last address that anybody was given', async () => {
    await quote(investors[0]!)
    await mark(world.services.config.dataDir, account().account, 3)
    await expect(resume(3)).rejects.toThrow('usdt is not stopped: nothing to resume')
    await quote(investors[1]!)
    expect(await stopped()).toMatchObject({ because: 'mark', knownIndex: 3 })
    await expect(resume(2)).rejects.toThrow('address 3 was given to somebody: name 3 or a later one')
    await expect(resume(1_001)).rejects.toThrow('at most 1000 addresses can be left out: name 1000 or less')
    expect(await resume(5)).toBe(5)
    // Another restore forgets what was left out.
    expect(await lastMark(world.services.config.dataDir, account().account)).toBe(5)
    expect((await quote(investors[1]!)).data.address).toBe(addressAt(6))
    expect(await stopped()).toBeNull()
  })

  test('[D-15] a payment to an address that was left out is told and credited to nobody', async () => {
    await quote(investors[0]!)
    await world.sync()
    await mark(world.services.config.dataDir, account().account, 2)
    await quote(investors[1]!)
    await resume(2)
    world.network.send({ to: addressAt(1), units: 90_000_000n })
    world.network.mine(30)
    await world.sync()
    expect((await overview()).unassigned).toMatchObject([
      { rail: 'usdt', address: addressAt(1), index: 1, amountCrypto: '90.000000' },
    ])
    for (const who of investors.slice(0, 2)) expect((await world.balances(who)).available).toBe(0n)
    expect(await stopped()).toBeNull()
  })
})

describe('somebody else with the same key', () => {
  test('[D-15] a payment beyond the last address stops new ones, and every admin is told', async () => {
    await quote(investors[0]!)
    await world.sync()
    world.network.send({ to: addressAt(4), units: 90_000_000n })
    world.network.mine(1)
    await world.sync()
    expect((await quote(investors[1]!)).code).toBe('method_paused')
    expect(await stopped()).toMatchObject({ because: 'chain', knownIndex: 4 })
    expect((await overview()).unassigned).toMatchObject([{ address: addressAt(4), index: 4 }])
    expect(await tellOfStops(world.services)).toBe(1)
    expect(await tellOfStops(world.services)).toBe(0)
    const { rows } = await world.owner(`
      SELECT payload ->> 'to' AS to, payload ->> 'text' AS text FROM graphile_worker._private_jobs
       WHERE payload ->> 'subject' = 'New payments on TRON are paused'`)
    const admins = [world.admin.email, world.secondAdmin.email]
    expect(rows.map(({ to }) => to).toSorted()).toEqual(admins.toSorted())
    for (const { text } of rows) expect(text).toContain('somebody else uses the same key')
    await resume(4)
    expect((await quote(investors[1]!)).data.address).toBe(addressAt(5))
  })

  test('[D-15] a payment to an address shown since the sync began is credited', async () => {
    await quote(investors[0]!)
    await world.sync()
    let shown = false
    world.network.setBefore(async what => {
      if (what !== 'pending' || shown) return
      shown = true
      const { payment } = await world.ask(investors[1]!, 150)
      world.network.send({ to: payment.address, units: 150_000_000n })
    })
    await world.sync()
    world.network.mine(30)
    await world.sync()
    expect(shown).toBe(true)
    expect((await world.balances(investors[1]!)).available).toBe(15_000n)
    expect(await stopped()).toBeNull()
  })
})

test('[D-15] a payment at a lower address leaves a higher known one known', async () => {
  await quote(investors[0]!)
  await world.sync()
  await mark(world.services.config.dataDir, account().account, 9)
  await quote(investors[1]!)
  world.network.send({ to: addressAt(4), units: 90_000_000n })
  world.network.mine(1)
  await world.sync()
  expect(await stopped()).toMatchObject({ because: 'chain', knownIndex: 9 })
})

describe('the marks', () => {
  test('[D-15] a refused request uses up no address', async () => {
    for (let n = 0; n < 10; n++) await world.ask(investors[0]!, 150)
    for (let n = 0; n < 3; n++) {
      const refused = await world.call(newDeposit, investors[0]!, { body: { method: 'usdt', amount: 150 } })
      expect(refused.reason).toBe('too_many_open')
    }
    expect((await quote(investors[1]!)).data.address).toBe(addressAt(11))
  })

  test('[D-15] fifty investors at once get an address each, and the last is marked', async () => {
    const many = await Promise.all(Array.from({ length: 50 }, (_, n) => world.person(`Investor ${n}`)))
    const quotes = await Promise.all(many.map(who => quote(who)))
    expect(new Set(quotes.map(({ data }) => data.address)).size).toBe(50)
    expect(await lastMark(world.services.config.dataDir, account().account)).toBe(49)
  })

  test('[D-15] an address that cannot be marked is shown to nobody', async () => {
    // Nothing is there to read, and nothing can be written there.
    symlinkSync(join(world.services.config.dataDir, 'absent', 'folder'), marks())
    expect((await quote(investors[0]!)).status).toBe(500)
    rmSync(marks())
    expect((await quote(investors[0]!)).data.address).toBe(addressAt(0))
    expect(await lastMark(world.services.config.dataDir, account().account)).toBe(0)
  })

  test('an address that is shown again does not hide a later one', async () => {
    const { dataDir } = world.services.config
    mkdirSync(marks(), { recursive: true })
    writeFileSync(join(marks(), 'bb'), '0000000900\n')
    for (let index = 0; index < 300; index++) await mark(dataDir, 'bb', index)
    expect(await lastMark(dataDir, 'bb')).toBe(900)
  })

  test('a line that a full disk cut short hides no other', async () => {
    const { dataDir } = world.services.config
    mkdirSync(marks(), { recursive: true })
    writeFileSync(join(marks(), 'aa'), '0000000004\n0000000005\n')
    appendFileSync(join(marks(), 'aa'), '00000')
    expect(await lastMark(dataDir, 'aa')).toBe(5)
    await mark(dataDir, 'aa', 6)
    expect(await lastMark(dataDir, 'aa')).toBe(6)
    expect(readdirSync(marks())).toContain('aa')
  })
})
