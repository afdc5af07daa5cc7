import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testDatabase } from '#test/support/database.ts'
import { schemaTypes } from './schema-types.ts'

test('the types of the tables are those of the migrated database', async () => {
  const { owner } = await testDatabase()
  const kept = readFileSync(join(import.meta.dirname, '../server/platform/database/schema.ts'), 'utf8')
  expect(kept, 'run npm run db:types').toBe(await schemaTypes(owner))
})
