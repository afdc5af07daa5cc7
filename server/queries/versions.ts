import { sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import { stateRefusals } from './messages.ts'

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
