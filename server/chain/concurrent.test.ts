import { expect, test } from 'vitest'
import { asSystem } from '#server/audit/log.ts'
import { assessDeposit } from '#server/deposits/assess.ts'
import { chainWatchers } from '#server/platform/database/lock-keys.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import type { Chain } from '#server/rails/chain.ts'
import * as call from '#shared/contract/deposits.ts'
import { until } from '#test/support/processes.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

/** Several processes act on a network's payments at once. */

let world: WatchedWorld
let investor: Person
const { usdt, confirmed, available, shown, actions } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

/** Another process's transaction, which keeps its locks until released. */
async function holding(statement: string): Promise<() => Promise<void>> {
  const session = await world.database.owner.connect()
  await session.query('BEGIN')
  await session.query(statement)
  return async () => {
    await session.query('ROLLBACK')
    session.release()
  }
}

/** Waits until that many statements wait for a lock. */
async function waiting(count: number): Promise<void> {
  await until(async () => {
    const { rows } = await world.database.owner.query<{ count: bigint }>(
      `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return Number(rows[0]!.count) >= count
  })
}

/** Delays the sync's transaction before its commit. */
async function holdingUpTheWatcher(): Promise<() => Promise<void>> {
  await world.owner(`
    CREATE FUNCTION app.wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$;
    CREATE TRIGGER waiting BEFORE UPDATE OF tip_height ON app.chain_cursors FOR EACH ROW EXECUTE FUNCTION app.wait()`)
  const letGo = await holding('SELECT pg_advisory_xact_lock(1)')
  return async () => {
    await letGo()
    // It may still be running and holding its table.
    await world.owner('DROP FUNCTION app.wait() CASCADE')
  }
}

const assess = (id: string) =>
  world.services.db.transaction().execute(tx => assessDeposit(tx, asSystem(world.services), id))

test('[B-03] a rollback waits for an assessment; a transfer mined again stays credited', async () => {
  const deposit = await confirmed(250)
  // The same transaction is mined again, beyond one scan step.
  world.network.reorg(2)
  world.network.mine(30, { without: [deposit.transaction] })
  world.network.mine(3)
  const letGo = await holdingUpTheWatcher()
  const synced = world.sync()
  await waiting(1)
  const assessed = assess(deposit._id)
  await waiting(2)
  await letGo()
  await Promise.all([synced, assessed])
  expect(await actions(deposit._id)).toEqual(['deposit.requested', 'deposit.credited'])
  expect(await available()).toBe(25_000n)
})

test('[B-03] of three processes that credit a payment at once one does', async () => {
  const frozen = (at: string) =>
    world.owner(
      `UPDATE app.users SET frozen_at = ${at}, frozen_by = ${at === 'NULL' ? at : `'${world.admin.id}'`},
              freeze_reason = ${at === 'NULL' ? at : "'Asked'"} WHERE id = '${investor.id}'`,
    )
  const deposit = await world.ask(investor, 250)
  await frozen('now()')
  world.network.send({ to: deposit.payment.address, units: usdt(250) })
  world.network.mine(2)
  await world.sync()
  await frozen('NULL')
  const letGo = await holding(`SELECT FROM app.deposits WHERE id = '${deposit._id}' FOR UPDATE`)
  const three = Promise.all(Array.from({ length: 3 }, () => assess(deposit._id)))
  await waiting(3)
  await letGo()
  expect((await three).toSorted()).toEqual([false, false, true])
  expect(await actions(deposit._id)).toEqual(['deposit.requested', 'deposit.credited'])
  expect(await available()).toBe(25_000n)
  await world.expectSoundBooks()
})

test('[B-03] sync and assessment wait for each other without a deadlock', async () => {
  const deposit = await world.ask(investor, 250)
  const transaction = world.network.send({ to: deposit.payment.address, units: usdt(100) })
  world.network.mine(1)
  await world.sync()
  world.network.reorg(1, { drop: [transaction] })
  const letGo = await holding(`SELECT FROM app.deposits WHERE id = '${deposit._id}' FOR UPDATE`)
  const assessed = assess(deposit._id)
  await waiting(1)
  const synced = world.sync()
  await waiting(2)
  await letGo()
  // PostgreSQL detects no deadlock (40P01).
  expect(await Promise.allSettled([assessed, synced])).toMatchObject([
    { status: 'fulfilled' },
    { status: 'fulfilled' },
  ])
  expect(await shown(deposit._id)).toMatchObject({ stage: 'dropped', seen: null })
})

test('a payment seen while its deposit is created appears on it', async () => {
  const query = { method: 'usdt', amount: '150' } as const
  const { quote, address } = (await world.call(call.quoteDeposit, investor, { query })).data
  world.network.send({ to: address, units: usdt(150) })
  const letGo = await holdingUpTheWatcher()
  world.network.mine(1)
  const synced = world.sync()
  await waiting(1)
  const body = { method: 'usdt', amount: 150, quote } as const
  const asked = world.call(call.newDeposit, investor, { body })
  await waiting(2)
  await letGo()
  await synced
  expect((await asked).data).toMatchObject({ stage: 'confirming', seen: '150.000000' })
})

test('[B-03] a process that lost its lock overwrites nothing', async () => {
  const first = await world.ask(investor, 250)
  const second = await world.ask(investor, 150)
  world.network.send({ to: first.payment.address, units: usdt(250) })
  await world.sync()
  const meanwhile = async () => {
    const lock = `locktype = 'advisory' AND classid = ${chainWatchers}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    await world.owner(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE ${lock}`)
    await until(async () => (await world.owner(`SELECT FROM pg_locks WHERE ${lock}`)).rowCount === 0)
    world.network.send({ to: second.payment.address, units: usdt(150) })
    expect(await world.sync()).toEqual({ outcome: 'synced' })
  }
  /** Answers with the state from before. */
  const slow = (before: () => Promise<void>): Chain => ({
    ...world.network.chain,
    pending: async watched => {
      const answer = await world.network.chain.pending(watched)
      await before()
      return answer
    },
  })
  const beaten = (before: () => Promise<void>) =>
    expect(syncNetwork(world.services, 'usdt', slow(before))).rejects.toThrow('onnection')
  await beaten(meanwhile)
  expect(await shown(second._id)).toMatchObject({ stage: 'seen' })
  const alsoMined = async () => {
    await meanwhile()
    world.network.mine(1)
    await world.sync()
  }
  await beaten(alsoMined)
  const cursor = await world.database.db.selectFrom('app.chain_cursors').selectAll().executeTakeFirstOrThrow()
  expect(cursor.synced_height).toBe(world.network.height())
  world.network.mine(1)
  await world.sync()
  expect(await shown(first._id)).toMatchObject({ credited: 250 })
  expect(await shown(second._id)).toMatchObject({ credited: 300 })
  await world.expectSoundBooks()
})
