import { sql } from 'kysely'
import { Client, type Pool } from 'pg'
import pino from 'pino'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { notificationsOf } from '#server/platform/notifications.ts'
import {
  type PooledDatabase,
  pooledDatabase,
  supportsPreparedStatements,
  withoutPgbouncer,
} from '#test/support/pgbouncer.ts'
import { requireConnection, requireSessions } from './logins.ts'
import { allowNames, openDatabase, openPool } from './pool.ts'
import { requirePooler } from './pooler.ts'

const log = pino({ level: 'silent' })
const signal = new AbortController().signal

const settings = `SELECT current_user AS role, current_setting('TimeZone') AS zone,
  current_setting('synchronize_seqscans') AS scans, current_setting('statement_timeout') AS statement,
  current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle`
/** Of the product's pools. */
const ours = {
  role: 'probity_app',
  zone: 'UTC',
  scans: 'off',
  statement: '15s',
  lock: '5s',
  idle: '30s',
}

describe.skipIf(withoutPgbouncer)('PgBouncer', () => {
  let database: PooledDatabase
  let transactionUrl: string
  let sessionUrl: string

  beforeAll(async () => {
    database = await pooledDatabase()
    transactionUrl = await database.startPgbouncer('transaction')
    sessionUrl = await database.startPgbouncer('session')
  })

  type Settings = { direct?: Pool; max?: number; statementTimeoutMs?: number; lockTimeoutMs?: number }
  function poolAt(url: string, more: Settings = {}) {
    const pool = openPool({ url, as: 'app', name: 'probity test', ...more })
    onTestFinished(() => pool.end())
    return pool
  }
  const direct = () => poolAt(database.directUrl)
  /** A pool of a web process, through a pooler in transaction mode. */
  const pooled = (more: Settings = {}) => poolAt(transactionUrl, { direct: direct(), ...more })

  /** Another client with the same login, whose connections to PostgreSQL ours may get. */
  async function stranger(url = transactionUrl): Promise<Client> {
    const client = new Client({ connectionString: url })
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }

  describe('in transaction mode', () => {
    test('our settings hold in each transaction, and in each statement outside of one', async () => {
      const pool = pooled()
      const db = openDatabase(pool)
      expect((await pool.query(settings)).rows).toEqual([ours])
      expect((await sql`${sql.raw(settings)} WHERE ${1}::int = 1`.execute(db)).rows).toEqual([ours])
      for (const level of ['read committed', 'repeatable read'] as const) {
        const seen = await db
          .transaction()
          .setIsolationLevel(level)
          .execute(async tx => [
            (await sql`${sql.raw(settings)}`.execute(tx)).rows,
            (await sql`SHOW transaction_isolation`.execute(tx)).rows,
          ])
        expect(seen).toEqual([[ours], [{ transaction_isolation: level }]])
      }
    })

    /** A pooler with one connection to PostgreSQL, for a pool of ours and a stranger. */
    async function sharing() {
      const url = await database.startPgbouncer('transaction', { default_pool_size: 1 })
      return { other: await stranger(url), pool: poolAt(url, { direct: direct() }) }
    }

    test('nothing of ours stays for other clients of the pooler', async () => {
      const { other, pool } = await sharing()
      const { rows: before } = await other.query(settings)
      await pool.query(settings)
      await openDatabase(pool)
        .transaction()
        .execute(tx => sql`SELECT pg_advisory_xact_lock(1)`.execute(tx))
      expect((await other.query(settings)).rows).toEqual(before)
      expect(before[0].role).not.toBe(ours.role)
      const locks = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
      expect((await other.query(locks)).rows).toEqual([])
    })

    test('what other clients set on a connection does not reach us', async () => {
      const { other, pool } = await sharing()
      await other.query("SET statement_timeout = 0; SET TimeZone = 'Asia/Tokyo'; SET lock_timeout = 0")
      await other.query('CREATE TEMP TABLE users (name text)')
      expect((await pool.query(settings)).rows).toEqual([ours])
      expect((await openDatabase(pool).selectFrom('app.users').select('id').execute()).length).toBe(0)
      const inTransaction = openDatabase(pool)
        .transaction()
        .execute(tx => sql`${sql.raw(settings)}`.execute(tx))
      expect((await inTransaction).rows).toEqual([ours])
    })

    test('a statement that takes too long is ended by PostgreSQL', async () => {
      const pool = pooled({ statementTimeoutMs: 200 })
      const asleep = { code: '57014' }
      await expect(pool.query('SELECT pg_sleep(60)')).rejects.toMatchObject(asleep)
      await expect(pool.query('SELECT pg_sleep($1)', [60])).rejects.toMatchObject(asleep)
      const inTransaction = openDatabase(pool)
        .transaction()
        .execute(tx => sql`SELECT pg_sleep(60)`.execute(tx))
      await expect(inTransaction).rejects.toMatchObject(asleep)
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    })

    test('a wait for a lock ends, too', async () => {
      const holder = await database.owner.connect()
      onTestFinished(() => holder.release())
      await holder.query('BEGIN; LOCK TABLE app.users')
      const pool = pooled({ lockTimeoutMs: 200 })
      await expect(pool.query('SELECT FROM app.users')).rejects.toMatchObject({ code: '55P03' })
      await holder.query('ROLLBACK')
      expect((await pool.query('SELECT FROM app.users')).rows).toEqual([])
    })

    test('statements return their rows and errors, one after the other', async () => {
      const pool = pooled({ max: 1 })
      const { rows, command, rowCount } = await pool.query(
        'SELECT n, n::text AS t FROM generate_series(1, 3) n',
      )
      expect([rows.length, rows[0], command, rowCount]).toEqual([3, { n: 1, t: '1' }, 'SELECT', 3])
      await expect(pool.query('SELECT nothing')).rejects.toMatchObject({ code: '42703' })
      await expect(pool.query('SELECT 1 / $1', [0])).rejects.toMatchObject({ code: '22012' })
      const asked = [1n, null, 3n].map(n => pool.query('SELECT $1::int8 AS n', [n]))
      expect((await Promise.all(asked)).map(answer => answer.rows)).toEqual([
        [{ n: 1n }],
        [{ n: null }],
        [{ n: 3n }],
      ])
    })

    test('a start finds out whether the pooler keeps prepared statements', async () => {
      const keeps = await requirePooler(transactionUrl, direct(), { signal, log })
      expect(keeps).toBe(supportsPreparedStatements())
      expect(await requirePooler(transactionUrl, direct(), { signal, log })).toBe(keeps)
    })

    test('frequent statements work on any connection, prepared or not', async () => {
      const pool = pooled()
      if (await requirePooler(transactionUrl, direct(), { signal, log })) allowNames(pool)
      const db = openDatabase(pool)
      const act = async (n: number) => {
        const { rows } = await db.transaction().execute(tx => sql`SELECT ${n}::integer AS n`.execute(tx))
        return rows[0]
      }
      const all = Array.from({ length: 300 }, (_, n) => n)
      expect(await Promise.all(all.map(act))).toEqual(all.map(n => ({ n })))
      await Promise.all(all.map(() => pool.query({ name: 'explicit', text: 'SELECT $1::int', values: [1] })))
    })

    test('a start without a direct connection is refused', async () => {
      const pool = poolAt(transactionUrl)
      await expect(requireSessions(pool, 'DATABASE_URL')).rejects.toThrow(
        'DATABASE_URL: leads through a pooler in transaction mode. Set DIRECT_DATABASE_URL',
      )
      await expect(requireSessions(pool, 'DIRECT_DATABASE_URL')).rejects.toThrow(
        'DIRECT_DATABASE_URL: leads through a pooler in transaction mode. Name PostgreSQL itself',
      )
      const fair = poolAt(await database.startPgbouncer('transaction', { server_round_robin: 1 }))
      await expect(requireSessions(fair, 'DATABASE_URL')).rejects.toThrow('leads through a pooler')
    })

    test('a start is refused if the pooler leads to another database', async () => {
      const other = await pooledDatabase()
      const elsewhere = await other.startPgbouncer('transaction')
      await expect(requirePooler(elsewhere, direct(), { signal, log })).rejects.toThrow(
        'DATABASE_URL: leads to another database than DIRECT_DATABASE_URL.',
      )
    })
  })

  describe('in session mode', () => {
    test('a connection has our settings, and notifications arrive', async () => {
      const pool = poolAt(sessionUrl)
      await requireSessions(pool, 'DATABASE_URL')
      expect((await pool.query(settings)).rows).toEqual([ours])
      const heard: string[] = []
      const line = notificationsOf(pool, log)
      onTestFinished(() => line.close())
      line.subscribe({ channel: 'test', heard: payload => heard.push(payload), begin: () => {} })
      await line.open()
      await pool.query("SELECT pg_notify('test', 'a')")
      await line.caughtUp()
      expect(heard).toEqual(['a'])
    })

    test('nothing of ours stays for the next client', async () => {
      const pool = openPool({ url: sessionUrl, as: 'app', name: 'probity test', max: 1 })
      const { rows } = await pool.query('SELECT pg_backend_pid() AS pid, pg_advisory_lock(1)')
      await pool.end()
      await expect
        .poll(async () => {
          const next = await stranger(sessionUrl)
          const seen = await next.query(`SELECT pg_backend_pid() AS pid, current_user = session_user AS own,
            EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locked`)
          return seen.rows[0]
        })
        .toEqual({ pid: rows[0].pid, own: true, locked: false })
    })
  })

  test('a start names what a pooler refuses', async () => {
    const statementUrl = await database.startPgbouncer('statement')
    await expect(requirePooler(statementUrl, direct(), { signal, log })).rejects.toThrow(
      'DATABASE_URL: the pooler refuses it: transaction blocks not allowed in statement pooling mode.',
    )
    const required = (url: string) => requireConnection(poolAt(url), 'DATABASE_URL', 'app')
    const refuses = 'DATABASE_URL: the pooler refuses it: '
    await expect(required(`${sessionUrl}?options=-c%20exit_on_error%3Don`)).rejects.toThrow(
      `${refuses}unsupported startup parameter`,
    )
    await expect(required(sessionUrl.replace(/\w+$/, 'nowhere'))).rejects.toThrow(
      `${refuses}no such database: nowhere.`,
    )
    await expect(required(sessionUrl.replace(/:[^:@]+@/, ':wrong@'))).rejects.toThrow(
      /^DATABASE_URL: .*(authentication failed|refused the user or the password)\.$/,
    )
  })
})
