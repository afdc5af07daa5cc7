import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineTask, enqueue } from '#server/platform/queue.ts'

/** What people are told by e-mail about money and messages; the id beside it is that record's. */
export const notices = [
  'deposit.approved',
  'deposit.declined',
  'deposit.unpaid',
  'investment.approved',
  'investment.closed',
  'investment.declined',
  'withdrawal.requested',
  'withdrawal.approved',
  'withdrawal.declined',
  'withdrawal.paid',
  'earning.paid',
  'contact.received',
] as const
export type Notice = (typeof notices)[number]

export const sendNotice = defineTask('notify', z.object({ notice: z.enum(notices), id: z.string() }))

/** Queues an e-mail about a record; it is sent after the transaction, if that is committed. */
export async function notify(tx: Kysely<Schema>, notice: Notice, id: string): Promise<void> {
  await enqueue(tx, sendNotice, { notice, id })
}
