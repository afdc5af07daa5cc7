import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { syncNetwork } from '#server/process/sync-network.ts'
import type { Block, Chain } from '#server/rails/chain.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { resumeAfter } from './resume.ts'

/** A node whose blocks are dated in the future. */

const later = (minutes: number) => new Date(Date.now() + minutes * 60_000)
/** The network's blocks, all or only the highest, with another time. */
function dated({ chain }: WatchedWorld['network'], time: Date, only: 'all' | 'scanned'): Chain {
  const at = (block: Block) => ({ ...block, time })
  return {
    ...chain,
    tip: async () => (only === 'all' ? at(await chain.tip()) : chain.tip()),
    async scan(range, watched) {
      const scanned = await chain.scan(range, watched)
      return { ...scanned, blocks: scanned.blocks.map(at) }
    },
  }
}

describe.each([
  { rail: 'usdt', right: 4, wrong: 6 },
  { rail: 'ethereum', right: 4, wrong: 6 },
  // Its rules allow two hours.
  { rail: 'bitcoin', right: 124, wrong: 126 },
] as const)('[K-02, D5] a block of $rail', ({ rail, right, wrong }) => {
  let world: WatchedWorld
  let investor: Person
  beforeAll(async () => {
    world = await openWatchedWorld(rail)
    await world.sync()
  })
  beforeEach(async () => {
    investor = await world.person('Ines Investor')
  })
  async function paid() {
    const deposit = await world.ask(investor, 250)
    const units = BigInt(deposit.payment.amountCrypto.replace('.', ''))
    world.network.send({ to: deposit.payment.address, units })
    world.network.mine(2)
    return deposit
  }
  const syncError = async () =>
    (await world.database.db.selectFrom('app.chain_cursors').select('sync_error').executeTakeFirstOrThrow())
      .sync_error

  test.each(['all', 'scanned'] as const)('dated far ahead is rejected: %s', async only => {
    const deposit = await paid()
    const lying = dated(world.network, later(wrong), only)
    const words =
      /^block \d+ is dated .*Z, which is in the future: the node's or the database's clock is wrong$/
    await expect(syncNetwork(world.services, rail, lying)).rejects.toThrow(words)
    expect(await syncError()).toMatch(words)
    expect(await world.deposit(investor, deposit._id)).toMatchObject({ stage: 'waiting' })
    await world.sync()
    expect(await syncError()).toBeNull()
    expect(await world.deposit(investor, deposit._id)).toMatchObject({ status: 'paid' })
  })

  test('dated slightly ahead counts', async () => {
    const deposit = await paid()
    await syncNetwork(world.services, rail, dated(world.network, later(right), 'all'))
    expect(await world.deposit(investor, deposit._id)).toMatchObject({ status: 'paid' })
  })

  test('is rejected at the start of a first sync and of a resumed one', async () => {
    const lying = dated(world.network, later(wrong), 'all')
    const fresh = await openWatchedWorld(rail)
    await expect(syncNetwork(fresh.services, rail, lying)).rejects.toThrow('is in the future')
    expect(await fresh.database.db.selectFrom('app.chain_cursors').select('synced_hash').execute()).toEqual(
      [],
    )
    const height = world.network.height() - 2
    await expect(resumeAfter(world.services, { rail, chain: lying, height })).rejects.toThrow(
      'is in the future',
    )
  })
})
