import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { formatUsd } from '#shared/money.ts'

/** One event of an account in words, for the bell and for the email. */
export type NotificationText = {
  /** Whose account. */
  userId: string
  /** The email's subject. */
  headline: string
  /** What happened, in a sentence, with the exact amount. */
  text: string
  /** A reason, a source, what to do. */
  details: string[]
  /** Paragraphs that only the email has: the text of our reply. */
  letter?: string[]
  /** The record to open, if it is not the event's own. */
  subject?: string
}

export type Db = Kysely<Schema>
export type Template<Row> = (row: Row, now: Date) => NotificationText

/** The templates of one kind of record, by event, and how its rows are read. */
export type RecordTemplates<Row, EventName extends string> = {
  load: (db: Db, ids: string[]) => Promise<Row[]>
  events: Record<EventName, Template<Row>>
}
export function recordTemplates<Row extends { id: string }, EventName extends string>(
  of: RecordTemplates<Row, EventName>,
) {
  return of
}

export const notYou = "Wasn't you? Set a new password now and contact us."

/** An event of the account itself: its headline is also its text. */
export function accountEvent(headline: string, details: string[], advice = notYou): Template<{ id: string }> {
  return ({ id }) => ({ userId: id, headline, text: `${headline}.`, details: [...details, advice] })
}

export function accountsById(db: Db, ids: string[]): Promise<{ id: string }[]> {
  return db.selectFrom('app.users').select('id').where('id', 'in', ids).execute()
}

/** Where released money went: on the balance, except for the part that repaid a debt. */
export function whereReleased(
  what: string,
  { amount_cents, recovered_cents }: { amount_cents: bigint; recovered_cents: bigint },
): string {
  if (recovered_cents === 0n) return `${what} is available on your balance.`
  const left = amount_cents - recovered_cents
  if (left === 0n) return `${what} repaid what you owed for reversed deposits. None of it is left over.`
  return `${formatUsd(recovered_cents)} of it repaid what you owed for reversed deposits. The other ${formatUsd(left)} is available on your balance.`
}
