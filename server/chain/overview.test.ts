import { beforeAll, expect, test } from 'vitest'
import { cleanUp } from '#server/jobs/clean-up.ts'
import { sendersOf } from '#server/payouts/wallets.ts'
import { coverageReaders } from '#server/platform/database/lock-keys.ts'
import { type Chain, ChainError, type Token } from '#server/rails/chain.ts'
import { chainOverview, consoleSummary } from '#shared/contract/console.ts'
import { payingRails, payoutsIn, senders } from '#test/support/payouts.ts'
import { until } from '#test/support/processes.ts'
import { addresses, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { readCoverage } from './coverage.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ ...payingRails, rateLimit: false })
})
const overview = async () => (await world.call(chainOverview, world.admin)).data
const asset = async (name: string) => (await overview()).assets.find(({ asset }) => asset === name)!
const { ask, approve, pay } = withdrawalsIn(() => world)
const { tip } = payoutsIn(() => world)

/** A network where each address has this balance, which records its requests. */
function chainWith(each: Partial<Record<Token, bigint>> | Error) {
  const asked: string[][] = []
  const balances: Chain['balances'] = async of => {
    asked.push([...of])
    if (each instanceof Error) throw each
    return new Map(
      Object.entries(each).map(([token, units]) => [token as Token, units * BigInt(of.length)] as const),
    )
  }
  return { chain: { balances } as Chain, asked }
}

test('[T-06] before the first reading there are no figures', async () => {
  const { assets, rails, stray } = await overview()
  expect(assets).toMatchObject([
    { asset: 'BTC', watched: false, onChain: null, difference: null },
    { asset: 'ETH', watched: true, onChain: null, difference: null },
    { asset: 'USDT', watched: true, onChain: null, difference: null },
  ])
  expect(stray).toEqual([])
  expect(rails.map(({ rail, watched, receiving, cursor }) => [rail, watched, receiving, cursor])).toEqual([
    ['bitcoin', false, 'fixed', null],
    ['usdt', true, 'fixed', null],
    ['ethereum', true, 'fixed', null],
  ])
})

test('[T-06] shows on-chain balances beside the ledger, with time and rate', async () => {
  const investor = await world.person('Ines Investor')
  await world.fund(investor, 500_000n)
  const to = { wallet: 'USDT TRC-20', walletAddress: addresses['USDT TRC-20'] }
  const { data } = await ask(investor, 100, to)
  await approve(data._id)
  await pay(data._id)
  const byHand = await ask(investor, 50, {
    wallet: 'Litecoin (LTC)',
    walletAddress: addresses['Litecoin (LTC)'],
  })
  await approve(byHand.data._id)
  await pay(byHand.data._id)
  world.clock.pass({ minutes: 2 })
  const tron = chainWith({ USDT: 4_900_000_000n })
  const ethereum = chainWith({ ETH: 5n, USDT: 0n, USDC: 7_000_000n })
  await readCoverage(world.services, sendersOf, rail =>
    rail === 'usdt' ? tron.chain : rail === 'ethereum' ? ethereum.chain : undefined,
  )
  expect(tron.asked).toEqual([[senders.usdt]])
  expect(ethereum.asked).toEqual([[senders.ethereum]])
  expect(await asset('USDT')).toEqual({
    asset: 'USDT',
    watched: true,
    onChain: { amountCrypto: '4900.000000', amount: 4900, addresses: 2, at: expect.any(String) },
    received: '5000.000000',
    paidOut: '100.000000',
    inBooks: '4900.000000',
    inBooksUsd: 4900,
    difference: '0.000000',
    fees: null,
    rate: { rate: expect.any(String), at: expect.any(String), source: 'Fixed by the firm', stale: false },
  })
  expect((await asset('ETH')).difference).toBe('0.000000005')
  const { stray, liabilities, paidByHand } = await overview()
  expect(stray).toEqual([{ token: 'USDC', amountCrypto: '7.000000', at: expect.any(String) }])
  expect([liabilities, paidByHand]).toEqual([4850, { count: 1, amount: 50 }])
})

test('[T-06] keeps the last reading of an unreachable network; the others are read', async () => {
  const before = await asset('USDT')
  world.clock.pass({ minutes: 10 })
  const failing = chainWith(new ChainError('away'))
  const ethereum = chainWith({ ETH: 9n })
  await readCoverage(world.services, sendersOf, rail =>
    rail === 'usdt' ? failing.chain : rail === 'ethereum' ? ethereum.chain : undefined,
  )
  expect((await asset('USDT')).onChain).toEqual(before.onChain)
  expect((await asset('ETH')).onChain?.amountCrypto).toBe('0.000000009')
})

test('[T-06] reads only used addresses, in one request; on TRON rarely enough', async () => {
  const own = await openWorld({ ...payingRails, rateLimit: false })
  const person = await own.person('Ines Investor')
  await own.owner(`
    INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, user_id, used_at, created_at)
    SELECT 'aaaaaaaaaaaaaaaa', 0, n, 'ethereum', '0x' || lpad(n::text, 40, '0'), '${person.id}',
           CASE WHEN n <= 1200 THEN now() END, now() FROM generate_series(1, 1201) n`)
  const { chain, asked } = chainWith({ ETH: 1n })
  await readCoverage(own.services, sendersOf, rail => (rail === 'ethereum' ? chain : undefined))
  expect(asked.map(({ length }) => length)).toEqual([1201])
  const { data } = await own.call(chainOverview, own.admin)
  expect(data.assets.find(of => of.asset === 'ETH')?.onChain).toMatchObject({
    addresses: 1201,
    amountCrypto: '0.000001201',
  })
  // One request for each address: 1,200 addresses can be read 16 times a day.
  await own.owner(`UPDATE app.payment_addresses SET rail = 'usdt'`)
  const tron = chainWith({ USDT: 1n })
  const read = () => readCoverage(own.services, sendersOf, rail => (rail === 'usdt' ? tron.chain : undefined))
  for (const minutes of [0, 10, 80]) {
    own.clock.pass({ minutes })
    await read()
  }
  expect(tron.asked).toHaveLength(2)
})

test('[T-06] a network is read by one process at a time', async () => {
  let go = () => {}
  const waits = new Promise<void>(resolve => {
    go = resolve
  })
  const first = chainWith({ ETH: 1n })
  const balances: Chain['balances'] = async of => {
    await waits
    return first.chain.balances(of)
  }
  const slow = { balances } as Chain
  const second = chainWith({ ETH: 2n })
  const reading = readCoverage(world.services, sendersOf, rail => (rail === 'ethereum' ? slow : undefined))
  await until(async () => {
    const { rows } = await world.owner(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${coverageReaders} AND granted`,
    )
    return rows.length > 0
  })
  await readCoverage(world.services, sendersOf, rail => (rail === 'ethereum' ? second.chain : undefined))
  expect(second.asked).toEqual([])
  go()
  await reading
  expect(first.asked).toHaveLength(1)
})

test("[C-27] shows each network's synced height and error", async () => {
  await tip(900, 'ethereum', 12)
  await world.owner(
    `UPDATE app.chain_cursors SET tip_height = 912, sync_error = 'connection refused', sync_error_since = now() WHERE rail = 'ethereum'`,
  )
  const { rails } = await overview()
  expect(rails.find(({ rail }) => rail === 'ethereum')?.cursor).toMatchObject({
    syncedHeight: 900,
    tipHeight: 912,
    confirmations: 12,
    syncError: 'connection refused',
    halted: false,
  })
  expect((await world.call(consoleSummary, world.admin)).data.waiting.payoutAlerts.count).toBe(0)
})

test('readings are deleted after a while', async () => {
  const { rows: before } = await world.owner('SELECT count(*)::int AS n FROM app.coverage_readings')
  expect(before[0].n).toBeGreaterThan(0)
  world.clock.pass({ days: 401 })
  await cleanUp(world.services)
  expect((await world.owner('SELECT FROM app.coverage_readings')).rows).toEqual([])
})
