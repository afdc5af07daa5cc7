import { expect, test } from 'vitest'
import { syncNetwork } from '#server/process/sync-network.ts'
import { type Chain, ChainError } from '#server/rails/chain.ts'
import { chainOverview } from '#shared/contract/console.ts'
import { senders } from '#test/support/payouts.ts'
import { openWatchedWorld } from '#test/support/watched.ts'

async function opened() {
  const world = await openWatchedWorld()
  const investor = await world.person('Ines Investor')
  await world.sync()
  const confirmed = async (amount: number) => {
    const deposit = await world.ask(investor, amount)
    world.network.send({ to: deposit.payment.address, units: BigInt(amount) * 1_000_000n })
    world.network.mine(2)
    return deposit._id
  }
  return {
    world,
    confirmed,
    shown: (id: string) => world.deposit(investor, id),
    cursor: async () => {
      const { data } = await world.call(chainOverview, world.admin)
      return data.rails.find(({ rail }) => rail === 'usdt')!.cursor!
    },
  }
}

const delayed = expect.stringMatching(/^Confirmed: 250 USDT\. Crediting takes longer than usual/)

test('[T-06] an error that stops all crediting is shown until it is gone', async () => {
  const { world, confirmed, shown, cursor } = await opened()
  const id = await confirmed(250)
  // The query of due deposits fails, as with a statement timeout.
  await world.owner('ALTER TABLE app.notifications RENAME TO elsewhere')
  await expect(world.sync()).rejects.toThrow('notifications')
  const { syncErrorSince, ...first } = await cursor()
  expect(first).toMatchObject({
    syncError: expect.stringContaining('could not be credited'),
    syncErrorKind: 'crediting',
  })
  expect(await shown(id)).toMatchObject({ status: 'pending', label: delayed })
  world.clock.pass({ minutes: 1 })
  await expect(world.sync()).rejects.toThrow('notifications')
  expect(await cursor()).toMatchObject({ syncErrorKind: 'crediting', syncErrorSince })
  await world.owner('ALTER TABLE app.elsewhere RENAME TO notifications')
  await world.sync()
  expect(await shown(id)).toMatchObject({ status: 'paid', credited: 250 })
  expect(await cursor()).toMatchObject({ syncError: null, syncErrorSince: null, syncErrorKind: null })
})

test('[T-06] an error of payouts is shown as such and blocks no crediting', async () => {
  const { world, confirmed, shown, cursor } = await opened()
  const id = await confirmed(250)
  const { pending } = world.network.chain
  const chain: Chain = {
    ...world.network.chain,
    // Between the scan and the assessment.
    pending: async watched => {
      const found = await pending(watched)
      await world.owner('ALTER TABLE app.payout_batches RENAME COLUMN ended_at TO elsewhere')
      return found
    },
  }
  await expect(syncNetwork(world.services, 'usdt', chain)).rejects.toThrow('ended_at')
  await world.owner('ALTER TABLE app.payout_batches RENAME COLUMN elsewhere TO ended_at')
  expect(await cursor()).toMatchObject({
    syncError: expect.stringContaining('Payouts'),
    syncErrorKind: 'payouts',
  })
  expect(await shown(id)).toMatchObject({ status: 'paid', credited: 250 })
  await world.sync()
  expect(await cursor()).toMatchObject({ syncError: null })
})

test('[T-06] one failing deposit is counted and credited later; the others are credited', async () => {
  const { world, confirmed, shown, cursor } = await opened()
  const [failing, other] = [await confirmed(250), await confirmed(100)]
  await world.owner(`
    CREATE FUNCTION app.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON app.deposits FOR EACH ROW
      WHEN (OLD.id = '${failing}' AND NEW.status = 'paid') EXECUTE FUNCTION app.refuse()`)
  expect(await world.sync()).toEqual({ outcome: 'synced' })
  expect(await cursor()).toMatchObject({ syncError: null, failedDeposits: 1 })
  expect(await shown(other)).toMatchObject({ status: 'paid', credited: 100 })
  expect(await shown(failing)).toMatchObject({ status: 'pending', label: delayed })
  await world.owner('DROP TRIGGER refuse ON app.deposits')
  await world.sync()
  expect(await cursor()).toMatchObject({ syncError: null, failedDeposits: 0 })
  expect(await shown(failing)).toMatchObject({ status: 'paid', credited: 250 })
})

test('[T-06] unknown nonces are reported from the first sync until they are known', async () => {
  const { world, confirmed, shown, cursor } = await opened()
  const id = await confirmed(250)
  Object.assign(world.services.config.rails.usdt, { payoutAddress: senders.usdt })
  const { polledAt } = await cursor()
  const chain: Chain = {
    ...world.network.chain,
    nextNonce: () => Promise.reject(new ChainError('it does not number them')),
  }
  const failing = () => syncNetwork(world.services, 'usdt', chain)
  await expect(failing()).rejects.toThrow('number them')
  const { syncErrorSince } = await cursor()
  world.clock.pass({ minutes: 5 })
  let amid: Awaited<ReturnType<typeof cursor>> | undefined
  world.network.setBefore(async () => {
    amid ??= await cursor()
  })
  await expect(failing()).rejects.toThrow('number them')
  for (const shown of [amid, await cursor()]) {
    expect(shown).toMatchObject({
      syncError: 'it does not number them',
      syncErrorKind: 'unconfirmed',
      syncErrorSince,
      polledAt,
    })
  }
  expect(await shown(id)).toMatchObject({ status: 'paid' })
  await world.sync()
  expect(await cursor()).toMatchObject({ syncError: null, syncErrorSince: null })
})

test('[T-06] an unavailable mempool is reported as such', async () => {
  const { world, confirmed, shown, cursor } = await opened()
  const id = await confirmed(250)
  const chain: Chain = {
    ...world.network.chain,
    pending: () => Promise.reject(new ChainError('still reading the mempool')),
  }
  await expect(syncNetwork(world.services, 'usdt', chain)).rejects.toThrow('still reading')
  expect(await cursor()).toMatchObject({
    syncError: 'still reading the mempool',
    syncErrorKind: 'unconfirmed',
  })
  expect(await shown(id)).toMatchObject({ status: 'paid' })
  await expect(
    syncNetwork(world.services, 'usdt', {
      ...chain,
      tip: () => Promise.reject(new ChainError('it is away')),
    }),
  ).rejects.toThrow('it is away')
  expect(await cursor()).toMatchObject({ syncError: 'it is away', syncErrorKind: 'reading' })
})
