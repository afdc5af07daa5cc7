import type { Kysely } from 'kysely'
import { historyOf } from '#server/audit/history.ts'
import type { Caller } from '#server/context.ts'
import { linesOfReferences } from '#server/ledger/statement.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { StatementLine, Trail } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { msg, translate } from '#shared/i18n/t.ts'
import { may } from '#shared/roles.ts'
import { presentLines } from './lines.ts'

/**
 * A record that the caller may see: their own, or any for staff.
 * @param what the record's name: 'deposit'
 * @throws AppError forbidden if it is not the caller's, whether it exists or not (D8); not_found for staff
 */
export function requireOwn<Row extends { user_id: string }>(
  row: Row | undefined,
  { userId, role }: Caller,
  what: keyof typeof refusals,
): Row {
  const { notOwn, notFound } = refusals[what]
  if (!may(role, 'console') && row?.user_id !== userId) throw new AppError('forbidden', translate(notOwn))
  // Only staff are told.
  if (!row) throw new AppError('not_found', translate(notFound))
  return row
}

const refusals = {
  deposit: { notOwn: msg('You can only see your own deposits'), notFound: msg('Deposit not found') },
  withdrawal: { notOwn: msg('You can only see your own withdrawals'), notFound: msg('Withdrawal not found') },
  investment: { notOwn: msg('You can only see your own investments'), notFound: msg('Investment not found') },
  earning: { notOwn: msg('You can only see your own earnings'), notFound: msg('Earning not found') },
}

/**
 * The postings and history of some records of one user, as far as the viewer may see them. Another user's postings need the
 * right to the books and are empty without it.
 * @param isOwn selects postings; all by default
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
  const presented = await presentLines(db, lines)
  const entries = presented.map(line => ({ ...line, description: translate(line.description) }))
  return { entries: entries.filter(isOwn), history }
}
