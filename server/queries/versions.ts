import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { ListQuery } from '#shared/contract/define.ts'
import { stateRefusals } from './messages.ts'
import { countOf, type Listed, listed } from './paging.ts'

/** What the firm manages version by version. */
export type Versioned = 'firm' | 'plans' | 'statistics'

/** Of those who change one of these each waits for the one before, so that versions follow each other without a gap. */
export async function lockVersions(tx: Tx, of: Versioned): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`versions of ${of}`}, 0))`.execute(tx)
}

/** Whether the database found two of one name: it knows letters that JavaScript tells apart. */
export function isTaken(error: unknown, uniqueIndex: string): boolean {
  return (error as { constraint?: unknown }).constraint === uniqueIndex
}

/** @throws AppError changed_meanwhile if someone else created a version since the caller read it */
export function requireLatest(latest: number, seen: number | undefined, what: string): void {
  if (seen === undefined || seen === latest) return
  throw stateRefusals.error({ reason: 'changed_meanwhile', what })
}

/**
 * Versions of one thing, the newest first, paged by their numbers.
 * @param matching selects nothing yet
 */
export function listedVersions<DB, TB extends keyof DB, Row extends { version: number }>(
  db: Kysely<Schema>,
  filter: Pick<ListQuery, 'limit' | 'cursor'>,
  matching: SelectQueryBuilder<DB, TB, object>,
  read: (limit: number, below: number | undefined) => Promise<Row[]>,
): Promise<Listed<Row & { id: string }>> {
  return listed(filter, {
    rows: async (limit, below) => {
      const rows = await read(limit, below === undefined ? undefined : Number(below))
      return rows.map(row => ({ ...row, id: String(row.version) }))
    },
    count: mostMs => countOf(db, matching, mostMs),
    isId: text => /^\d{1,9}$/.test(text),
  })
}
