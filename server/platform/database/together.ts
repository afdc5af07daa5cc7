import { type RawBuilder, sql } from 'kysely'

/**
 * One statement that does all of these, in one round trip and in no particular order: none may depend on another one. Only the last one
 * may be a query.
 * @param statements at least one
 */
export function together(statements: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const last = statements.at(-1)!
  if (statements.length === 1) return last
  const others = statements.slice(0, -1).map((statement, n) => sql`${sql.ref(`s${n}`)} AS (${statement})`)
  return sql`WITH ${sql.join(others)} ${last}`
}
