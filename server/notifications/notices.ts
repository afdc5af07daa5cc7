import type { Kysely, RawBuilder } from 'kysely'
import { z } from 'zod'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { together } from '#server/platform/database/together.ts'
import { defineTask, enqueue, enqueueAll, priorities } from '#server/platform/queue.ts'
import {
  type CancelNotice,
  type CheckNotice,
  checkNotices,
  type MatchNotice,
  type MoneyNotice,
  matchNotices,
  moneyNoticeKinds,
} from '#shared/notifications.ts'
import { addNotification, insertNotifications } from './queries.ts'

/** Emails about money and messages. A notice's id is the record's; for a reply or a further message, its own. */
export const notices = [
  ...moneyNoticeKinds,
  'withdrawal.requested',
  'withdrawal.cancelled',
  'message.replied',
  ...checkNotices,
  ...matchNotices,
  'terms.changed',
  'contact.received',
  'contact.followed',
  'contact.replied',
] as const
export type Notice = (typeof notices)[number]
/** Those about an account's record; the others are about letters to the firm. */
export type RecordNotice = Exclude<Notice, `contact.${string}`>

const aboutRecord = z.object({ notice: z.enum(notices), id: z.string() })
export type AboutRecord = z.output<typeof aboutRecord>

export const sendNotice = defineTask('notify', aboutRecord)
/** About money that is about to leave: cannot be turned off, and never waits for other notices. */
export const sendSecurityNotice = defineTask('notify_security', aboutRecord)

/** Queues an email about a record; it is sent only if the transaction commits. */
export async function queueNotice(tx: Kysely<Schema>, notice: Notice, id: string): Promise<void> {
  await enqueue(tx, sendNotice, { notice, id })
}

/** Notifies a record's owner of an event: in the bell and, unless they turned it off, by email. */
export async function notify(
  tx: Tx,
  kind: MoneyNotice,
  { id, user_id }: { id: string; user_id: string },
  at: Date,
): Promise<void> {
  await notifyAll(tx, kind, [{ id, user_id }], at)
}

/** The same for the owners of several records, in one statement. */
export async function notifyAll(
  tx: Tx,
  kind: MoneyNotice,
  records: readonly { id: string; user_id: string }[],
  at: Date,
): Promise<void> {
  await together(noticesOf(kind, records, at)).execute(tx)
}

/** Notifies of a cancelled request: in the bell and, as it is about money that was to leave, of a withdrawal also by email. */
export async function notifyCancelled(
  tx: Tx,
  kind: CancelNotice,
  { id, user_id: userId }: { id: string; user_id: string },
  at: Date,
): Promise<void> {
  await addNotification(tx, { kind, userId, subjectId: id, at })
  if (kind === 'withdrawal.cancelled') await enqueue(tx, sendSecurityNotice, { notice: kind, id })
}

/** Notifies an investor of our reply, with its text in the email. */
export async function notifyReplied(
  tx: Tx,
  { id, user_id: userId }: { id: string; user_id: string },
  at: Date,
): Promise<void> {
  await addNotification(tx, { kind: 'message.replied', userId, subjectId: id, at })
  await queueNotice(tx, 'message.replied', id)
}

/** Notifies an investor of what became of a proof, in the bell and by email. */
export async function notifyOfCheck(
  tx: Tx,
  kind: CheckNotice,
  { id, user_id: userId }: { id: string; user_id: string },
  at: Date,
): Promise<void> {
  await addNotification(tx, { kind, userId, subjectId: id, at })
  await queueNotice(tx, kind, id)
}

/** Notifies an investor of why they have to prove more, or no longer have to, in the bell and by email. */
export async function notifyOfMatch(
  tx: Tx,
  kind: MatchNotice,
  { id, user_id: userId }: { id: string; user_id: string },
  at: Date,
): Promise<void> {
  await addNotification(tx, { kind, userId, subjectId: id, at })
  await queueNotice(tx, kind, id)
}

/** Notifies investors of changed terms, in the bell and by email. */
export async function notifyOfTerms(tx: Tx, userIds: readonly string[], at: Date): Promise<void> {
  const kind = 'terms.changed'
  const events = userIds.map(id => ({ kind, userId: id, subjectId: id, at }) as const)
  const jobs = enqueueAll(
    sendNotice,
    userIds.map(id => ({ notice: kind, id }) as const),
  )
  await together([insertNotifications(events), jobs]).execute(tx)
}

/**
 * The statements of `notifyAll`, the last ones of an act's `together`.
 * @param acts how many acts are done together; only one with several records sends mass email
 */
export function noticesOf(
  kind: MoneyNotice,
  records: readonly { id: string; user_id: string }[],
  at: Date,
  acts = 1,
): RawBuilder<unknown>[] {
  const events = records.map(({ id, user_id }) => ({ kind, userId: user_id, subjectId: id, at }))
  const jobs = enqueueAll(
    sendNotice,
    records.map(({ id }) => ({ notice: kind, id })),
    acts === 1 && records.length > 1 ? priorities.mass : priorities.usual,
  )
  return [insertNotifications(events), jobs]
}
