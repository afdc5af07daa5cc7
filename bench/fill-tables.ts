import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** Users computed at a time, so that their chains fit into memory. */
const BATCH = 20_000

/** Records of each user: deposits, an investment, a withdrawal, an earning. */
export const RECORDS_OF_A_USER = 5

/**
 * Fills a migrated database with users, five records each, and their postings (fill-tables.sql).
 * @param options.url of the superuser: triggers and foreign keys are off during the inserts
 * @param options.done called with the number of users so far
 * @throws Error if the books do not verify afterwards
 */
export async function fillTables(options: {
  url: string
  users: number
  admin: string
  done?: (users: number) => void
}): Promise<void> {
  const { url, users, admin, done } = options
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`SET session_replication_role = replica; SET synchronous_commit = off; SET work_mem = '256MB';
                        SET timezone = 'UTC'`)
    await client.query(readFileSync(join(import.meta.dirname, 'fill-tables.sql'), 'utf8'))
    await client.query(
      `INSERT INTO load.scale
       SELECT $1, date_trunc('day', now()) - interval '1095 days', id, $2,
              (SELECT id FROM app.users WHERE type = 'admin' AND id <> $2)
         FROM app.plan_versions WHERE current ORDER BY position LIMIT 1`,
      [users, admin],
    )
    await client.query('CALL load.returns()')
    for (let from = 1; from <= users; from += BATCH) {
      const to = Math.min(users, from + BATCH - 1)
      await client.query(`CALL load.people(${from}, ${to})`)
      await client.query('ANALYZE load.person')
      await client.query('CALL load.records()')
      await client.query('CALL load.legs()')
      await client.query('ANALYZE load.leg')
      await client.query('CALL load.postings()')
      done?.(to)
    }
    await client.query('CALL load.spend()')
    await client.query('DROP SCHEMA load CASCADE')
    await client.query('VACUUM (ANALYZE)')
    await client.query('CHECKPOINT')
    await verify(client)
  } finally {
    await client.end()
  }
}

/** Checks every invariant of the books. */
async function verify(client: pg.Client): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  const { rows } = await client.query<{ ok: boolean; checks: { name: string; faults: number }[] }>(
    'SELECT ok, checks FROM ledger.check_books()',
  )
  await client.query('COMMIT')
  const broken = rows[0]!.checks.filter(({ faults }) => faults > 0)
  if (!rows[0]!.ok) throw new Error(`the books do not verify: ${JSON.stringify(broken).slice(0, 2000)}`)
}
