import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'

/** One event of an account in words of the current language, for the bell and for the email. */
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

export const notYou = msg("Wasn't you? Set a new password now and contact us.")

/** An event of the account itself: its headline is also its text. The texts are named by `msg`. */
export function accountEvent(
  headline: string,
  details: string[],
  advice: string = notYou,
): Template<{ id: string }> {
  return ({ id }) => ({
    userId: id,
    headline: translate(headline),
    text: `${translate(headline)}.`,
    details: [...details, advice].map(text => translate(text)),
  })
}

export function accountsById(db: Db, ids: string[]): Promise<{ id: string }[]> {
  return db.selectFrom('app.users').select('id').where('id', 'in', ids).execute()
}

const released = {
  principal: {
    available: msg('Your principal is available on your balance.'),
    repaid: msg('Your principal repaid what you owed for reversed deposits. None of it is left over.'),
  },
  funding: {
    available: msg('Any money held or received for it is available on your balance.'),
    repaid: msg(
      'Any money held or received for it repaid what you owed for reversed deposits. None of it is left over.',
    ),
  },
  amount: {
    available: msg('The amount is available on your balance.'),
    repaid: msg('The amount repaid what you owed for reversed deposits. None of it is left over.'),
  },
  earning: {
    available: msg('It is available on your balance.'),
    repaid: msg('It repaid what you owed for reversed deposits. None of it is left over.'),
  },
}

/** Where released money went: on the balance, except for the part that repaid a debt. */
export function whereReleased(
  what: keyof typeof released,
  { amount_cents, recovered_cents }: { amount_cents: bigint; recovered_cents: bigint },
): string {
  if (recovered_cents === 0n) return translate(released[what].available)
  const left = amount_cents - recovered_cents
  if (left === 0n) return translate(released[what].repaid)
  return t(
    '{recovered} of it repaid what you owed for reversed deposits. The other {left} is available on your balance.',
    { recovered: localUsd(recovered_cents), left: localUsd(left) },
  )
}
