import { sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import { type Changed, stateRefusals } from './messages.ts'

/** What the firm manages in versions. */
export type Versioned = 'answers' | 'firm' | 'plans' | 'policies' | 'statistics'

/** Serialises changes to one of these, so that versions have no gaps. */
export async function lockVersions(tx: Tx, of: Versioned): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`versions of ${of}`}, 0))`.execute(tx)
}

/** True if the database found a duplicate name: it folds letters that JavaScript distinguishes. */
export function isTaken(error: unknown, uniqueIndex: string): boolean {
  return (error as { constraint?: unknown }).constraint === uniqueIndex
}

/** @throws AppError changed_meanwhile if someone else created a version since the caller read it */
export function requireLatestVersion(latest: number, seen: number | undefined, what: Changed): void {
  if (seen === undefined || seen === latest) return
  throw stateRefusals.error({ reason: 'changed_meanwhile', what })
}
