import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DEFINITIONS_FILE } from '#server/ledger/check-definitions.ts'
import { testDatabase } from '#test/support/database.ts'
import { releaseDefinitions } from './release-definitions.ts'

test('the definitions of the release are those of the migrated database', async () => {
  const { owner } = await testDatabase()
  const kept = readFileSync(DEFINITIONS_FILE, 'utf8')
  expect(kept, 'run npm run db:types').toBe(await releaseDefinitions(owner))
})
