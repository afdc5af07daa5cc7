import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type Pool } from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { embeddedUrl } from '#server/embedded/embedded.ts'
import { laneNames } from '#server/jobs/lanes.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { listening } from '#test/support/listening.ts'
import { isAlive, until, type Watched, watch } from '#test/support/processes.ts'
import { freePort } from '#tools/free-port.ts'
import { MAIN } from '#tools/product-build.ts'
import { Lifetime } from './lifetime.ts'

/** Real processes of the built server: whatever ends one, at any moment, ends it completely. */
let folder: string
let started: Watched[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probity-lifetime-'))
  // Root's PostgreSQL runs as another user, who must pass through.
  chmodSync(folder, 0o711)
  started = []
})
afterEach(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL')
    await ended()
  }
  rmSync(folder, { recursive: true, force: true })
})

function start(role: string, environment: NodeJS.ProcessEnv, ...options: string[]): Watched {
  const env = { PATH: process.env.PATH, DATA_DIR: join(folder, 'data'), PORT: '0', ...environment }
  const watched = watch(process.execPath, [...options, MAIN, role], { env })
  started.push(watched)
  return watched
}

const urlsOf = ({ appUrl }: TestDatabase) => ({ DATABASE_URL: appUrl })
const withOwner = ({ appUrl, ownerUrl }: TestDatabase) => ({
  DATABASE_URL: appUrl,
  DATABASE_OWNER_URL: ownerUrl,
})

/** Number of other sessions in its database. */
async function sessions(owner: Pool): Promise<number> {
  const { rows } = await owner.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name NOT LIKE 'probity test%'",
  )
  return rows[0].count
}

/** True once every lane has begun to listen: graphile-worker warns of a stop in between. */
const isAtWork = async (owner: Pool) => {
  const { rowCount } = await owner.query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%jobs:insert%' AND state = 'idle'",
  )
  return rowCount === laneNames.length
}

describe('an error ends a process with all its parts, with 1 and one line', () => {
  test('[V-08] a queue that stops unexpectedly', async () => {
    const database = await testDatabase()
    const worker = start('worker', { ...urlsOf(database), LOG_LEVEL: 'error' })
    await until(() => isAtWork(database.owner))
    // A notification of graphile-worker's next release to processes of this one.
    await database.owner.query(`NOTIFY "worker:migrate", '{"breaking": true, "migrationNumber": 99}'`)
    expect(await worker.ended()).toBe(1)
    expect(worker.output()).toBe(
      'The job queue has stopped unexpectedly; the log says why ("part":"queue").\n',
    )
    await expect.poll(() => sessions(database.owner)).toBe(0)
  })

  test('[V-08] a rejection that nobody handles', async () => {
    const database = await testDatabase()
    const defect = `process.on('SIGUSR2', () => Promise.reject(new TypeError('a defect')))`
    const worker = start('worker', urlsOf(database), '--import', `data:text/javascript,${defect}`)
    await until(() => isAtWork(database.owner))
    worker.child.kill('SIGUSR2')
    expect(await worker.ended()).toBe(1)
    const lines = worker.output().trim().split('\n')
    expect(lines.filter(line => !line.startsWith('{'))).toEqual([
      'Ended by a defect: TypeError: a defect. The log has its stack.',
    ])
    expect(lines.join()).toMatch(/"level":60.+"stack":"TypeError: a defect\\n/)
    await expect.poll(() => sessions(database.owner)).toBe(0)
  })

  test.each([
    ['all', 'PORT'],
    ['worker', 'METRICS_PORT'],
  ])('[V-08] of role %s a %s that is taken', async (role, name) => {
    const database = await testDatabase()
    const { port } = new URL(await listening((_request, response) => void response.end()))
    const login = { DATABASE_URL: role === 'all' ? database.ownerUrl : database.appUrl }
    const all = start(role, { ...login, [name]: port, LOG_LEVEL: 'error' })
    expect(await all.ended()).toBe(1)
    // The queue's library, stopped while it begins to listen, sends two queries at once, which pg remarks upon in brackets.
    const said = all.output().replace(/^\(.*\n/gm, '')
    expect(said).toBe(`Port ${port} is in use. Stop what uses it, or set ${name} to another one.\n`)
    await expect.poll(() => sessions(database.owner)).toBe(0)
  })

  test('[V-08] an embedded database that is gone and cannot be started again', async () => {
    const all = start('all', { PORT: `${await freePort()}`, LOG_LEVEL: 'info' })
    await all.said(/Listening on/, 120_000)
    // A job that cannot report its end would end the process, too.
    await jobsDone(embeddedUrl(join(folder, 'data'), 'app'))
    const data = join(folder, 'data/postgres/data')
    const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    renameSync(data, `${data}.lost`)
    process.kill(postmaster, 'SIGKILL')
    expect(await all.ended()).toBe(1)
    const words = all
      .output()
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('{'))
    expect(words).toEqual([expect.stringMatching(/^The embedded PostgreSQL is lost: /)])
    expect(isAlive(postmaster)).toBe(false)
  }, 180_000)
})

test('[X-04] a killed embedded database comes back: 503 for a moment, and jobs go on', async () => {
  const all = start('all', { PORT: `${await freePort()}` })
  const [, origin = ''] = await all.said(/Listening on (http:[^"]+)/, 120_000)
  const url = embeddedUrl(join(folder, 'data'), 'app')
  await jobsDone(url)
  const pidFile = join(folder, 'data/postgres/data/postmaster.pid')
  process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGKILL')
  const answers: string[] = []
  await until(async () => {
    const { status, headers } = await fetch(`${origin}/api/plan/get-all`)
    answers.push(`${status}, retry after ${headers.get('retry-after')}`)
    return answers.length > 1 && status === 200
  })
  const refusals = answers.filter(answer => !answer.startsWith('200'))
  expect(refusals.length).toBeGreaterThan(0)
  for (const refusal of refusals) expect(refusal).toMatch(/^503, retry after \d+$/)
  await queueJob(url)
  await jobsDone(url)
  expect(embeddedUrl(join(folder, 'data'), 'app')).toBe(url)
  all.child.kill('SIGTERM')
  expect(await all.ended()).toBe(0)
}, 180_000)

describe('a signal ends a start', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '[V-08] %s while the start waits for its database',
    async signal => {
      const database = await testDatabase()
      const holder = await database.owner.connect()
      await holder.query('BEGIN; LOCK TABLE app.installation')
      const worker = start('worker', { ...urlsOf(database), LOG_LEVEL: 'error' })
      await until(async () => (await waiting(database.owner)) === 1)
      worker.child.kill(signal)
      expect(await worker.ended()).toBe(0)
      expect(worker.output()).toBe('')
      await holder.query('ROLLBACK')
      holder.release()
      // PostgreSQL notices that its client is gone once its statement has ended.
      await expect.poll(() => sessions(database.owner)).toBe(0)
    },
  )

  test('[V-08] SIGTERM while a migration waits: nothing was done, and the exit code says so', async () => {
    const database = await testDatabase({ empty: true })
    const holder = new Client({ connectionString: database.ownerUrl })
    await holder.connect()
    await holder.query('SELECT pg_advisory_lock($1)', [lockKeys.migration])
    const migration = start('migrate', { ...withOwner(database), LOG_LEVEL: 'error' })
    await until(async () => {
      const { rowCount } = await database.owner.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_try_advisory_lock%'",
      )
      return rowCount === 1
    })
    migration.child.kill('SIGTERM')
    expect(await migration.ended()).toBe(130)
    expect(migration.output()).toBe('Interrupted\n')
    await holder.end()
  })

  test('[V-08] SIGTERM while the sample is loaded leaves none of it', async () => {
    const database = await testDatabase()
    const migration = start('migrate', withOwner(database))
    await until(async () => {
      const { rowCount } = await database.owner.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'probity sample'",
      )
      return rowCount === 1
    })
    migration.child.kill('SIGTERM')
    expect(await migration.ended()).toBe(130)
    const { rows } = await database.owner.query('SELECT count(*)::int AS people FROM app.users')
    expect(rows).toEqual([{ people: 0 }])
  })
})

describe('too many connections', () => {
  test('[V-09] requests answer 503 with words, the log has advice and no stack', async () => {
    const database = await testDatabase()
    const web = start('web', urlsOf(database))
    const [, origin = ''] = await web.said(/Listening on (http:[^"]+)/)
    await limitSessions(database, 0)
    // A pooled connection that was just ended has another refusal; it is over when the pool has lost them all.
    const refused = async () => {
      const response = await fetch(`${origin}/api/plan/get-all`)
      return { retryAfter: response.headers.get('retry-after'), ...((await response.json()) as object) }
    }
    await expect.poll(refused).toMatchObject({
      code: 'not_ready',
      message:
        'Too many requests are waiting for our database. Nothing was changed. Please try again in a moment.',
      retryAfter: '5',
    })
    const [line = ''] = await web.said(/.*"code":"53300".*/)
    expect(line).toContain('Raise max_connections, or lower DATABASE_CONNECTIONS')
    expect(line).not.toContain('"stack"')
    await limitSessions(database, -1)
    await expect.poll(async () => (await fetch(`${origin}/api/plan/get-all`)).status).toBe(200)
    web.child.kill('SIGTERM')
    expect(await web.ended()).toBe(0)
  })
})

async function queueJob(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("SELECT graphile_worker.add_job('stamp_checkpoints', '{}')")
  await client.end()
}

async function jobsDone(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await until(
    async () => (await client.query('SELECT FROM graphile_worker.jobs WHERE run_at <= now()')).rowCount === 0,
  )
  await client.end()
}

/** Limits the database's sessions from now on and ends the current ones; -1 is no limit. */
async function limitSessions({ appUrl }: TestDatabase, limit: number): Promise<void> {
  const client = new Client({ connectionString: inject('postgres').superuserUrl })
  await client.connect()
  const name = new URL(appUrl).pathname.slice(1)
  await client.query(`ALTER DATABASE ${name} CONNECTION LIMIT ${limit}`)
  await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
  await client.end()
}

async function waiting(owner: Pool): Promise<number> {
  const { rows } = await owner.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )
  return rows[0].count
}

test('[V-08] the log has every part that could not be closed, and the others are closed', async () => {
  const life = new Lifetime()
  const lines: { err: { message: string } }[] = []
  life.log = pino({}, { write: line => lines.push(JSON.parse(line)) })
  const closed: string[] = []
  await life.own(() => Promise.reject(new Error('the database')))
  await life.own(async () => void closed.push('the port'))
  await life.own(() => Promise.reject(new Error('the worker')))
  await expect(life.end()).rejects.toThrow('the worker')
  expect(lines.map(({ err }) => err.message)).toEqual(['the worker', 'the database'])
  expect(closed).toEqual(['the port'])
})
