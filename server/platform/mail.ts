import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Schema } from './database/schema.ts'
import { defineTask, enqueue } from './queue.ts'

/**
 * An e-mail in the product's own terms; words only, as plain text. Greeting, signature and markup are the same on
 * every letter and are added when it is sent (server/jobs/mail).
 */
export const letter = z.object({
  to: z.string(),
  /** The addressee's name, for the greeting. */
  name: z.string().optional(),
  subject: z.string(),
  paragraphs: z.array(z.string()),
  /** A code to type, shown large. */
  code: z.string().optional(),
  /** The one thing to do. */
  action: z.object({ label: z.string(), url: z.string() }).optional(),
  /** What was written by somebody else, shown as a quotation. */
  quotation: z.string().optional(),
  /** Where an answer goes, if not to the sender. */
  replyTo: z.string().optional(),
  /** ISO time after which the letter is of no use (a code, a link) and is not sent any more. */
  usefulUntil: z.string().optional(),
})
export type Letter = z.output<typeof letter>

export const sendMail = defineTask('send_mail', letter)

/** Queues a letter in the transaction that causes it. */
export async function mail(tx: Kysely<Schema>, letter: Letter): Promise<void> {
  await enqueue(tx, sendMail, letter)
}
