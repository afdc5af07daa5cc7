import { setTimeout as delay } from 'node:timers/promises'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { loadConfig } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openPool } from '#server/platform/database/pool.ts'
import { createLogger } from '#server/platform/logger.ts'
import { defineTask, enqueue } from '#server/platform/queue.ts'
import { Lifetime } from '#server/process/lifetime.ts'
import { testDatabase } from '#test/support/database.ts'
import { databaseProxy } from '#test/support/database-proxy.ts'
import { until } from '#test/support/processes.ts'
import { job } from './job.ts'
import { rescueAbandonedJobs } from './rescue.ts'
import { startWorker } from './runner.ts'

const database = await testDatabase()
const services: Services = {
  config: loadConfig({ TOKEN_SECRET: 'x'.repeat(32) }),
  pool: database.app,
  db: database.db,
  clock: systemClock,
  log: pino({ level: 'silent' }),
}

/** A task that records its payload, and the worker that does it. */
async function noting(name: string, work: (text: string) => Promise<void> = async () => {}) {
  const task = defineTask(name, z.object({ text: z.string() }))
  const done: string[] = []
  const start = async () => {
    const run = async ({ text }: { text: string }) => {
      await work(text)
      done.push(text)
    }
    const life = new Lifetime()
    onTestFinished(() => life.end())
    await startWorker(services, life, { jobs: [job(task, run)], rescueEveryMs: 50 })
    return life
  }
  return { task, done, start }
}

async function waiting(name: string): Promise<number> {
  const { rows } = await database.app.query<{ count: bigint }>(
    'SELECT count(*) FROM graphile_worker.jobs WHERE task_identifier = $1',
    [name],
  )
  return Number(rows[0]?.count)
}

test('a job is done after its transaction is committed, and never where that is undone', async () => {
  const { task, done, start } = await noting('note_commit')
  await start()
  const undone = database.db.transaction().execute(async tx => {
    await enqueue(tx, task, { text: 'undone' })
    throw new Error('changed my mind')
  })
  await expect(undone).rejects.toThrow('changed my mind')
  await database.db.transaction().execute(tx => enqueue(tx, task, { text: 'committed' }))
  await until(() => done.length > 0)
  expect(done).toEqual(['committed'])
})

test('two workers share the jobs and do each once', async () => {
  const { task, done, start } = await noting('note_shared')
  await Promise.all([start(), start()])
  const texts = Array.from({ length: 60 }, (_, index) => `${index}`)
  await Promise.all(texts.map(text => enqueue(database.db, task, { text })))
  await until(async () => (await waiting('note_shared')) === 0)
  expect(done.toSorted()).toEqual(texts.toSorted())
})

test('a job that fails is tried again', async () => {
  let tries = 0
  const { task, done, start } = await noting('note_retry', async () => {
    tries += 1
    if (tries === 1) throw new Error('not this time')
  })
  await start()
  await enqueue(database.db, task, { text: 'again' })
  await until(() => done.length > 0)
  expect(tries).toBe(2)
})

test("a job's error is stored without its message, which may name a person", async () => {
  const { task, start } = await noting('note_words', () => {
    return Promise.reject(Object.assign(new Error('no such user: eve@example.com'), { code: 'EENVELOPE' }))
  })
  await start()
  await enqueue(database.db, task, { text: '' })
  const lastError = async () => {
    const { rows } = await database.app.query<{ last_error: string | null }>(
      "SELECT last_error FROM graphile_worker.jobs WHERE task_identifier = 'note_words'",
    )
    return rows[0]?.last_error ?? null
  }
  await until(async () => (await lastError()) !== null)
  expect(await lastError()).toContain('EENVELOPE')
  expect(await lastError()).not.toContain('eve@example.com')
})

test('the jobs of a worker that was killed are done by another at once', async () => {
  const { task, done, start } = await noting('note_rescue')
  await enqueue(database.db, task, { text: 'left behind' })
  await database.app.query(
    `UPDATE graphile_worker._private_jobs SET locked_by = 'worker-gone', locked_at = now()
      WHERE payload ->> 'text' = 'left behind'`,
  )
  await start()
  await until(() => done.length > 0)
  expect(done).toEqual(['left behind'])
})

test('the job of a worker that lives stays its own, however long it takes', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let begun = 0
  const { task, done, start } = await noting('note_long', () => {
    begun += 1
    return released
  })
  await Promise.all([start(), start()])
  await enqueue(database.db, task, { text: 'long' })
  await until(() => begun > 0)
  // Many checks for dead workers happen meanwhile; only time can be waited for.
  await delay(1000)
  expect(begun).toBe(1)
  release()
  await until(() => done.length > 0)
})

test('a stop finishes the running job', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let begun = 0
  const { task, done, start } = await noting('note_stop', () => {
    begun += 1
    return released
  })
  const life = await start()
  await enqueue(database.db, task, { text: 'in flight' })
  await until(() => begun > 0)
  const stopped = life.end()
  release()
  await stopped
  expect(done).toEqual(['in flight'])
  expect(await waiting('note_stop')).toBe(0)
})

test('a worker that lost its connection reports its heartbeat over another one', async () => {
  const proxy = await databaseProxy(database.appUrl)
  const pool = openPool({ url: proxy.url, as: 'app', name: 'probity test' })
  const rescue = rescueAbandonedJobs(pool, services.log, 50, { answerMs: 300 })
  onTestFinished(async () => {
    await rescue.stop()
    await pool.end()
  })
  rescue.claim('worker-silent')
  const holders = async () => {
    const { rows } = await database.owner.query<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory'
          AND objid = (hashtext('worker-silent')::bigint & 4294967295)::oid`,
    )
    return rows.map(({ pid }) => pid)
  }
  await until(async () => (await holders()).length > 0)
  const [first] = await holders()
  proxy.fallSilent()
  proxy.recover()
  // The database notices the end of the first connection long after the worker has reconnected.
  await until(async () => {
    const { rows } = await database.owner.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'probity worker' AND datname = current_database()",
    )
    return rows.some(({ pid }) => pid !== first)
  })
  await database.owner.query('SELECT pg_terminate_backend($1)', [first])
  await until(async () => (await holders()).some(pid => pid !== first))
})

test('the last failed attempt logs an error with the job name and stays queued', async () => {
  const lines: string[] = []
  const log = createLogger('error', { write: line => void lines.push(line) })
  const task = defineTask('note_hopeless', z.object({}))
  const fail = () => Promise.reject(new Error('never'))
  const life = new Lifetime()
  onTestFinished(() => life.end())
  await startWorker({ ...services, log }, life, { jobs: [job(task, fail)] })
  await database.app.query("SELECT graphile_worker.add_job('note_hopeless', '{}', max_attempts => 1)")
  await until(() => lines.length > 0)
  expect(JSON.parse(lines[0]!)).toMatchObject({ task: 'note_hopeless', try: 1, msg: 'job failed for good' })
  expect(await waiting('note_hopeless')).toBe(1)
})
