import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { readPayoutWatch } from '#server/payouts/watch.ts'
import { createLogger } from '#server/platform/logger.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { type Chain, ChainError } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { resumeAfter } from './resume.ts'
import { watchlistOf } from './watchlist.ts'

/** Reorgs, and a network without mempool data. */

let world: WatchedWorld
let investor: Person
const { usdt, paid, available, shown, actions, debt, custody } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

/** Reorgs of these depths, one before each of the next requests of a kind. */
function reorgBefore(kind: string, depths: number[]): void {
  world.network.setBefore(asked => {
    if (asked !== kind) return
    world.network.reorg(depths.shift()!)
    if (depths.length === 0) world.network.setBefore(undefined)
  })
}

describe('a reorg', () => {
  test.each([1, 2, 3, 4, 5, 6])(
    '[B-03] of %i blocks before the credit changes nothing in the end',
    async depth => {
      // More confirmations than replaced blocks, with a sync after each block.
      const patient = { ...world.network.chain, confirmations: 7 }
      const lookOnce = () => syncNetwork(world.services, 'usdt', patient)
      const deposit = await paid(250)
      for (let n = 0; n < depth; n += 1) {
        world.network.mine()
        await lookOnce()
      }
      expect((await shown(deposit._id)).confirmations).toEqual({ have: depth, needed: 7 })
      world.network.reorg(depth)
      await lookOnce()
      expect((await shown(deposit._id)).confirmations).toEqual({ have: 0, needed: 7 })
      world.network.mine(6)
      await lookOnce()
      expect(await available()).toBe(0n)
      world.network.mine()
      await lookOnce()
      expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250 })
      expect(await available()).toBe(25_000n)
      expect(await debt()).toBe(0n)
      expect(await actions(deposit._id)).toEqual(['deposit.requested', 'deposit.credited'])
      await world.expectSoundBooks()
    },
  )

  test.each([2, 3, 4, 5, 6])(
    '[B-03] of %i blocks after the credit reverses it, and credits it again',
    async depth => {
      const deposit = await paid(250)
      world.network.mine(depth)
      await world.sync()
      expect(await available()).toBe(25_000n)
      world.network.reorg(depth)
      await world.sync()
      expect(await available()).toBe(0n)
      expect(await shown(deposit._id)).toMatchObject({
        status: 'pending',
        credited: null,
        flags: ['reversed'],
      })
      expect(await custody()).toBe(0n)
      world.network.mine(2)
      await world.sync()
      expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250, flags: [] })
      expect(await available()).toBe(25_000n)
      expect(await custody()).toBe(-usdt(250))
      await world.expectSoundBooks()
    },
  )

  test('[B-03] replaces an unconfirmed payment (RBF): only the last version counts', async () => {
    const deposit = await world.ask(investor, 250)
    const to = deposit.payment.address
    const first = world.network.send({ to, units: usdt(200) })
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'seen', seen: '200.000000' })
    world.network.drop(first)
    world.network.send({ to, units: usdt(250) })
    await world.sync()
    expect((await shown(deposit._id)).transfers).toMatchObject([
      { state: 'seen', amountCrypto: '250.000000' },
      { state: 'dropped', amountCrypto: '200.000000' },
    ])
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid', credited: 250 })
    expect(await custody()).toBe(-usdt(250))
  })

  test('drops a payment: its deposit waits, and it counts when it returns', async () => {
    const deposit = await world.ask(investor, 250)
    const sent = { to: deposit.payment.address, units: usdt(250), id: 'a'.repeat(64) }
    world.network.send(sent)
    await world.sync()
    world.network.drop(sent.id)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'dropped', seen: null })
    world.network.send(sent)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'paid' })
    expect((await shown(deposit._id)).transfers).toHaveLength(1)
  })

  test('[B-03] replaces a credited payment by another: it is credited once', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.sync()
    world.network.reorg(2, { drop: [deposit.transaction] })
    world.network.send({ to: deposit.payment.address, units: usdt(250) })
    await world.sync()
    expect(await available()).toBe(0n)
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250 })
    expect(await available()).toBe(25_000n)
    expect(await custody()).toBe(-usdt(250))
    await world.expectSoundBooks()
  })

  test('is not assumed from a node that is behind', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    await world.sync()
    world.network.cut(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid' })
    world.network.mine(3)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250 })
    expect(await available()).toBe(25_000n)
  })

  test('during a scan is followed at once', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    reorgBefore('scan', [3])
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ stage: 'seen' })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid' })
    expect(await available()).toBe(25_000n)
  })

  test('and another during the next scan are rejected, and read by the next sync', async () => {
    const deposit = await paid(250)
    world.network.mine(2)
    reorgBefore('scan', [3, 5])
    await expect(world.sync()).rejects.toThrow('the chain changed')
    expect(await shown(deposit._id)).toMatchObject({ stage: 'waiting' })
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid' })
    expect(await available()).toBe(25_000n)
  })

  test('deeper than the maximum halts the sync until a person acts', async () => {
    const own = await openWatchedWorld('usdt', { maxReorgDepth: 5 })
    const person = await own.person('Dora Deep')
    const pay = async (amount: number) => {
      const deposit = await own.ask(person, amount)
      own.network.send({ to: deposit.payment.address, units: usdt(amount) })
      own.network.mine(2)
      return deposit
    }
    await own.sync()
    await pay(250)
    own.network.mine(20)
    await own.sync()
    const second = await pay(150)
    own.network.reorg(12)
    await expect(own.sync()).rejects.toThrow('None of the last')
    own.network.mine(3)
    expect(await own.sync()).toEqual({ outcome: 'halted' })
    expect(await own.deposit(person, second._id)).toMatchObject({ stage: 'waiting' })
    expect((await own.balances(person)).available).toBe(25_000n)
    const cursor = await own.database.db.selectFrom('app.chain_cursors').selectAll().executeTakeFirstOrThrow()
    expect(cursor).toMatchObject({ halted: true, sync_error: expect.stringContaining('None of the last') })
    const chain = own.network.chain
    await resumeAfter(own.services, { rail: 'usdt', chain, height: cursor.synced_height - 30 })
    own.network.mine()
    await own.sync()
    expect(await own.deposit(person, second._id)).toMatchObject({ status: 'paid', credited: 150 })
    await own.sync()
    expect((await own.balances(person)).available).toBe(40_000n)
  })
})

test('[K-03] blocks are credited without a mempool, and nothing is marked as dropped', async () => {
  const waiting = await paid(100)
  await world.sync()
  const deposit = await paid(250)
  world.network.mine(2, { without: [waiting.transaction] })
  const chain: Chain = {
    ...world.network.chain,
    pending: () => Promise.reject(new ChainError('still reading the mempool', { details: 'disk is full' })),
  }
  const lines: string[] = []
  const log = createLogger('warn', { write: line => void lines.push(line) })
  await expect(syncNetwork({ ...world.services, log }, 'usdt', chain)).rejects.toThrow('still reading')
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { rail: 'usdt', details: 'disk is full', msg: 'error message of the node' },
  ])
  expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 250 })
  expect(await shown(waiting._id)).toMatchObject({ stage: 'seen' })
  const cursor = () => world.database.db.selectFrom('app.chain_cursors').selectAll().executeTakeFirstOrThrow()
  const { sync_error, sync_error_since } = await cursor()
  expect(sync_error).toBe('still reading the mempool')
  world.clock.pass({ minutes: 1 })
  await expect(syncNetwork(world.services, 'usdt', chain)).rejects.toThrow('still reading')
  expect((await cursor()).sync_error_since).toEqual(sync_error_since)
  await world.sync()
  expect(await cursor()).toMatchObject({ sync_error: null, sync_error_since: null })
})

test('[D5] reverses one of several parts: the investor is notified, the rest stays', async () => {
  const deposit = await paid(250)
  world.network.mine(2)
  await world.sync()
  const more = world.network.send({ to: deposit.payment.address, units: usdt(40) })
  world.network.mine(2)
  await world.sync()
  expect(await shown(deposit._id)).toMatchObject({ stage: 'paid_over', credited: 290 })
  world.network.reorg(2, { drop: [more] })
  await world.sync()
  expect(await shown(deposit._id)).toMatchObject({
    status: 'paid',
    stage: 'paid',
    credited: 250,
    label: 'Paid in full and added to the balance. The network reversed part of this payment.',
  })
})

test('[K-02] unspends our output until it is spent in another block', async () => {
  const world = await openWatchedWorld('bitcoin')
  const investor = await world.person('Ines Investor')
  await world.sync()
  const deposit = await world.ask(investor, 1000)
  const units = BigInt(deposit.payment.amountCrypto.replace('.', ''))
  const received = world.network.send({ to: deposit.payment.address, units })
  world.network.mine(3)
  await world.sync()
  const spending = world.network.send({ to: 'elsewhere', units, from: [`${received}:0`] })
  world.network.mine()
  await world.sync()
  const spent = () =>
    world.database.db
      .selectFrom('app.chain_spends')
      .select(['transaction_id', 'block_height', sql<boolean>`dropped_at IS NOT NULL`.as('dropped')])
      .where('slot', '=', `${received}:0`)
      .executeTakeFirstOrThrow()
  const at = world.network.height()
  expect(await spent()).toEqual({ transaction_id: spending, block_height: at, dropped: false })
  // The new blocks contain it too.
  world.network.cut(1)
  world.network.mine(2)
  await world.sync()
  expect(await spent()).toEqual({ transaction_id: spending, block_height: at, dropped: false })
  world.network.reorg(2, { drop: [spending] })
  await world.sync()
  expect(await spent()).toEqual({ transaction_id: spending, block_height: null, dropped: true })
  const { outpoints } = await watchlistOf(world.services, 'bitcoin', readPayoutWatch, at)
  expect([...outpoints]).toEqual([`${received}:0`])
})

test('[K-02] a spend mined during a sync is not marked as dropped', async () => {
  const deposit = await paid(250)
  world.network.mine(2)
  await world.sync()
  const from = [addressKey(deposit.payment.address)]
  const spending = world.network.send({ to: 'elsewhere', units: usdt(250), from })
  await world.sync()
  const spent = () =>
    world.database.db
      .selectFrom('app.chain_spends')
      .select(['block_height', 'dropped_at'])
      .where('transaction_id', '=', spending)
      .executeTakeFirst()
  world.network.setBefore(asked => {
    if (asked !== 'pending') return
    world.network.setBefore(undefined)
    world.network.mine()
  })
  await world.sync()
  expect(await spent()).toEqual({ block_height: null, dropped_at: null })
  await world.sync()
  expect(await spent()).toEqual({ block_height: world.network.height(), dropped_at: null })
})
