import { beforeAll, beforeEach, expect, test } from 'vitest'
import { addressKey } from '#shared/addresses.ts'
import { chainOverview } from '#shared/contract/console.ts'
import { payingRails, payoutsIn, senders } from '#test/support/payouts.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person } from '#test/support/world.ts'

/** A payout that cannot be stored holds up no other, and is reported until it can be. */

let world: WatchedWorld
let investor: Person
beforeAll(async () => {
  world = await openWatchedWorld('usdt', {}, { rails: payingRails.rails, rateLimit: false })
  await world.sync()
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
  await world.fund(investor, 1_000_000n)
})
const { ask, approve } = withdrawalsIn(() => world)
const { make, get, looks } = payoutsIn(() => world)

/** Paid by one batch, each at its own address, and mined. */
async function batchSent() {
  const asked = []
  for (const walletAddress of ['TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', 'TKzxdSv2FZKQrEqkKVgp5DcwEXBEKMg2Ax']) {
    const { data } = await ask(investor, 100, { wallet: 'USDT TRC-20', walletAddress })
    asked.push((await approve(data._id)).data)
  }
  await looks('usdt')
  const batch = await make(
    asked.map(({ _id }) => _id),
    { wallet: 'USDT TRC-20' },
  )
  expect(batch.status).toBe(200)
  for (const { payment, address: to } of batch.data.items) {
    const id = batch.data.payments[payment]!.slots[0]!.slot
    world.network.send({ id, to, units: 100_000_000n, from: [addressKey(senders.usdt)] })
  }
  world.network.mine(2)
  return { id: batch.data._id, asked, states: async () => (await get(batch.data._id)).data.items }
}
const cursor = async () => {
  const { data } = await world.call(chainOverview, world.admin)
  return data.rails.find(({ rail }) => rail === 'usdt')!.cursor!
}
const refusing = async (table: string, when: string) => {
  await world.owner(`
    CREATE OR REPLACE FUNCTION app.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON app.${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION app.refuse()`)
  return () => world.owner(`DROP TRIGGER refuse ON app.${table}`)
}

test('[T-06, T-05] a failing withdrawal is named, the others are paid, and it follows later', async () => {
  const { id, asked, states } = await batchSent()
  const [failing] = asked as [(typeof asked)[0]]
  const again = await refusing('withdrawals', `OLD.id = '${failing._id}' AND NEW.status = 'paid'`)
  const named = [{ _id: failing._id, invoiceId: failing.invoiceId }]
  for (const _ of ['first', 'next']) {
    expect(await world.sync()).toEqual({ outcome: 'synced' })
    expect(await cursor()).toMatchObject({ syncError: null, failedDeposits: 0, failedPayouts: named })
    expect((await states()).map(({ state }) => state).toSorted()).toEqual(['open', 'paid'])
  }
  await again()
  await world.sync()
  expect(await cursor()).toMatchObject({ syncError: null, failedPayouts: [] })
  expect((await get(id)).data).toMatchObject({ status: 'final', paid: 2 })
})

test('[T-06, T-05] a batch that cannot be assessed names each of its unpaid withdrawals', async () => {
  // That network is watched too, and its payouts are marked as paid.
  const before = await batchSent()
  await world.sync()
  expect((await get(before.id)).data.status).toBe('final')
  const { id, asked } = await batchSent()
  // The query of a batch's changes fails.
  await world.owner('ALTER TABLE app.payout_items RENAME COLUMN alert_transaction TO elsewhere')
  await world.sync()
  await world.owner('ALTER TABLE app.payout_items RENAME COLUMN elsewhere TO alert_transaction')
  const { syncError, failedPayouts } = await cursor()
  expect(syncError).toBeNull()
  expect(failedPayouts).toEqual(asked.map(({ _id, invoiceId }) => ({ _id, invoiceId })))
  await world.sync()
  expect((await cursor()).failedPayouts).toEqual([])
  expect((await get(id)).data.status).toBe('final')
})
