import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineTask, enqueue, priorities } from '#server/platform/queue.ts'

/** One email, ready to send. */
export const mail = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  /** Reply-To, if not the sender. */
  replyTo: z.string().optional(),
  /** ISO time after which the email is useless (a code, a link) and is not sent. */
  usefulUntil: z.string().optional(),
})
export type Mail = z.output<typeof mail>

export const sendMail = defineTask('send_mail', mail)

/**
 * Queues an email in the transaction that causes it: it is sent after the commit, or never. Codes and links, which
 * expire, come before other emails.
 */
export async function queueMail(tx: Kysely<Schema>, mail: Mail): Promise<void> {
  await enqueue(
    tx,
    sendMail,
    mail,
    null,
    mail.usefulUntil === undefined ? priorities.usual : priorities.first,
  )
}
