import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Pool } from 'pg'
import pino from 'pino'
import { expect, inject, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { loadConfig } from '#server/config.ts'
import { job } from '#server/jobs/job.ts'
import { startWorker } from '#server/jobs/runner.ts'
import { systemClock } from '#server/platform/clock.ts'
import { notificationsOf } from '#server/platform/notifications.ts'
import { defineTask, enqueue } from '#server/platform/queue.ts'
import { Lifetime } from '#server/process/lifetime.ts'
import { testDatabase } from '#test/support/database.ts'
import { databaseProxy } from '#test/support/database-proxy.ts'
import { type ReplicatedServer, replicatedPostgres } from '#test/support/replicated-postgres.ts'
import { administer } from '#test/support/temporary-postgres.ts'
import { withHosts } from './hosts.ts'
import { requireConnection } from './logins.ts'
import { migrate } from './migrate.ts'
import { openDatabase, openPool } from './pool.ts'

const { superuserUrl } = inject('postgres')
const { appUrl } = await testDatabase()
const log = pino({ level: 'silent' })

function poolAt(url: string, as: 'app' | 'owner' = 'app'): Pool {
  const pool = openPool({ url, as, name: 'probity test' })
  onTestFinished(() => pool.end())
  return pool
}

/** A host that ends every connection, after an answer if given, and counts them. */
async function refusingHost(answer?: Buffer) {
  let tries = 0
  const server = createServer(socket => {
    tries++
    socket.on('error', () => {})
    if (answer === undefined) socket.destroy()
    else socket.once('data', () => socket.end(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, tries: () => tries }
}

/** What PostgreSQL answers if it has no connection left (its manual, Message Formats). */
function tooManyConnections(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0')
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** The test run's server over TCP. */
async function soundUrl(): Promise<string> {
  return (await databaseProxy(appUrl)).url
}

const hostOf = (url: string) => new URL(url).host

test('a connection skips a broken host, and the next ones begin at the one that worked', async () => {
  const url = await soundUrl()
  const broken = await refusingHost()
  const pool = poolAt(withHosts(url, [broken.host, hostOf(url)]))
  await pool.query('SELECT 1')
  expect(broken.tries()).toBe(1)
  const sessions = [await pool.connect(), await pool.connect()]
  for (const session of sessions) session.release()
  expect([pool.totalCount, broken.tries()]).toEqual([2, 1])
})

test('a connection skips a host that is silent', async () => {
  const url = await soundUrl()
  const proxy = await databaseProxy(appUrl)
  proxy.fallSilent()
  const pool = poolAt(withHosts(url, [hostOf(proxy.url), hostOf(url)]))
  Object.assign(pool.options, { connectionTimeoutMillis: 2_000 })
  await pool.query('SELECT 1')
})

const required = (url: string) => requireConnection(poolAt(url), 'DATABASE_URL', 'app')

test('a host that does not have the database ends the search', async () => {
  const url = new URL(await soundUrl())
  const [first, last] = [await refusingHost(), await refusingHost()]
  url.pathname = '/no_such_database'
  await expect(required(withHosts(url.href, [first.host, url.host, last.host]))).rejects.toThrow(
    'DATABASE_URL: the database does not exist.',
  )
  expect([first.tries(), last.tries()]).toEqual([1, 0])
})

test('a process waits for its hosts with the same words as for one', async () => {
  await expect(required(withHosts(await soundUrl(), ['127.0.0.1:1', '127.0.0.1:2']))).rejects.toThrow(
    'DATABASE_URL: no PostgreSQL answers there. Is it running?',
  )
})

test('if no host accepts writes, the error is what a server said', async () => {
  const name = `test_readonly_${process.pid}`
  await administer(superuserUrl, `CREATE DATABASE ${name}`)
  onTestFinished(() => administer(superuserUrl, `DROP DATABASE ${name} WITH (FORCE)`))
  await administer(superuserUrl, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  const url = new URL(await soundUrl())
  url.pathname = `/${name}`
  await poolAt(url.href).query('SELECT 1')
  url.searchParams.set('target_session_attrs', 'read-write')
  const acceptsNoWrites = 'DATABASE_URL: PostgreSQL: it accepts no writes (a standby, a demoted primary, '
  await expect(required(url.href)).rejects.toThrow(acceptsNoWrites)
  const broken = await refusingHost()
  await expect(required(withHosts(url.href, [broken.host, url.host]))).rejects.toThrow(acceptsNoWrites)
  const crowded = await refusingHost(tooManyConnections())
  await expect(required(withHosts(url.href, [url.host, crowded.host]))).rejects.toThrow(
    'DATABASE_URL: PostgreSQL: all its connections are taken.',
  )
})

/** A process's connections to a primary and its standby, the standby first. */
async function replicatedProcess() {
  const { primary, standby } = await replicatedPostgres()
  await migrate({ ownerUrl: primary.url, appUrl: primary.url })
  const url = `${withHosts(primary.url, [standby.host, primary.host])}?target_session_attrs=read-write`
  const pool = poolAt(url)
  const heard: string[] = []
  const line = notificationsOf(pool, log)
  onTestFinished(() => line.close())
  line.subscribe({ channel: 'test', heard: payload => heard.push(payload), begin: () => {} })
  await line.open()
  const done: string[] = []
  const task = defineTask('test', z.object({ text: z.string() }))
  const life = new Lifetime()
  onTestFinished(() => life.end())
  const config = loadConfig({ TOKEN_SECRET: 'x'.repeat(32) })
  const services = { config, pool, db: openDatabase(pool), clock: systemClock, log }
  await startWorker(services, life, { jobs: [job(task, async ({ text }) => void done.push(text))] })

  /** All connections of the process work, and on this server. */
  async function works(server: ReplicatedServer, text: string): Promise<void> {
    const direct = poolAt(server.url)
    await expect.poll(() => line.isOpen()).toBe(true)
    await direct.query("SELECT pg_notify('test', $1)", [text])
    await enqueue(openDatabase(direct), task, { text })
    await expect.poll(() => [heard.at(-1), done.at(-1)]).toEqual([text, text])
  }
  const portOf = async () => (await pool.query('SELECT inet_server_port() AS port')).rows[0].port
  return { primary, standby, pool, works, portOf }
}

const portIn = ({ host }: ReplicatedServer) => Number(host.split(':')[1])

test('when the primary is killed and its standby promoted, all connections go there', async () => {
  const { primary, standby, pool, works, portOf } = await replicatedProcess()
  expect(await portOf()).toBe(portIn(primary))
  await works(primary, 'before')
  await primary.kill()
  await expect(pool.query('SELECT 1')).rejects.toThrow()
  await standby.administer('SELECT pg_promote()')
  expect(await portOf()).toBe(portIn(standby))
  await works(standby, 'after')
})

test('no connection stays on a primary that becomes read-only and still runs', async () => {
  const { primary, standby, pool, works, portOf } = await replicatedProcess()
  await works(primary, 'before')
  await standby.administer('SELECT pg_promote()')
  await primary.administer('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()')
  await expect.poll(() => portOf().catch(String)).toBe(portIn(standby))
  const sessions = Array.from({ length: pool.options.max }, portOf)
  expect(new Set(await Promise.all(sessions))).toEqual(new Set([portIn(standby)]))
  await works(standby, 'after')
})

test('after one refused write, all sessions on that server are replaced', async () => {
  const url = new URL(await soundUrl())
  url.searchParams.set('target_session_attrs', 'read-write')
  const pool = poolAt(url.href)
  const processes = async () => {
    const sessions = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
    const asked = sessions.map(session => session.query('SELECT pg_backend_pid() AS pid'))
    const pids = (await Promise.all(asked)).map(({ rows }) => rows[0].pid)
    for (const session of sessions) session.release()
    return pids
  }
  const before = await processes()
  const session = await pool.connect()
  await session.query('BEGIN READ ONLY')
  await expect(session.query('CREATE TABLE refused ()')).rejects.toMatchObject({ code: '25006' })
  session.release()
  const after = await processes()
  expect(after.filter(pid => before.includes(pid))).toEqual([])
})
