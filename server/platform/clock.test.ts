import type { Pool } from 'pg'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testDatabase } from '#test/support/database.ts'
import { DatabaseClock } from './clock.ts'

const database = await testDatabase()
const DAY_MS = 86_400_000
/** More than a busy machine needs for the statements of a test. */
const SLACK_MS = 60_000

const machineTime = Date.now.bind(Date)
let ahead: number
let lines: { level: number; msg: string }[]
let clock: DatabaseClock
beforeEach(() => {
  ahead = 0
  vi.spyOn(Date, 'now').mockImplementation(() => machineTime() + ahead)
  lines = []
  clock = new DatabaseClock(
    database.app,
    pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  )
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Sets the machine's clock, by milliseconds. */
const moveMachine = (milliseconds: number) => {
  ahead += milliseconds
}

async function databaseTime(): Promise<number> {
  const { rows } = await database.app.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  return rows[0]!.now.getTime()
}

test.each([DAY_MS, -DAY_MS])('tells the time of the database on a machine %i ms ahead', async by => {
  moveMachine(by)
  await clock.compare()
  expect(Math.abs(clock.now().getTime() - (await databaseTime()))).toBeLessThan(SLACK_MS)
  moveMachine(-2 * by)
  expect(Math.abs(clock.now().getTime() - (await databaseTime()))).toBeLessThan(SLACK_MS)
})

test('must not decide while the clocks differ by five seconds, and says so once', async () => {
  await clock.check()
  expect(clock.problem).toBeUndefined()
  moveMachine(2 * SLACK_MS)
  await clock.compare()
  await clock.compare()
  await expect(clock.check()).rejects.toMatchObject({ code: 'not_ready', reason: 'clock_wrong' })
  expect(clock.lost.aborted).toBe(true)
  moveMachine(-2 * SLACK_MS)
  await clock.check()
  expect(clock.problem).toBeUndefined()
  expect(clock.lost.aborted).toBe(false)
  expect(lines.map(({ level, msg }) => [level, msg.replace(/\d+ s/, 'n s')])).toEqual([
    [
      50,
      "this machine's clock is n s ahead of the database's: this process decides nothing until they agree. Set the one that is wrong (docs/operate.md, Clocks)",
    ],
    [30, "this machine's clock agrees with the database's again"],
  ])
})

test('a jump of the clock is noticed by the next check, without a comparison before', async () => {
  await clock.compare()
  moveMachine(DAY_MS)
  await expect(clock.check()).rejects.toMatchObject({ reason: 'clock_wrong' })
})

test('a wait for the right clock ends with it, or at the signal', async () => {
  await clock.regained(new AbortController().signal)
  moveMachine(DAY_MS)
  await clock.compare()
  const stopped = new AbortController()
  const waits = [clock.regained(new AbortController().signal), clock.regained(stopped.signal)]
  stopped.abort()
  await waits[1]
  moveMachine(-DAY_MS)
  await clock.compare()
  await waits[0]
})

test('a difference that the round trip can explain is no reason to stop', async () => {
  /** The database's answer takes a second and a half. */
  const slow = {
    connect: async () => {
      const client = await database.app.connect()
      const query = async (text: string) => {
        const answer = await client.query(text)
        await client.query('SELECT pg_sleep(1.5)')
        return answer
      }
      return { query, release: () => client.release() }
    },
  } as unknown as Pool
  const behindSlow = new DatabaseClock(slow, pino({ level: 'silent' }))
  moveMachine(4_500)
  await behindSlow.compare()
  expect(behindSlow.problem).toBeUndefined()
})
