import type { Pool } from 'pg'
import pino from 'pino'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { databaseProxy } from '#test/support/database-proxy.ts'
import { type ReplicatedServer, replicatedPostgres } from '#test/support/replicated-postgres.ts'
import { migrate } from './migrate.ts'
import { openDatabase, openPool } from './pool.ts'
import { isReplicaRead, readerOf, readFrom } from './replica.ts'

let primary: ReplicatedServer
let standby: ReplicatedServer

beforeAll(async () => {
  const servers = await replicatedPostgres()
  primary = servers.primary
  standby = servers.standby
  await migrate({ ownerUrl: primary.url, appUrl: primary.url })
  await primary.administer(
    "INSERT INTO app.machines (machine, beat) VALUES ('019aa000-0000-7000-8000-000000000000', 1)",
  )
}, 120_000)

function poolAt(url: string, readOnly = false): Pool {
  const pool = openPool({ url, as: 'app', name: 'probity test', readOnly })
  onTestFinished(() => pool.end())
  return pool
}

/** A process's pool on the primary that reads from a replica, and what it logs. */
function reading(url = standby.url) {
  const pool = poolAt(primary.url)
  const reads = poolAt(url, true)
  const said: string[] = []
  const reasons: string[] = []
  const write = (line: string) => {
    const { msg, err } = JSON.parse(line)
    said.push(msg)
    if (err) reasons.push(err.message)
  }
  const log = pino({}, { write })
  onTestFinished(readFrom({ pool: reads, db: openDatabase(reads) }, { pool, log }))
  const services = { pool, db: openDatabase(pool) }
  return { pool, said, reasons, isStandbyRead: async () => (await readerOf(services)).pool === reads }
}

const cannot = 'the replica cannot be read; the primary serves until it can'
const again = 'the replica is read again'

/** One line for each change, whose number depends on the machine's speed. */
function expectLinesOfChanges(said: readonly string[], least: number): void {
  expect(said.length).toBeGreaterThanOrEqual(least)
  expect(said).toEqual(said.map((_, index) => (index % 2 === 0 ? cannot : again)))
}

test('reads see each commit before them, however the standby lags', async () => {
  const { pool, isStandbyRead } = reading()
  const services = { pool, db: openDatabase(pool) }
  for (let second = 0; second < 40; second++) {
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, second))
    await pool.query('UPDATE app.machines SET at = $1', [at])
    const reader = await readerOf(services)
    expect((await reader.pool.query('SELECT at FROM app.machines')).rows).toEqual([{ at }])
  }
  await expect.poll(isStandbyRead).toBe(true)
})

test('the primary serves while the standby is behind, with one line for each change', async () => {
  const { pool, said, isStandbyRead } = reading()
  await expect.poll(isStandbyRead).toBe(true)
  await standby.administer('SELECT pg_wal_replay_pause()')
  onTestFinished(() => standby.administer('SELECT pg_wal_replay_resume()'))
  await pool.query('UPDATE app.machines SET at = now()')
  for (let tries = 0; tries < 5; tries++) expect(await isStandbyRead()).toBe(false)
  expect(isReplicaRead(pool)).toBe(false)
  await standby.administer('SELECT pg_wal_replay_resume()')
  await expect.poll(isStandbyRead).toBe(true)
  expect(isReplicaRead(pool)).toBe(true)
  expectLinesOfChanges(said, 2)
})

test('the primary serves while the standby does not answer', async () => {
  const way = await databaseProxy(standby.url)
  const { said, isStandbyRead } = reading(way.url)
  await expect.poll(isStandbyRead).toBe(true)
  way.fallSilent()
  expect(await isStandbyRead()).toBe(false)
  way.recover()
  way.breakConnections()
  await expect.poll(isStandbyRead).toBe(true)
  await way.cut()
  expect(await isStandbyRead()).toBe(false)
  await way.mend()
  await expect.poll(isStandbyRead).toBe(true)
  expectLinesOfChanges(said, 4)
})

test('nothing can be written through the pool of the replica', async () => {
  const reads = poolAt(primary.url, true)
  await expect(reads.query('UPDATE app.machines SET at = now()')).rejects.toMatchObject({ code: '25006' })
})

test('a server that is no standby is not read', async () => {
  const { isStandbyRead, reasons } = reading(primary.url)
  expect(await isStandbyRead()).toBe(false)
  expect(reasons).toEqual(['READ_DATABASE_URL leads to no standby'])
})

test('a standby of another database is not read, however far it is', async () => {
  const other = await replicatedPostgres()
  await migrate({ ownerUrl: other.primary.url, appUrl: other.primary.url })
  await other.primary.administer(
    "INSERT INTO app.machines (machine, beat) VALUES ('019aa000-0000-7000-8000-000000000001', 1000)",
    'CREATE TABLE much AS SELECT repeat(md5(n::text), 100) FROM generate_series(1, 20000) n',
  )
  const copy = poolAt(other.standby.url)
  await expect.poll(async () => (await copy.query("SELECT to_regclass('much') AS t")).rows[0].t).toBe('much')
  const { isStandbyRead, reasons } = reading(other.standby.url)
  expect(await isStandbyRead()).toBe(false)
  expect(reasons).toEqual(['READ_DATABASE_URL leads to a standby without the latest beat of DATABASE_URL'])
})
