import type { RequestContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { letter, securityFooter } from '#server/platform/mail/letter.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import type { SecurityNotice } from '#shared/notifications.ts'
import { addNotification } from './queries.ts'
import { newsOf } from './templates.ts'

type Addressee = { name: string; email: string }

/**
 * Tells an account's owner something about its security, which may not be his doing (ASVS 2.2.3): by a notification in
 * his pages, and by a letter to the address that the account has at this moment, whatever it may have when it is sent.
 * @param of the account, and the record that it is about where that is another one: a session, an address
 * @param to another address: the one before a change
 */
export async function tellSecurity(
  tx: Tx,
  { services }: Pick<RequestContext, 'services'>,
  kind: SecurityNotice,
  { userId, aboutId = userId }: { userId: string; aboutId?: string },
  to?: Addressee,
): Promise<void> {
  const at = services.clock.now()
  await addNotification(tx, { kind, userId, subjectId: aboutId, at })
  const news = (await newsOf(tx, kind, [aboutId], at)).get(aboutId)!
  const { name, email } = to ?? (await addresseeOf(tx, userId))
  const firm = await currentFirm(tx, services.config)
  const written = letter({
    to: email,
    subject: news.headline,
    greeting: `Hello ${name},`,
    paragraphs: [news.text, ...news.details, `You reach us at ${firm.supportEmail}.`],
    from: firm.productName,
    footer: securityFooter,
  })
  await queueMail(tx, written)
}

function addresseeOf(tx: Tx, userId: string): Promise<Addressee> {
  return tx
    .selectFrom('app.users')
    .select(['name', 'email'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
}
