import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { loadConfig } from '#server/config.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { createLogger } from '#server/platform/logger.ts'
import { queueRestarts } from '#server/platform/metrics.ts'
import { defineTask, enqueue } from '#server/platform/queue.ts'
import { Lifetime } from '#server/process/lifetime.ts'
import { testDatabase } from '#test/support/database.ts'
import { databaseProxy } from '#test/support/database-proxy.ts'
import { until } from '#test/support/processes.ts'
import { job } from './job.ts'
import { startWorker } from './runner.ts'

const database = await testDatabase()

/** pino's level; debug is below. */
const INFO = 30

/** A worker whose database can be cut, and its log at the levels that operators read. */
async function worker(name: string, work: (text: string) => Promise<void>, { isCut = false } = {}) {
  const proxy = await databaseProxy(database.appUrl)
  if (isCut) await proxy.cut()
  return { ...proxy, ...(await workerOn(proxy.url, name, work)) }
}

async function workerOn(url: string, name: string, work: (text: string) => Promise<void>) {
  const pool = openPool({ url, as: 'app', name: 'probity test' })
  const lines: string[] = []
  const log = createLogger('debug', {
    write(line) {
      const { level, msg } = JSON.parse(line)
      if (level >= INFO) lines.push(msg)
    },
  })
  const config = loadConfig({ TOKEN_SECRET: 'x'.repeat(32) })
  const services = { config, pool, db: openDatabase(pool), clock: systemClock, log }
  const task = defineTask(name, z.object({ text: z.string() }))
  const life = new Lifetime()
  onTestFinished(async () => {
    await life.end()
    await pool.end()
  })
  await startWorker(services, life, { jobs: [job(task, ({ text }) => work(text))], rescueEveryMs: 50 })
  const queue = (text: string) => enqueue(database.db, task, { text })
  return { lines, life, queue }
}

const restarts = async () => (await queueRestarts.get()).values[0]!.value
const said = (lines: string[], words: RegExp) => lines.filter(line => words.test(line))

async function waiting(name: string): Promise<number> {
  const { rows } = await database.app.query('SELECT FROM graphile_worker.jobs WHERE task_identifier = $1', [
    name,
  ])
  return rows.length
}

test('a worker that starts before its database does its jobs once that is there', async () => {
  const done: string[] = []
  const note = async (text: string) => void done.push(text)
  const { queue, mend, lines } = await worker('note_early', note, { isCut: true })
  await queue('early')
  await until(() => said(lines, /^the job queue has lost its database/).length > 0)
  await mend()
  await until(() => done.length > 0)
  await until(() => said(lines, /^the job queue goes on$/).length > 0)
  expect(done).toEqual(['early'])
})

test('a job whose end cannot be written is done again, and others after it', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const begun: string[] = []
  const { queue, cut, mend, lines } = await worker('note_cut', async text => {
    begun.push(text)
    if (begun.length === 1) await released
  })
  await queue('first')
  await until(() => begun.length > 0)
  const before = await restarts()
  await cut()
  release()
  await until(async () => (await restarts()) > before)
  await mend()
  await until(() => begun.length > 1)
  await queue('second')
  await until(async () => (await waiting('note_cut')) === 0)
  expect(begun).toEqual(['first', 'first', 'second'])
  expect(said(lines, /^the job queue has lost its database/)).toHaveLength(1)
})

test('a job that was locked when its answer got lost is done by another runner', async () => {
  const proxy = await databaseProxy(database.appUrl)
  const task = defineTask('note_unanswered', z.object({ text: z.string() }))
  await enqueue(database.db, task, { text: 'locked' })
  proxy.cutAt('skip locked', 'after')
  const done: string[] = []
  await workerOn(proxy.url, 'note_unanswered', async text => void done.push(text))
  await until(async () => (await waiting('note_unanswered')) === 0)
  expect(done).toEqual(['locked'])
})

test('a job whose end was not reported is done again, though its runner waits for ever', async () => {
  const proxy = await databaseProxy(database.appUrl)
  const slow = ['slow 1', 'slow 2', 'slow 3'].map(text => ({ text, ...Promise.withResolvers<void>() }))
  const begun: string[] = []
  const { queue, lines } = await workerOn(proxy.url, 'note_unreported', async text => {
    begun.push(text)
    await slow.find(one => one.text === text)?.promise
  })
  for (const { text } of slow) await queue(text)
  await until(() => begun.length === slow.length)
  proxy.cutAt('delete from', 'before')
  await queue('unreported')
  await until(() => said(lines, /^Failed to complete jobs/).length > 0)
  // graphile-worker miscounts by each report that works after one that failed.
  for (const [done, { resolve }] of slow.entries()) {
    resolve()
    await until(async () => (await waiting('note_unreported')) <= slow.length - done)
  }
  await until(async () => (await waiting('note_unreported')) === 0)
  expect(begun.slice(slow.length)).toEqual(['unreported', 'unreported'])
})

test('a stop while the listening connection breaks ends the worker without a defect', async () => {
  const proxy = await databaseProxy(database.appUrl)
  proxy.cutAt('LISTEN "jobs:insert"', 'never')
  const { life } = await workerOn(proxy.url, 'note_listening', async () => {})
  await until(async () => {
    const { rows } = await database.owner.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN "jobs:insert"%'`,
    )
    return rows.length > 0
  })
  const ended = life.end()
  proxy.breakConnections()
  // A second release of the connection would be an unhandled rejection, which fails the run.
  await ended
})

test('an outage is one line of the log, and its end another', async () => {
  const done: string[] = []
  const { queue, cut, mend, lines } = await worker('note_lines', async text => void done.push(text))
  await queue('before')
  await until(async () => done.length > 0 && (await waiting('note_lines')) === 0)
  const begun = await restarts()
  await cut()
  await until(async () => (await restarts()) > begun + 2)
  await mend()
  await queue('after')
  await until(() => done.includes('after'))
  await until(() => said(lines, /^checks for abandoned jobs again/).length > 0)
  await until(() => said(lines, /^the job queue goes on$/).length > 0)
  await until(() => said(lines, /^database notifications arrive again$/).length > 0)
  expect(lines.toSorted()).toEqual([
    'checks for abandoned jobs again',
    'could not check for abandoned jobs',
    'database notifications arrive again',
    'no connection for database notifications; trying until there is one',
    'the job queue goes on',
    'the job queue has lost its database; it goes on when that is back',
  ])
})

test('a stop during an outage ends the worker', async () => {
  const { cut, lines, life } = await worker('note_stop_cut', async () => {})
  await until(
    async () =>
      (
        await database.app.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%jobs:insert%'",
        )
      ).rowCount === 1,
  )
  await cut()
  await until(() => said(lines, /^the job queue has lost its database/).length > 0)
  await life.end()
})
