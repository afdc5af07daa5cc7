import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { sampleFirm } from '#server/demo/firm.ts'
import { laneNames } from '#server/jobs/lanes.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { databaseProxy } from '#test/support/database-proxy.ts'
import { liveSettings } from '#test/support/live-product.ts'
import { until, type Watched, watch } from '#test/support/processes.ts'
import { administer as administerServer } from '#test/support/temporary-postgres.ts'
import { freePort } from '#tools/free-port.ts'
import { MAIN } from '#tools/product-build.ts'

const BUILD = join(import.meta.dirname, '../build/server/index.js')
let folder: string
let database: TestDatabase
let empty: TestDatabase
let silent: Server
let silentPort: number

beforeAll(async () => {
  database = await testDatabase()
  empty = await testDatabase({ empty: true })
  folder = mkdtempSync(join(tmpdir(), 'probity-main-'))
  silent = createServer(socket => socket.destroy())
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  silentPort = (silent.address() as { port: number }).port
})
afterAll(() => {
  silent.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the entry on its own port. */
function start(role: string, environment: NodeJS.ProcessEnv): Watched {
  // One folder per database: it keeps what its log has published.
  const name = URL.parse(environment.DATABASE_URL ?? '')?.pathname.slice(1) ?? ''
  const env = { PATH: process.env.PATH, DATA_DIR: join(folder, name), PORT: '0', ...environment }
  const watched = watch(process.execPath, [MAIN, role], { env })
  onTestFinished(async () => {
    watched.child.kill('SIGKILL')
    await watched.ended()
  })
  return watched
}

/** Runs the entry until it ends. */
async function run(
  role: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ code: number | string; output: string }> {
  const main = start(role, { LOG_LEVEL: 'warn', ...environment })
  const code = await main.ended()
  return { code, output: main.output() }
}

/** The database's URL with parts of it changed. */
function elsewhere(change: (url: URL) => void): string {
  const url = new URL(database.appUrl)
  change(url)
  return url.href
}

describe('a start that cannot succeed ends with one clear line', () => {
  test.each<[string, () => string, RegExp]>([
    [
      'a wrong password',
      () =>
        elsewhere(url => {
          url.password = 'wrong'
        }),
      /^DATABASE_URL: PostgreSQL refused the user or the password\.\n$/,
    ],
    [
      'a missing database',
      () =>
        elsewhere(url => {
          url.pathname = '/nowhere'
        }),
      /^DATABASE_URL: the database does not exist\./,
    ],
    [
      'a certificate file that is missing',
      () => elsewhere(url => url.searchParams.set('sslrootcert', '/nowhere/ca.crt')),
      /^DATABASE_URL: its file \/nowhere\/ca\.crt cannot be read \(ENOENT\)\.\n$/,
    ],
    ['no connection string at all', () => 'notaurl', /\n {2}DATABASE_URL: must look like postgres:\/\/.*\n/],
  ])('[V-01] DATABASE_URL with %s ends the start with 78', async (_name, url, message) => {
    const { code, output } = await run('web', { DATABASE_URL: url() })
    expect(output).toMatch(message)
    expect(output).not.toMatch(/^\s+at /m)
    expect(code).toBe(78)
  })

  test('[V-01] malformed variables are listed together, before anything is made', async () => {
    const { code, output } = await run('web', {
      DATABASE_URL: 'notaurl',
      DATABASE_OWNER_URL: 'postgres://u@h:99999/d',
      PORT: '99999',
      HOST: 'a host',
      SMTP_URL: 'smtp://',
      DATA_DIR: '/dev/null/data',
    })
    const named = [...output.matchAll(/^ {2}([A-Z_]+)/gm)].map(([, name]) => name)
    expect(named.toSorted()).toEqual([
      'DATABASE_OWNER_URL',
      'DATABASE_URL',
      'DATA_DIR',
      'HOST',
      'PORT',
      'SMTP_URL',
    ])
    expect(output).not.toMatch(/^\s+at /m)
    expect(code).toBe(78)
  })

  test.each([
    ['DATABASE_URL', ['DATABASE_URL']],
    ['DATABASE_OWNER_URL', ['DATABASE_OWNER_URL']],
    ['both', ['DATABASE_URL', 'DATABASE_OWNER_URL']],
  ])('[V-01] reports a wrong password in %s for each login', async (_which, wrong) => {
    const right = { DATABASE_URL: empty.appUrl, DATABASE_OWNER_URL: empty.ownerUrl }
    const wrongly = wrong.map(name => {
      const url = new URL(right[name as keyof typeof right])
      url.password = 'wrong'
      return [name, url.href]
    })
    expect(await run('migrate', { ...right, ...Object.fromEntries(wrongly) })).toEqual({
      code: 78,
      output: wrong.map(name => `${name}: PostgreSQL refused the user or the password.\n`).join(''),
    })
  })

  test('an unknown role is named, with those that exist', async () => {
    expect(await run('server', {})).toEqual({
      code: 78,
      output: "Unknown role 'server': use web, worker, all, migrate.\n",
    })
  })
})

describe('a start waits for a database that is not there yet', () => {
  test.each(['web', 'worker', 'all', 'migrate'])(
    '[V-01] role %s says what it waits for, and a signal ends the wait',
    async role => {
      const waiting = start(role, { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c', LOG_LEVEL: 'warn' })
      await waiting.said(waits('DATABASE_URL: no PostgreSQL answers there. Is it running?'))
      waiting.child.kill('SIGTERM')
      expect(await waiting.ended()).toBe(role === 'migrate' ? 130 : 0)
    },
  )

  test.each<[string, () => string, string]>([
    [
      'an unknown host',
      () => 'postgres://a:b@no-such-host.invalid/c',
      'DATABASE_URL: its host is not known.',
    ],
    [
      'something that is not PostgreSQL',
      () => `postgres://a:b@127.0.0.1:${silentPort}/c`,
      'DATABASE_URL: PostgreSQL: the connection failed or was lost. Is it running and reachable?',
    ],
  ])('[V-01] for %s', async (_name, url, words) => {
    const waiting = start('worker', { DATABASE_URL: url() })
    await waiting.said(waits(words))
    waiting.child.kill('SIGTERM')
    expect(await waiting.ended()).toBe(0)
  })

  test('[V-01] until one answers, is migrated, writable and has a connection left', async () => {
    const later = await testDatabase({ empty: true })
    const proxy = await databaseProxy(later.ownerUrl)
    await proxy.cut()
    const worker = start('worker', { DATABASE_URL: proxy.url })
    await worker.said(waits('DATABASE_URL: no PostgreSQL answers there. Is it running?'))
    await limitSessions(later, 0)
    await proxy.mend()
    await worker.said(waits('DATABASE_URL: PostgreSQL: all its connections are taken.'))
    await limitSessions(later, -1)
    await worker.said(
      /Waiting for the database\. The database lacks \d+ migration\(s\), first 0001_roles_and_schemas\.sql\. Run: node build\/product\/main\.js migrate"/,
    )
    // Away while it becomes read-only, so that the worker does not start before.
    await proxy.cut()
    await migrate(later)
    const name = new URL(later.ownerUrl).pathname.slice(1)
    await administer(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await proxy.mend()
    await worker.said(waits('PostgreSQL: it accepts no writes (a standby, a demoted primary, '))
    await administer(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    await expect.poll(() => listeners(later.owner)).toBeGreaterThan(0)
    worker.child.kill('SIGTERM')
    expect(await worker.ended()).toBe(0)
  })

  test('[V-01] again, if the connection is lost at the last check', async () => {
    const proxy = await databaseProxy(database.appUrl)
    proxy.cutAt('"restores"', 'before')
    const worker = start('worker', { DATABASE_URL: proxy.url })
    await worker.said(waits('PostgreSQL: the connection failed or was lost.'))
    await worker.said(/The database is there/)
    await expect.poll(() => listeners(database.owner)).toBeGreaterThan(0)
    worker.child.kill('SIGTERM')
    expect(await worker.ended()).toBe(0)
  })

  test('[V-01] a wrong mode is found when it answers, and ends the start with 78', async () => {
    const proxy = await databaseProxy(database.appUrl)
    await proxy.cut()
    await database.owner.query("INSERT INTO app.installation (mode) VALUES ('demo') ON CONFLICT DO NOTHING")
    const web = start('web', {
      ...liveSettings,
      PUBLIC_URL: 'https://invest.example.com',
      DATABASE_URL: proxy.url,
    })
    await web.said(waits('DATABASE_URL: no PostgreSQL answers there. Is it running?'))
    await proxy.mend()
    expect(await web.ended()).toBe(78)
    expect(web.output()).toContain('which MODE=live never serves')
  })

  test('[V-08] a worker that finds a connection for its start only goes on when there are more', async () => {
    const crowded = await testDatabase({ own: true })
    await limitSessions(crowded, 2)
    const worker = start('worker', { DATABASE_URL: crowded.appUrl })
    await worker.said(/the job queue has lost its database/)
    await limitSessions(crowded, -1)
    await expect.poll(() => listeners(crowded.owner)).toBeGreaterThan(0)
    worker.child.kill('SIGTERM')
    expect(await worker.ended()).toBe(0)
  })
})

test('DATA_DIR and its files are readable by their owner only', async () => {
  const place = mkdtempSync(join(tmpdir(), 'probity-owner-'))
  onTestFinished(() => rmSync(place, { recursive: true }))
  chmodSync(place, 0o777)
  const dataDir = join(place, 'data')
  // PostgreSQL's user may pass through root's folder; nobody (65534) may not.
  const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c',
    PORT: '0',
  }
  const main = watch('sh', ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, MAIN, 'web'], {
    env,
    ...identity,
  })
  await main.said(waits('DATABASE_URL'))
  main.child.kill('SIGTERM')
  await main.ended()
  const modes = [dataDir, join(dataDir, 'token-secret')].map(path => statSync(path).mode & 0o777)
  expect(modes).toEqual([0o700, 0o600])
})

describe('the login that owns the tables', () => {
  const words =
    'DATABASE_OWNER_URL is for `node build/product/main.js migrate` alone. Run that with it first, then start this without it (not in .env either).\n'

  test.each(['web', 'worker', 'all'])('[V-10] role %s refuses to hold it', async role => {
    const urls = { DATABASE_URL: database.appUrl, DATABASE_OWNER_URL: database.ownerUrl }
    expect(await run(role, urls)).toEqual({ code: 78, output: words })
  })

  test.each([
    ['the owner', true],
    ['a superuser', true],
    ['the application', false],
  ])('[V-10] a worker with the login of %s says what that costs, or nothing', async (who, costs) => {
    const superuserUrl = new URL(inject('postgres').superuserUrl)
    superuserUrl.pathname = new URL(database.ownerUrl).pathname
    const urls = { 'the owner': database.ownerUrl, 'a superuser': superuserUrl.href }
    const worker = start('worker', {
      DATABASE_URL: urls[who as keyof typeof urls] ?? database.appUrl,
      LOG_LEVEL: 'warn',
    })
    // Once it listens for jobs in all lanes, the start is over.
    if (costs) await worker.said(/DATABASE_URL is a login of the owner of the books/)
    else await expect.poll(() => listeners(database.owner)).toBe(laneNames.length)
    worker.child.kill('SIGTERM')
    expect(await worker.ended()).toBe(0)
    expect(worker.output().includes('DATABASE_URL is a login of the owner of the books')).toBe(costs)
  })

  test('[V-10] a role that migrates first needs no owner if nothing is missing', async () => {
    const other = await withoutSample()
    expect(await run('migrate', { DATABASE_URL: other.ownerUrl })).toEqual({ code: 0, output: '' })
    expect(await run('migrate', { DATABASE_URL: other.appUrl })).toEqual({ code: 0, output: '' })
  })

  test('[V-10] the sample is not loaded by another login', async () => {
    const other = await testDatabase()
    expect(await run('migrate', { DATABASE_URL: other.appUrl })).toEqual({
      code: 78,
      output:
        'The sample is loaded by the login that owns the tables. Run: DATABASE_OWNER_URL=… node build/product/main.js migrate\n',
    })
  })
})

describe('roles', () => {
  test('with a single login it migrates, and probity_app owns the queue', async () => {
    const { ownerUrl, owner } = empty
    expect(await run('migrate', { DATABASE_URL: ownerUrl })).toEqual({ code: 0, output: '' })
    const worker = start('worker', { DATABASE_URL: ownerUrl })
    await expect.poll(() => sessions(owner)).toBeGreaterThan(0)
    worker.child.kill('SIGTERM')
    expect(await worker.ended()).toBe(0)
    const { rows } = await owner.query(
      "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'graphile_worker'",
    )
    expect(rows).toEqual([{ tableowner: 'probity_app' }])
  })
})

describe('a database belongs to one mode', () => {
  const firm = { ...liveSettings, PUBLIC_URL: 'https://invest.example.com' }

  test("[P-14, V-03] a live firm never serves a demonstration's database", async () => {
    const { ownerUrl } = await withoutSample()
    const sample = { DATABASE_URL: ownerUrl }
    expect(await run('migrate', sample)).toEqual({ code: 0, output: '' })
    for (const role of ['web', 'worker', 'migrate'])
      expect(await run(role, { ...firm, ...sample })).toEqual({
        code: 78,
        output:
          'DATABASE_URL: this database holds a demonstration, which MODE=live never serves. Name an empty one.\n',
      })
  }, 180_000)

  test("[P-14, V-03] a demonstration never touches a firm's database", async () => {
    const database = await testDatabase({ empty: true })
    const real = { DATABASE_URL: database.ownerUrl }
    expect(await run('migrate', { ...firm, ...real })).toEqual({ code: 0, output: '' })
    expect(await run('migrate', real)).toMatchObject({
      code: 78,
      output: expect.stringContaining("this database is a live firm's"),
    })
    const { rows } = await database.owner.query('SELECT count(*)::int AS people FROM app.users')
    expect(rows).toEqual([{ people: 0 }])
  }, 180_000)
})

describe.runIf(existsSync(BUILD))('the web role (its tests need npm run build)', () => {
  test('[X-04] it answers before its database is there: alive, not ready, with words', async () => {
    const proxy = await databaseProxy(database.appUrl)
    await proxy.cut()
    const origin = `http://127.0.0.1:${await freePort()}`
    const web = start('web', { DATABASE_URL: proxy.url, PORT: new URL(origin).port })
    await web.said(waits('DATABASE_URL: no PostgreSQL answers there. Is it running?'))
    expect((await fetch(`${origin}/api/health`)).status).toBe(200)
    const ready = await fetch(`${origin}/api/ready`)
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await ready.json()).toMatchObject({
      code: 'not_ready',
      message: 'We are starting, and wait for our database. Please try again in a moment.',
    })
    const page = await fetch(`${origin}/login`)
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('This page is not available right now')
    await proxy.mend()
    await expect.poll(async () => (await fetch(`${origin}/api/ready`)).status).toBe(200)
    expect((await fetch(`${origin}/api/plan/get-all`)).status).toBe(200)
    web.child.kill('SIGTERM')
    expect(await web.ended()).toBe(0)
  })

  test('a busy port is named and ends the start with 1', async () => {
    const { code, output } = await run('web', { DATABASE_URL: database.appUrl, PORT: String(silentPort) })
    expect(output).toBe(`Port ${silentPort} is in use. Stop what uses it, or set PORT to another one.\n`)
    expect(code).toBe(1)
  })

  test('a HOST of another machine is named and ends the start with 78', async () => {
    const { code, output } = await run('web', { DATABASE_URL: database.appUrl, HOST: '203.0.113.1' })
    expect(output).toBe('HOST 203.0.113.1 is no address of this machine.\n')
    expect(code).toBe(78)
  })

  test('SIGTERM refuses new connections, answers requests in flight, closes sessions', async () => {
    const web = start('web', { DATABASE_URL: database.appUrl })
    const [, origin = ''] = await web.said(/Listening on (http:[^"]+)/)
    const blocker = await database.owner.connect()
    await blocker.query('BEGIN; LOCK TABLE app.users')
    const answer = signIn(origin)
    await expect.poll(waitingSessions).toBe(1)
    web.child.kill('SIGTERM')
    await web.said(/"Stopping"/)
    await expect
      .poll(() => fetch(`${origin}/api/health`).catch((error: Error) => error.message))
      .toBe('fetch failed')
    await blocker.query('ROLLBACK')
    blocker.release()
    expect(await answer).toBe(401)
    expect(await web.ended()).toBe(0)
    await expect.poll(() => sessions(database.owner)).toBe(0)
  })

  test('a second signal ends it at once', async () => {
    const web = start('web', { DATABASE_URL: database.appUrl })
    const [, origin = ''] = await web.said(/Listening on (http:[^"]+)/)
    const blocker = await database.owner.connect()
    await blocker.query('BEGIN; LOCK TABLE app.users')
    const answer = signIn(origin).catch(() => 'cut off')
    await expect.poll(waitingSessions).toBe(1)
    web.child.kill('SIGTERM')
    await web.said(/"Stopping"/)
    // An immediate second signal is the same request (npm repeats the terminal's).
    web.child.kill('SIGTERM')
    await until(() => !web.child.kill('SIGTERM'))
    expect(await web.ended()).toBe(130)
    expect(await answer).toBe('cut off')
    await blocker.query('ROLLBACK')
    blocker.release()
  })
})

/** A database that has a firm already, so that no start loads the sample. */
async function withoutSample(): Promise<TestDatabase> {
  const database = await testDatabase()
  await database.owner.query(
    "INSERT INTO app.firm_profiles (mode, version, profile) VALUES ('demo', 1, $1)",
    [sampleFirm],
  )
  return database
}

/** The line of a process that waits for its database. */
function waits(words: string): RegExp {
  return new RegExp(`Waiting for the database\\. ${words.replace(/[.?()]/g, '\\$&')}`)
}

/** Limits the database's sessions from now on; -1 is no limit. */
async function limitSessions({ appUrl }: TestDatabase, sessions: number): Promise<void> {
  await administer(`ALTER DATABASE ${new URL(appUrl).pathname.slice(1)} CONNECTION LIMIT ${sessions}`)
}

function administer(statement: string): Promise<void> {
  return administerServer(inject('postgres').superuserUrl, statement)
}

/** Number of sessions of web and worker processes. */
async function sessions(owner: Pool): Promise<number> {
  const { rows } = await owner.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'probity'",
  )
  return rows[0].count
}

async function listeners(owner: Pool): Promise<number> {
  const { rows } = await owner.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%jobs:insert%'",
  )
  return rows[0].count
}

async function waitingSessions(): Promise<number> {
  const { rows } = await database.owner.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )
  return rows[0].count
}

async function signIn(origin: string): Promise<number> {
  const response = await fetch(`${origin}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'nobody@example.com', password: 'secret' }),
  })
  return response.status
}
