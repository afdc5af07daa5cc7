import type { CompiledQuery } from 'kysely'
import type pg from 'pg'

/**
 * The rows of queries, one after the other, in batches and in one snapshot: database cursors in a read-only transaction. Each
 * batch is fetched on request, so nothing is read that cannot be sent. It holds a pooled connection; if the reader pauses for
 * longer than a transaction may idle, the database ends it and the next batch fails.
 */
export async function* batchesOf<Row>(
  pool: pg.Pool,
  queries: Iterable<CompiledQuery<Row>>,
  size: number,
): AsyncGenerator<Row[]> {
  const session = await pool.connect()
  let failure: Error | undefined
  try {
    await session.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
    for (const { sql, parameters } of queries) {
      await session.query(`DECLARE batches NO SCROLL CURSOR FOR ${sql}`, [...parameters])
      for (;;) {
        const { rows } = await session.query(`FETCH ${size} FROM batches`)
        if (rows.length > 0) yield rows as Row[]
        if (rows.length < size) break
      }
      await session.query('CLOSE batches')
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
