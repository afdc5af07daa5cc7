import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Config, loadConfig } from '#server/config.ts'
import { StartupError } from '#server/platform/startup-error.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { type Part, serve } from './serve.ts'

let database: TestDatabase
let config: Config
const folder = mkdtempSync(join(tmpdir(), 'probity-serve-'))

beforeAll(async () => {
  database = await testDatabase()
  config = {
    ...loadConfig({ DATA_DIR: folder }),
    database: { appUrl: database.appUrl, poolerUrl: null, readUrl: null },
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A part that records its start and stop, and that the database answers at both. */
function noting(name: string, notes: string[]): Part {
  return async ({ pool }, life) => {
    await pool.query('SELECT 1')
    notes.push(`start ${name}`)
    await life.own(async () => {
      await pool.query('SELECT 1')
      notes.push(`stop ${name}`)
    })
  }
}

function start(parts: Part[]) {
  return serve({ config, log: pino({ level: 'silent' }), prepares: false, parts, say: () => {} })
}

async function sessions(): Promise<number> {
  const { rows } = await database.owner.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'probity'",
  )
  return rows[0].count
}

describe('a process', () => {
  test('stops its parts in reverse order with the database up, and closes connections', async () => {
    const notes: string[] = []
    const running = await start([noting('jobs', notes), noting('web', notes)])
    expect(await sessions()).toBeGreaterThan(0)
    await running.stop()
    expect(notes).toEqual(['start jobs', 'start web', 'stop web', 'stop jobs'])
    await expect.poll(sessions).toBe(0)
  })

  test('stops what had started when a part cannot start', async () => {
    const notes: string[] = []
    const refusing: Part = async () => {
      throw new StartupError('Port 1 is in use.')
    }
    await expect(start([noting('jobs', notes), refusing])).rejects.toThrow('Port 1 is in use.')
    expect(notes).toEqual(['start jobs', 'stop jobs'])
    await expect.poll(sessions).toBe(0)
  })

  test('a part that fails to stop keeps no other from stopping, and is reported', async () => {
    const notes: string[] = []
    const failing: Part = (_services, life) => life.own(() => Promise.reject(new Error('does not stop')))
    const running = await start([noting('jobs', notes), failing])
    await expect(running.stop()).rejects.toThrow('does not stop')
    expect(notes).toEqual(['start jobs', 'stop jobs'])
    await expect.poll(sessions).toBe(0)
  })
})
