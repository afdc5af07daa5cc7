import type { Pool } from 'pg'
import type { TestDatabase } from './database.ts'

/**
 * Rows read so far from tables with these names, by all sessions. Sessions report their reads late, so each is made to
 * do so first.
 * @param more further pools of the test
 */
export async function rowsRead({ app, owner }: TestDatabase, tables: string[], more: Pool[] = []) {
  for (const pool of [app, owner, ...more]) {
    const sessions = Array.from({ length: pool.options.max }, () =>
      pool.query('SELECT pg_stat_force_next_flush()'),
    )
    await Promise.all(sessions)
  }
  const { rows } = await owner.query<{ read: string }>(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS read FROM pg_stat_user_tables WHERE relname = ANY ($1)`,
    [tables],
  )
  return Number(rows[0]!.read)
}
