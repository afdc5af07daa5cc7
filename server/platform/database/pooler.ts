import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'
import { refusedStart, requireConnection } from './logins.ts'
import { allowNames, openPool } from './pool.ts'

/**
 * Checks the way of a web process through a pooler in transaction mode.
 * @param direct a pool on the same database without it
 * @returns true if the pooler keeps prepared statements for its clients
 * @throws StartupError (exit 78) if it must be corrected; PassingError if a retry can help
 */
export async function requirePooler(
  url: string,
  direct: Pool,
  { signal, log }: { signal: AbortSignal; log: Pick<Logger, 'info'> },
): Promise<boolean> {
  const pool = openPool({ url, as: 'app', name: 'probity start', max: 1, direct, signal })
  try {
    await requireConnection(pool, 'DATABASE_URL', 'app')
    const [behind, itself] = [await databaseOf(pool), await databaseOf(direct)]
    if (behind !== itself)
      throw new StartupError(
        'DATABASE_URL: leads to another database than DIRECT_DATABASE_URL. Let the pooler lead to the same one.',
        EXIT_CONFIG,
      )
    const keeps = await keepsStatements(pool)
    log.info({ preparedStatements: keeps }, 'DATABASE_URL leads through a pooler')
    return keeps
  } catch (error) {
    throw error instanceof StartupError ? error : refusedStart('DATABASE_URL', error)
  } finally {
    await pool.end()
  }
}

/** Names a database and its server. @throws DatabaseError from a standby */
async function databaseOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT concat_ws(' ', app.this_server(), oid) AS name FROM pg_database WHERE datname = current_database()",
  )
  return rows[0]!.name
}

/**
 * A pooler that supports prepared statements gives them names of its own (PgBouncer 1.21 and newer, with
 * max_prepared_statements); another one forwards ours, which the next transaction may not find.
 */
async function keepsStatements(pool: Pool): Promise<boolean> {
  const session = await pool.connect()
  try {
    allowNames(pool)
    await session.query('BEGIN')
    const { rows } = await session.query({
      name: 'probity_start',
      text: 'SELECT name FROM pg_prepared_statements WHERE name = $1',
      values: ['probity_start'],
    })
    if (rows.length > 0) await session.query('DEALLOCATE probity_start')
    await session.query('COMMIT')
    return rows.length === 0
  } catch (error) {
    // duplicate_prepared_statement: left by somebody who was interrupted right here.
    if ((error as { code?: unknown }).code === '42P05') return false
    throw error
  } finally {
    session.release(true)
  }
}
