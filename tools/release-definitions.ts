import type { Pool } from 'pg'
import { readDefinitions } from '#server/ledger/definitions.ts'

/** The definitions of a migrated database as `db/definitions.json` keeps them for the release. */
export async function releaseDefinitions(pool: Pool): Promise<string> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    return `${JSON.stringify(await readDefinitions(client), null, 2)}\n`
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}
