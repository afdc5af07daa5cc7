import { type RawBuilder, sql } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Tx } from '#server/context.ts'
import type { Column, Row } from './columns.ts'

/** Rows in memory at a time. */
export const ROWS_AT_ONCE = 100

/** Whose archive, and the snapshot that all of it is read in. */
export type Source = { tx: Tx; userId: string; now: Date; config: Config }

/** One table of the archive: `data/name.json` and `data/name.csv`. */
export type ArchiveTable = {
  name: string
  /** What its rows are, in plain words. */
  about: () => string
  /** The tables of the database that it shows, as far as they are about the person. */
  shows: readonly string[]
  columns: Readonly<Record<string, Column>>
  rows: (source: Source) => AsyncIterable<Row[]>
}

/** The rows of a statement, in batches: by a database cursor, one at a time. */
export function rowsOf(statement: (userId: string) => RawBuilder<Row>): ArchiveTable['rows'] {
  return async function* ({ tx, userId }) {
    await sql`DECLARE archive_rows NO SCROLL CURSOR FOR ${statement(userId)}`.execute(tx)
    for (;;) {
      const { rows } = await sql<Row>`FETCH ${sql.lit(ROWS_AT_ONCE)} FROM archive_rows`.execute(tx)
      if (rows.length > 0) yield rows
      if (rows.length < ROWS_AT_ONCE) break
    }
    await sql`CLOSE archive_rows`.execute(tx)
  }
}
