import { beforeAll, beforeEach, expect, test } from 'vitest'
import { dueUnsolicited } from '#server/deposits/unsolicited.ts'
import { readPayoutWatch } from '#server/payouts/watch.ts'
import type { Account, Chain, Scanned } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import { rowsRead } from '#test/support/rows-read.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { readContractEther, rollBackEther } from './contract-ether.ts'
import type { Cursor } from './cursor.ts'
import { watchlistOf } from './watchlist.ts'

/** The database's own guards of addresses, and what a sync reads. */

let world: WatchedWorld
let investor: Person
let deposit: Awaited<ReturnType<typeof credited>>
beforeAll(async () => {
  world = await openWatchedWorld()
  await world.sync()
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
  deposit = await credited(investor, 250)
})

async function credited(who: Person, amount: number) {
  const asked = await world.ask(who, amount)
  world.network.send({ to: asked.payment.address, units: BigInt(amount) * 1_000_000n })
  world.network.mine(2)
  await world.sync()
  return asked
}

const app = (statement: string) => world.database.app.query(statement)
test('[B-03] an address is assigned only to its own deposit', async () => {
  await expect(
    app(`INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, user_id, deposit_id, created_at)
         VALUES ('${'0'.repeat(16)}', 0, 0, 'usdt', 'another', '${investor.id}', '${deposit._id}', now())`),
  ).rejects.toMatchObject({ code: 'PB930' })
})

test('[K-02] a sync reads only new addresses, and watches them all', async () => {
  const watched = () => watchlistOf(world.services, 'usdt', readPayoutWatch, 0)
  await world.owner(`
    INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, user_id, used_at, created_at)
    SELECT '${'0'.repeat(16)}', 0, n, 'usdt', 'address ' || n, '${investor.id}', now(), now() FROM generate_series(0, 9999) n;
    ANALYZE app.payment_addresses`)
  const first = await watched()
  expect(first.receiving.has(addressKey('address 9999'))).toBe(true)
  const size = first.addresses.size
  const next = await world.ask(investor, 150)
  const before = await rowsRead(world.database, ['payment_addresses'])
  const { addresses, receiving } = await watched()
  expect((await rowsRead(world.database, ['payment_addresses'])) - before).toBeLessThan(100)
  expect(addresses.size).toBe(size + 1)
  for (const { payment } of [deposit, next]) expect(receiving.has(addressKey(payment.address))).toBe(true)
})

test('[K-02] a sync reads only outputs that can still be spent', async () => {
  const watched = (replaceable: number) =>
    watchlistOf(world.services, 'bitcoin', readPayoutWatch, replaceable)
  // Spent long ago: 5,000 of ours; never spent: 5,000 of payees.
  await world.owner(`
    INSERT INTO app.chain_transfers (rail, transaction_id, position, address, token, units, senders, seen_at, receiving, own)
    SELECT 'bitcoin', 'old', n, 'address ' || n, 'BTC', 1, '{}', now(), false, n < 5000 FROM generate_series(0, 9999) n;
    INSERT INTO app.chain_spends (rail, slot, transaction_id, seen_at, block_height)
    SELECT 'bitcoin', 'old:' || n, 'spending', now(), 7 FROM generate_series(0, 4999) n;
    INSERT INTO app.chain_transfers (rail, transaction_id, position, address, token, units, senders, seen_at)
    VALUES ('bitcoin', 'new', 3, 'ours', 'BTC', 1, '{}', now());
    INSERT INTO app.chain_spends (rail, slot, transaction_id, seen_at) VALUES ('bitcoin', 'new:3', 'coming', now());
    ANALYZE app.chain_spends`)
  await world.owner('VACUUM ANALYZE app.chain_transfers')
  const before = await rowsRead(world.database, ['chain_transfers', 'chain_spends'])
  expect([...(await watched(7)).outpoints]).toEqual(['new:3'])
  expect((await rowsRead(world.database, ['chain_transfers', 'chain_spends'])) - before).toBeLessThan(100)
  // A reorg may still replace block 7.
  expect((await watched(6)).outpoints.size).toBe(5_001)
})

test('[K-02] a sync reads no used address without a payment to credit', async () => {
  // Dust alone marks them as used.
  await world.owner(`
    INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, user_id, used_at, created_at)
    SELECT '${'1'.repeat(16)}', 0, n, 'usdt', 'dusty ' || n, '${investor.id}', now(), now() FROM generate_series(0, 9999) n;
    INSERT INTO app.chain_transfers (rail, transaction_id, position, address, token, units, senders, seen_at,
                                     block_height, block_hash, block_time, ignored_reason)
    SELECT 'usdt', 'dust', n, 'dusty ' || n, 'USDT', 1, '{}', now(), 1, 'b', now(), 'dust' FROM generate_series(0, 9999) n;
    ANALYZE app.payment_addresses, app.chain_transfers`)
  const tables = ['payment_addresses', 'chain_transfers']
  const before = await rowsRead(world.database, tables)
  expect(await dueUnsolicited(world.services, 'usdt', { after: undefined, most: 100 })).toEqual([])
  expect((await rowsRead(world.database, tables)) - before).toBeLessThan(100)
})

test('[K-02] a sync reads only addresses whose ether is due to be compared', async () => {
  await world.owner(`
    INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, user_id, used_at, created_at, balance_height)
    SELECT '${'2'.repeat(16)}', 0, n, 'ethereum', 'ether ' || n, '${investor.id}', now(), now() - interval '60 days',
           CASE n WHEN 0 THEN 12800 WHEN 1 THEN NULL ELSE 12801 END
      FROM generate_series(0, 9999) n;
    UPDATE app.payment_addresses SET created_at = now() - interval '60 days'`)
  await world.owner('VACUUM ANALYZE app.payment_addresses')
  const read: Account[] = []
  const contractEther: Chain['contractEther'] = async accounts => {
    read.push(...accounts)
    return { balances: new Map(), transfers: [] }
  }
  const blocks = [20_000, 20_001, 20_002].map(height => ({
    height,
    hash: `block ${height}`,
    parentHash: `block ${height - 1}`,
    time: world.clock.now(),
  }))
  const scanned: Scanned = { blocks, transfers: [], spends: [] }
  const watched = await watchlistOf(world.services, 'ethereum', readPayoutWatch, 0)
  const before = await rowsRead(world.database, ['payment_addresses'])
  await readContractEther(
    world.services.db,
    { ...world.network.chain, confirmations: 3, contractEther },
    {
      cursor: { synced_height: 19_999, balances_height: 19_900 } as Cursor,
      fork: 19_999,
      scanned,
      watched: { ...watched, gap: new Map() },
      now: world.clock.now(),
    },
  )
  expect(read.map(({ address }) => address)).toEqual(['ether 1', 'ether 0'])
  expect((await rowsRead(world.database, ['payment_addresses'])) - before).toBeLessThan(100)
})

test('[K-03] the ether of an address is due again when a reorg undoes its balance', async () => {
  const at = async (address: string) =>
    (await world.owner(`SELECT balance_height FROM app.payment_addresses WHERE address = '${address}'`))
      .rows[0]
  await world.owner(`
    INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, user_id, used_at, created_at, balance_height)
    SELECT '${'3'.repeat(16)}', 0, n, 'ethereum', 'undone ' || n, '${investor.id}', now(), now(), 30000 FROM generate_series(0, 1) n;
    INSERT INTO app.ether_balances (address, height, units)
    SELECT app.address_key('undone 0'), height, 0 FROM unnest('{29000, 30000}'::integer[]) height`)
  await rollBackEther(world.services.db, 29_999)
  expect(await at('undone 0')).toEqual({ balance_height: 29_000 })
  expect(await at('undone 1')).toEqual({ balance_height: null })
})
