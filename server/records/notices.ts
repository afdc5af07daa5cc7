import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

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

/** Queues an e-mail about a record; it is sent after the transaction, if that is committed. */
export async function notify(tx: Kysely<Schema>, notice: Notice, id: string): Promise<void> {
  await sql`SELECT graphile_worker.add_job('notify', ${JSON.stringify({ notice, id })}::json)`.execute(tx)
}
