import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testDatabase } from '#test/support/database.ts'
import { lockKeys } from './lock-keys.ts'

test('each purpose has its own advisory lock, database functions included', async () => {
  const keys = Object.values(lockKeys)
  expect(new Set(keys).size).toBe(keys.length)
  const { owner } = await testDatabase()
  const { rows } = await owner.query(`
    SELECT p.oid::regproc::text AS name, taken.key[1]::integer AS key
      FROM pg_proc p, regexp_matches(p.prosrc, 'advisory_\\w*lock\\w*\\((\\d+)', 'g') AS taken (key)
     WHERE p.pronamespace IN ('ledger'::regnamespace, 'app'::regnamespace)
     ORDER BY 1`)
  expect(rows).toEqual([
    { name: 'ledger.collect_leaves', key: lockKeys.seals },
    { name: 'ledger.fold_statements', key: lockKeys.statements },
    { name: 'ledger.take_snapshots', key: lockKeys.snapshots },
  ])
})

test('no lock is taken by a number that stands elsewhere', () => {
  const root = join(import.meta.dirname, '../../..')
  const sources = globSync('{server,tools}/**/*.ts', { cwd: root })
  const numbered = sources.filter(path => /\b7_?762_?4\d\d\b/.test(readFileSync(join(root, path), 'utf8')))
  expect(numbered).toEqual(['server/platform/database/lock-keys.ts'])
})
