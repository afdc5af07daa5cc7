import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { signup } from '#shared/contract/accounts.ts'
import { listPlans } from '#shared/contract/plans.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { until, watch } from '#test/support/processes.ts'
import { freePort } from '#tools/free-port.ts'
import { MAIN } from '#tools/product-build.ts'

/** Real processes of the built server, on machines whose clocks are wrong. */

const SHIFT = join(import.meta.dirname, '../../test/support/shifted-clock.mjs')
const DAY_MS = 86_400_000

let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
  await database.db.transaction().execute(tx => loadFirm(tx, new Date()))
})

/** A process on a machine of its own. */
async function start(role: 'web' | 'worker', aheadMs: number) {
  const folder = mkdtempSync(join(tmpdir(), 'probity-clocks-'))
  const file = join(folder, 'ahead')
  /** Sets the machine's clock, at once. */
  const setClock = (milliseconds: number) => {
    writeFileSync(`${file}.next`, String(milliseconds))
    renameSync(`${file}.next`, file)
  }
  setClock(aheadMs)
  const metricsPort = await freePort()
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: database.appUrl,
    CLOCK_AHEAD_FILE: file,
  }
  const { child, said, ended } = watch(process.execPath, ['--import', SHIFT, MAIN, role], { env })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended()
    rmSync(folder, { recursive: true, force: true })
  })
  const offset = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    return Number(/^probity_clock_offset_seconds (\S+)$/m.exec(text)?.[1])
  }
  return { said, setClock, offset }
}

async function ask<T>(statement: string): Promise<T> {
  const { rows } = await database.owner.query(`SELECT (${statement}) AS value`)
  return rows[0].value
}

/** The process goes on with what decides nothing: two of its marks later it has had time for everything else. */
async function twoBeats(): Promise<void> {
  const beat = () => ask<number>('SELECT coalesce(max(beat), 0) FROM app.machines')
  const before = Number(await beat())
  await until(async () => Number(await beat()) >= before + 2)
}

const queueEmail = () =>
  database.owner.query(`SELECT graphile_worker.add_job('send_mail',
    '{"to": "ada@example.com", "subject": "s", "text": "t", "html": "h"}')`)
const emails = () => ask<bigint>('SELECT count(*) FROM app.mailbox')
const readings = () => ask<bigint>('SELECT count(*) FROM app.price_readings')
const newestReading = () =>
  ask<number>('SELECT extract(epoch FROM max(at) - now())::float8 FROM app.price_readings')
const furthestJob = () =>
  ask<number>('SELECT extract(epoch FROM max(run_at) - now())::float8 FROM graphile_worker.jobs')

describe.each([
  ['ahead of', DAY_MS],
  ['behind', -DAY_MS],
])('a worker on a machine a day %s its database', (direction, aheadMs) => {
  test('says so, does no job, and goes on once the clock is right', async () => {
    const worker = await start('worker', aheadMs)
    await worker.said(new RegExp(`"level":50,.*this machine's clock is 86400 s ${direction} the database's`))
    expect(Math.round((await worker.offset()) / 60)).toBe(aheadMs / 60_000)
    await queueEmail()
    await twoBeats()
    expect([await emails(), await readings()]).toEqual([0n, 0n])
    worker.setClock(0)
    await worker.said(/this machine's clock agrees with the database's again/)
    await until(async () => (await emails()) === 1n && (await readings()) > 0n)
    expect(Math.abs(await worker.offset())).toBeLessThan(5)
  })
})

test('a clock a day ahead for a moment stops no schedule, and dates nothing tomorrow', async () => {
  const worker = await start('worker', 0)
  await until(async () => (await readings()) > 0n)
  worker.setClock(DAY_MS)
  await worker.said(/ahead of the database's/)
  await queueEmail()
  await twoBeats()
  const tries = "SELECT attempts FROM graphile_worker.jobs WHERE task_identifier = 'send_mail'"
  expect(await ask<number>(tries)).toBe(0)
  await database.owner.query('DELETE FROM app.price_readings')
  worker.setClock(0)
  await worker.said(/agrees with the database's again/)
  await until(async () => (await readings()) > 0n)
  // Every scheduled job waits, for a time within a day.
  const waiting = () => ask<bigint>("SELECT count(*) FROM graphile_worker.jobs WHERE key LIKE 'cron %'")
  await until(async () => (await waiting()) > 10n)
  expect(await furthestJob()).toBeLessThanOrEqual(86_400)
  expect(await newestReading()).toBeLessThanOrEqual(0)
})

test('a web process a day ahead acts not, says why at /api/ready, and shows pages', async () => {
  const web = await start('web', DAY_MS)
  const [, origin = ''] = await web.said(/Listening on (http:[^"]+)/)
  await web.said(/86400 s ahead of the database's/)
  const register = () =>
    fetch(`${origin}/api${signup.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Dora',
        email: 'dora@example.com',
        phone: '+61 400 000 000',
        country: 'Australia',
        password: 'correct horse',
      }),
    })
  const ready = () => fetch(`${origin}/api/ready`)
  const refused = await ready()
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({
    code: 'not_ready',
    message: "Not deciding: this machine's clock is 86400 s ahead of the database's",
  })
  const answer = await register()
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ code: 'not_ready', reason: 'clock_wrong' })
  expect((await fetch(`${origin}/api${listPlans.path}`)).status).toBe(200)
  web.setClock(0)
  await until(async () => (await ready()).status === 200)
  expect((await register()).status).toBeLessThan(300)
  // A jump is noticed by the next act, before any comparison that is due.
  web.setClock(-DAY_MS)
  await until(async () => (await register()).status === 503)
})
