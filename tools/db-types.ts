import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '#server/platform/database/migrate.ts'
import { openPool } from '#server/platform/database/pool.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { startTemporaryPostgres } from '#test/support/temporary-postgres.ts'
import { schemaTypes } from './schema-types.ts'

/** npm run db:types: writes the types of the tables in db/migrations/. */
async function main(): Promise<void> {
  const { ownerUrl, appUrl, stop } = await startTemporaryPostgres('types')
  try {
    await migrate({ ownerUrl, appUrl })
    const pool = openPool({ url: ownerUrl, as: 'owner', name: 'probity types' })
    const types = await schemaTypes(pool)
    await pool.end()
    writeFileSync(join(import.meta.dirname, '../server/platform/database/schema.ts'), types)
  } finally {
    await stop()
  }
}

await main().catch(reportEnd)
