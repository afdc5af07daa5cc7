import type { RequestContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { notify } from '#server/records/notices.ts'

export type ContactBody = {
  name: string
  email: string
  subject: string
  message: string
  website?: string | undefined
}

/** Stores a message and mails it to the firm (P-11). What fills the honeypot is thanked and dropped. */
export async function receiveMessage(
  tx: Tx,
  { services }: RequestContext,
  { website, ...message }: ContactBody,
): Promise<void> {
  if (website) return
  const now = services.clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.contact_messages')
    .values({ ...message, id, created_at: now })
    .execute()
  await notify(tx, 'contact.received', id)
}
