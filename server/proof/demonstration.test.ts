import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pino from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { seedDemo } from '#server/demo/seed.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { systemClock } from '#server/platform/clock.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { testDatabase } from '#test/support/database.ts'
import { writeLog } from './epochs.ts'
import { publishTo } from './folder.ts'

/** The demonstration's months as they are published. */

let services: Services
let folder: string
let epochs: number | null
beforeAll(async () => {
  const database = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'probity-proof-'))
  atEnd(() => rmSync(folder, { recursive: true }))
  const config = { ...loadConfig({ TOKEN_SECRET: 'x'.repeat(32) }), dataDir: folder }
  const log = pino({ level: 'error' })
  services = { config, pool: database.app, db: database.db, clock: systemClock, log }
  await seedDemo(database.ownerUrl, services)
  await sealBooks(services)
  epochs = await writeLog(services)
  await publishTo(services.pool, join(folder, 'proof'))
})

test("the demonstration's past has an epoch for each day", async () => {
  expect(epochs).toBeGreaterThan(200)
  expect(readdirSync(join(folder, 'proof/epochs'))).toHaveLength(epochs!)
  const { rows } = await services.pool.query(
    'SELECT count(*) AS left FROM ledger.transactions t WHERE NOT EXISTS (SELECT FROM ledger.log WHERE transaction_id = t.id)',
  )
  expect(rows[0].left).toBe(0n)
})

test('publishing again writes nothing, and what was published stays', async () => {
  const before = readFileSync(join(folder, 'proof/checkpoint'), 'utf8')
  expect(await publishTo(services.pool, join(folder, 'proof'))).toBe(0)
  expect(readFileSync(join(folder, 'proof/checkpoint'), 'utf8')).toBe(before)
})

test('a stranger who verifies it finds nothing wrong', async () => {
  const verifier = join(import.meta.dirname, '../../verifier/verify.mjs')
  const args = [verifier, join(folder, 'proof'), '--json', '--state', join(folder, 'state')]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { holds, failures, missing, epochs: verified } = JSON.parse(stdout)
  expect({ holds, failures, missing, count: verified.count }).toEqual({
    holds: true,
    failures: [],
    missing: [],
    count: epochs,
  })
})
