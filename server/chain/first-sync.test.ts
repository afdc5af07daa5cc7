import { expect, test } from 'vitest'
import { expireDeposits } from '#server/deposits/expire.ts'
import { chainOverview } from '#shared/contract/console.ts'
import { getInvestment, newInvestment } from '#shared/contract/investments.ts'
import { derivedRails, openWatchedWorld } from '#test/support/watched.ts'

/** A network whose node has never answered. */

async function neverRead() {
  const rails = derivedRails()
  const world = await openWatchedWorld(
    'usdt',
    {},
    { rails: { ...rails, usdt: { ...rails.usdt, url: 'http://127.0.0.1:9' } } },
  )
  const rail = async () =>
    (await world.call(chainOverview, world.admin)).data.rails.find(({ rail }) => rail === 'usdt')!
  world.network.setAway(true)
  return { ...world, rail, investor: await world.person('Ines Investor') }
}

test('[D5] nothing expires before the first sync; payments in time count as in time', async () => {
  const world = await neverRead()
  const { data } = await world.call(newInvestment, world.investor, {
    body: { method: 'usdt', plan: 'Beginner', amount: 500 },
  })
  world.network.send({ to: data.deposit!.payment!.address, units: 500_000_000n })
  world.network.mine(3)
  world.clock.pass({ days: 2 })
  await expect(world.sync()).rejects.toThrow('away')
  expect(await expireDeposits(world.services)).toBe(0)
  const status = async () =>
    (await world.call(getInvestment, world.investor, { params: { id: data._id } })).data.status
  expect([(await world.deposit(world.investor, data.deposit!._id)).status, await status()]).toEqual([
    'pending',
    'pending',
  ])
  world.network.setAway(false)
  await world.sync()
  expect(await world.deposit(world.investor, data.deposit!._id)).toMatchObject({
    status: 'paid',
    deviation: null,
  })
})

test('[K-03] the console shows why the first sync fails, and since when', async () => {
  const world = await neverRead()
  expect(await world.rail()).toMatchObject({ watched: true, cursor: null, startError: null })
  await expect(world.sync()).rejects.toThrow('away')
  const { startError } = await world.rail()
  expect(startError).toMatchObject({ error: 'the node is away' })
  world.clock.pass({ minutes: 5 })
  await expect(world.sync()).rejects.toThrow('away')
  expect((await world.rail()).startError).toEqual(startError)
  world.network.setAway(false)
  await world.sync()
  expect(await world.rail()).toMatchObject({ startError: null, cursor: { syncError: null } })
})
