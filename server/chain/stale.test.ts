import { beforeEach, expect, test } from 'vitest'
import { expireDeposits } from '#server/deposits/expire.ts'
import { chainOverview } from '#shared/contract/console.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

let world: WatchedWorld
let investor: Person
beforeEach(async () => {
  world = await openWatchedWorld('usdt', { staleMinutes: 5 })
  investor = await world.person('Ines Investor')
  world.network.mine(1)
})

const rail = async () => {
  const { data } = await world.call(chainOverview, world.admin)
  return data.rails.find(({ rail }) => rail === 'usdt')!
}

test('[N-06, T-02] a node whose newest block is too old is said to be stuck, until it goes on', async () => {
  await world.sync()
  expect((await rail()).cursor).toMatchObject({ syncError: null })
  world.clock.pass({ minutes: 4 })
  await world.sync()
  world.clock.pass({ minutes: 2 })
  await expect(world.sync()).rejects.toThrow(/^the node's newest block, \d+, is 6 minutes old: it is stuck/)
  expect((await rail()).cursor).toMatchObject({
    syncErrorKind: 'reading',
    syncError: expect.stringContaining('is 6 minutes old'),
  })
  world.network.mine(1)
  await world.sync()
  expect((await rail()).cursor).toMatchObject({ syncError: null })
})

test('[D-15, T-02] a stuck node expires no deposit, and its payment counts when it goes on', async () => {
  await world.sync()
  const deposit = await world.ask(investor, 150)
  world.clock.pass({ days: 2 })
  await expect(world.sync()).rejects.toThrow(/is 48 hours old/)
  await expireDeposits(world.services)
  expect((await world.deposit(investor, deposit._id)).status).toBe('pending')
  world.network.send({ to: deposit.payment.address, units: 150_000_000n })
  world.network.mine(3)
  await world.sync()
  expect((await world.deposit(investor, deposit._id)).status).toBe('paid')
})

test('[N-06, T-02] while blocks are missing, the console says until when they will have been read', async () => {
  await world.sync()
  expect((await rail()).cursor!.caughtUpBy).toBeNull()
  world.network.mine(100)
  let scans = 0
  world.network.setBefore(what => {
    if (what === 'scan') scans += 1
    if (scans === 3) world.network.setAway(true)
  })
  await expect(world.sync()).rejects.toThrow('the node is away')
  const { syncedHeight, tipHeight, caughtUpBy } = (await rail()).cursor!
  expect(tipHeight - syncedHeight).toBe(50)
  expect(Date.parse(caughtUpBy!)).toBeGreaterThan(0)
  world.network.setBefore(undefined)
  world.network.setAway(false)
  await world.sync()
  expect((await rail()).cursor!.caughtUpBy).toBeNull()
})
