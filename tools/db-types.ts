import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFINITIONS_FILE } from '#server/ledger/check-definitions.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { openPool } from '#server/platform/database/pool.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { startTemporaryPostgres } from '#test/support/temporary-postgres.ts'
import { releaseDefinitions } from './release-definitions.ts'
import { schemaTypes } from './schema-types.ts'

/** npm run db:types: writes the types of the tables in db/migrations/, and the definitions of all that they make. */
async function main(): Promise<void> {
  const { ownerUrl, appUrl, stop } = await startTemporaryPostgres('types')
  try {
    await migrate({ ownerUrl, appUrl })
    const pool = openPool({ url: ownerUrl, as: 'owner', name: 'probity types' })
    const types = await schemaTypes(pool)
    const definitions = await releaseDefinitions(pool)
    await pool.end()
    writeFileSync(join(import.meta.dirname, '../server/platform/database/schema.ts'), types)
    writeFileSync(DEFINITIONS_FILE, definitions)
  } finally {
    await stop()
  }
}

await main().catch(reportEnd)
