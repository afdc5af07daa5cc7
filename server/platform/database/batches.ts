import type { CompiledQuery } from 'kysely'
import type pg from 'pg'

/**
 * A query's rows in batches, in one snapshot: a database cursor in a read-only transaction. Each batch is fetched on
 * request, so nothing is read that cannot be sent. It holds a pooled connection; if the reader pauses for longer than a
 * transaction may idle, the database ends it and the next batch fails.
 */
export async function* batchesOf<Row>(
  pool: pg.Pool,
  { sql, parameters }: CompiledQuery<Row>,
  size: number,
): AsyncGenerator<Row[]> {
  const session = await pool.connect()
  let failure: Error | undefined
  try {
    await session.query('BEGIN TRANSACTION READ ONLY')
    await session.query(`DECLARE batches NO SCROLL CURSOR FOR ${sql}`, [...parameters])
    for (;;) {
      const { rows } = await session.query(`FETCH ${size} FROM batches`)
      if (rows.length > 0) yield rows as Row[]
      if (rows.length < size) return
    }
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // Returned as it was; a failed connection is closed instead.
    await session.query('ROLLBACK').catch(error => {
      failure ??= error as Error
    })
    session.release(failure)
  }
}
