import type { CompiledQuery } from 'kysely'
import type pg from 'pg'

/**
 * The rows of a query, batch by batch, all as of one moment: a cursor of the database in a transaction that only reads. The next
 * batch is fetched when it is asked for, so what cannot be sent is not read. Meanwhile a connection of the pool is taken; if
 * nobody asks for longer than a transaction may idle, the database ends it, and the next batch is an error.
 */
export async function* batchesOf<Row>(
  pool: pg.Pool,
  { sql, parameters }: CompiledQuery<Row>,
  size: number,
): AsyncGenerator<Row[]> {
  const session = await pool.connect()
  let fault: Error | undefined
  try {
    await session.query('BEGIN TRANSACTION READ ONLY')
    await session.query(`DECLARE batches NO SCROLL CURSOR FOR ${sql}`, [...parameters])
    for (;;) {
      const { rows } = await session.query(`FETCH ${size} FROM batches`)
      if (rows.length > 0) yield rows as Row[]
      if (rows.length < size) return
    }
  } catch (error) {
    fault = error as Error
    throw error
  } finally {
    // Given back as it was; a connection that has failed is closed instead.
    await session.query('ROLLBACK').catch(error => {
      fault ??= error as Error
    })
    session.release(fault)
  }
}
