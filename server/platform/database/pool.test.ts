import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '#test/support/database.ts'
import { databaseProxy } from '#test/support/database-proxy.ts'
import { LimitedClient } from './limited-client.ts'
import { openDatabase, openPool } from './pool.ts'

const database = await testDatabase()

/** A pool whose server can go silent. */
async function poolThroughProxy() {
  const proxy = await databaseProxy(database.appUrl)
  const pool = openPool({ url: proxy.url, as: 'app', name: 'probity test', statementTimeoutMs: 300 })
  onTestFinished(() => pool.end())
  return { ...proxy, pool, db: openDatabase(pool) }
}

test("a session uses UTC and starts each scan at the table's beginning", async () => {
  const pool = openPool({ url: database.appUrl, as: 'app', name: 'probity test' })
  onTestFinished(() => pool.end())
  const { rows } = await pool.query(
    "SELECT current_setting('TimeZone') AS zone, current_setting('synchronize_seqscans') AS together",
  )
  expect(rows).toEqual([{ zone: 'UTC', together: 'off' }])
})

test('a vanished server fails its queries, and new connections work once it is back', async () => {
  const { pool, db, fallSilent, recover } = await poolThroughProxy()
  const asked = [
    () => pool.query('SELECT 1'),
    () => sql`SELECT 1`.execute(db),
    () => db.transaction().execute(tx => sql`SELECT 1`.execute(tx)),
  ]
  await Promise.all(asked.map(ask => ask()))
  fallSilent()
  const silence = { code: 'ETIMEDOUT', message: 'The database did not answer within 2300 ms' }
  for (const { status, reason } of (await Promise.allSettled(
    asked.map(ask => ask()),
  )) as PromiseRejectedResult[])
    expect({ status, reason }).toMatchObject({ status: 'rejected', reason: silence })
  recover()
  await Promise.all(asked.map(ask => ask()))
})

test('a connection to a silent server can be closed', async () => {
  const { pool, fallSilent } = await poolThroughProxy()
  const client = new LimitedClient(pool.options)
  await client.connect()
  fallSilent()
  await client.end()
})

test('a statement that the server ends itself is not taken for silence', async () => {
  const { pool } = await poolThroughProxy()
  const session = await pool.connect()
  await expect(session.query('SELECT pg_sleep(60)')).rejects.toMatchObject({ code: '57014' })
  await session.query('SELECT 1')
  session.release()
})
