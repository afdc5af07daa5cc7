import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { ListQuery } from '#shared/contract/define.ts'
import { stateRefusals } from './messages.ts'
import { countOf, type Listed, listed } from './paging.ts'

/** What the firm manages in versions. */
export type Versioned = 'firm' | 'plans' | 'statistics'

/** Serialises changes to one of these, so that versions have no gaps. */
export async function lockVersions(tx: Tx, of: Versioned): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`versions of ${of}`}, 0))`.execute(tx)
}

/** True if the database found a duplicate name: it folds letters that JavaScript distinguishes. */
export function isTaken(error: unknown, uniqueIndex: string): boolean {
  return (error as { constraint?: unknown }).constraint === uniqueIndex
}

/** @throws AppError changed_meanwhile if someone else created a version since the caller read it */
export function requireLatest(latest: number, seen: number | undefined, what: string): void {
  if (seen === undefined || seen === latest) return
  throw stateRefusals.error({ reason: 'changed_meanwhile', what })
}

/**
 * Versions of one thing, newest first, paged by their numbers.
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
