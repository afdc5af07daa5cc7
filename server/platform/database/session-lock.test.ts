import { beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { until } from '#test/support/processes.ts'
import { openPool } from './pool.ts'
import { underSessionLock } from './session-lock.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})

const lock = { name: 'probity lock test', lock: [1, 2] }

/** Process ids of the sessions that hold the lock, or wait for the next. */
async function sessions(where = ''): Promise<number[]> {
  const { rows } = await database.owner.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'probity lock test' ${where}`,
  )
  return rows.map(({ pid }) => pid)
}

test('works under a lock follow each other in one session', async () => {
  const first = await underSessionLock(database.app, lock, () => sessions())
  expect(first).toHaveLength(1)
  expect(await underSessionLock(database.app, lock, () => sessions())).toEqual(first)
})

test('a second process gets nothing until the work has ended, also by an error', async () => {
  const other = openPool({ url: database.appUrl, as: 'app', name: 'probity test', max: 1 })
  try {
    const failing = underSessionLock(database.app, lock, async () => {
      expect(await underSessionLock(other, lock, async () => 'done')).toBe(undefined)
      throw new Error('failed')
    })
    await expect(failing).rejects.toThrow('failed')
    await expect.poll(() => underSessionLock(other, lock, async () => 'done')).toBe('done')
  } finally {
    await other.end()
  }
})

test('work whose session was lost fails, and the next one gets a new session', async () => {
  const lost = underSessionLock(database.app, lock, async () => {
    const [pid] = await sessions("AND state = 'idle' AND query LIKE '%pg_try_advisory_lock%'")
    await database.owner.query('SELECT pg_terminate_backend($1, 10000)', [pid])
    return 'done'
  })
  await expect(lost).rejects.toThrow()
  await until(async () => (await underSessionLock(database.app, lock, async () => 'done')) === 'done')
})
