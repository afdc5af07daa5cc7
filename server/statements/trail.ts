import type { Kysely } from 'kysely'
import { historyOf } from '#server/audit/history.ts'
import type { Caller } from '#server/context.ts'
import { linesOfReferences } from '#server/ledger/statement.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { StatementLine, Trail } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { may } from '#shared/roles.ts'
import { presentLines } from './lines.ts'

/**
 * A record that the caller may see: his own, or any for staff.
 * @param what its name: 'deposit'
 * @throws AppError forbidden where it is not one's own, whether it is there or not (D8); not_found for staff
 */
export function requireOwn<Row extends { user_id: string }>(
  row: Row | undefined,
  { userId, role }: Caller,
  what: string,
): Row {
  if (!may(role, 'console') && row?.user_id !== userId) {
    throw new AppError('forbidden', `You can see your own ${what}s only`)
  }
  if (!row) throw new AppError('not_found', `There is no such ${what}`)
  return row
}

/**
 * The postings of some records of one user and what has happened to them, as the viewer may see it: the postings of others
 * need the right to the books, and are none without it.
 * @param isOwn which of the postings count; all by default
 */
export async function trailOf(
  db: Kysely<Schema>,
  { ids, ownerId }: { ids: string[]; ownerId: string },
  viewer: Caller,
  isOwn: (line: Pick<StatementLine, 'event' | 'reference'>) => boolean = () => true,
): Promise<Trail> {
  const isShown = viewer.userId === ownerId || may(viewer.role, 'books')
  const [lines, history] = await Promise.all([
    isShown ? linesOfReferences(db, ids) : [],
    historyOf(db, ids, viewer),
  ])
  const entries = await presentLines(db, lines)
  return { entries: entries.filter(isOwn), history }
}
