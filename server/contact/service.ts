import { sql } from 'kysely'
import type { RequestContext, Tx } from '#server/context.ts'
import { queueNotice } from '#server/notifications/notices.ts'
import { firstIdAt, newId } from '#server/platform/id.ts'
import { languageNow } from '#shared/i18n/language.ts'

export type ContactBody = {
  name: string
  email: string
  subject: string
  message: string
  website?: string | undefined
}

/** An equal message within this time is a second press of the button; the page works without a script that could stop it. */
const REPEAT_SECONDS = 60

/** Stores a message and emails it to the firm (P-11). A filled honeypot gets the same answer and stores nothing. */
export async function receiveMessage(
  tx: Tx,
  { services }: RequestContext,
  { website, ...message }: ContactBody,
): Promise<void> {
  if (website) return
  const now = services.clock.now()
  if (await wasJustSent(tx, message, now)) return
  const id = newId(now)
  await tx
    .insertInto('app.contact_messages')
    .values({ ...message, id, language: languageNow(), created_at: now })
    .execute()
  await queueNotice(tx, 'contact.received', id)
}

/** Serialises equal messages, so that of parallel ones only the first is stored. */
async function wasJustSent(tx: Tx, message: Omit<ContactBody, 'website'>, now: Date): Promise<boolean> {
  const { name, email, subject, message: text } = message
  const lock = JSON.stringify([name, email, subject, text])
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx)
  const sent = await tx
    .selectFrom('app.contact_messages')
    .select('id')
    // Ids begin with their time, so the primary key serves as the index.
    .where('id', '>', firstIdAt(new Date(now.getTime() - REPEAT_SECONDS * 1000)))
    .where('name', '=', name)
    .where('email', '=', email)
    .where('subject', '=', subject)
    .where('message', '=', text)
    .executeTakeFirst()
  return sent !== undefined
}
