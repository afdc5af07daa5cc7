import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineTask, enqueue, enqueueAll } from '#server/platform/queue.ts'
import { type MoneyNotice, moneyNoticeKinds } from '#shared/notifications.ts'
import { addNotifications } from './queries.ts'

/** What people are told by e-mail about money and messages; the id beside it is that record's, of a reply its own. */
export const notices = [
  ...moneyNoticeKinds,
  'withdrawal.requested',
  'contact.received',
  'contact.replied',
] as const
export type Notice = (typeof notices)[number]

export const sendNotice = defineTask('notify', z.object({ notice: z.enum(notices), id: z.string() }))

/** Queues an e-mail about a record; it is sent after the transaction, if that is committed. */
export async function queueNotice(tx: Kysely<Schema>, notice: Notice, id: string): Promise<void> {
  await enqueue(tx, sendNotice, { notice, id })
}

/** Tells a record's owner what has happened to it: by a notification in his pages and, if he wants it, an e-mail. */
export async function notify(
  tx: Tx,
  kind: MoneyNotice,
  { id, user_id }: { id: string; user_id: string },
  at: Date,
): Promise<void> {
  await notifyAll(tx, kind, [{ id, user_id }], at)
}

/** The same for the owners of several records. */
export async function notifyAll(
  tx: Tx,
  kind: MoneyNotice,
  records: readonly { id: string; user_id: string }[],
  at: Date,
): Promise<void> {
  const happened = records.map(({ id, user_id }) => ({ kind, userId: user_id, subjectId: id, at }))
  await addNotifications(tx, happened)
  await enqueueAll(
    tx,
    sendNotice,
    records.map(({ id }) => ({ notice: kind, id })),
  )
}
