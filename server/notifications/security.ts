import type { RequestContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { inLanguage, localUrl } from '#server/platform/language.ts'
import { composeEmail, greetingFor, securityFooter } from '#server/platform/mail/compose-email.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { t } from '#shared/i18n/t.ts'
import type { SecurityNotice } from '#shared/notifications.ts'
import { queuePushes } from './push/send.ts'
import { addNotification } from './queries.ts'
import type { NotificationText } from './template.ts'
import { writersOf } from './templates.ts'

type Recipient = { name: string; email: string; email_verified_at: Date | null }

/**
 * Notifies an account's owner of a security event, which may not be their doing (ASVS 2.2.3): in the bell, on their
 * devices, and by email to the address that the account has now, whatever it has when the email is sent, in its language.
 * @param of the account, and the record when it is another one: a session, an address
 * @param to another recipient: the address before a change
 */
export async function notifySecurity(
  tx: Tx,
  { services }: Pick<RequestContext, 'services'>,
  kind: SecurityNotice,
  { userId, aboutId = userId }: { userId: string; aboutId?: string },
  to?: Recipient,
): Promise<void> {
  const at = services.clock.now()
  await addNotification(tx, { kind, userId, subjectId: aboutId, at })
  const write = (await writersOf(tx, kind, [aboutId], at)).get(aboutId)!
  const { language, ...owner } = await ownerOf(tx, userId)
  const firm = await currentFirm(tx, services.config)
  const { mail, words } = inLanguage(language, () => written(services, kind, write(), to ?? owner, firm))
  await queueMail(tx, mail)
  const push = { userId, words, path: '/dashboard/security', tag: `${kind} ${aboutId}` }
  await queuePushes(tx, services, [push])
}

/** The email, and what devices show. */
function written(
  { config }: Pick<RequestContext['services'], 'config'>,
  kind: SecurityNotice,
  { headline, text, details }: NotificationText,
  recipient: Recipient,
  firm: { productName: string; supportEmail: string },
) {
  // The text may name what a stranger named, such as a passkey; the headline is always ours.
  const words = [recipient.email_verified_at === null ? `${headline}.` : text, ...details]
  const mail = composeEmail({
    to: recipient.email,
    subject: headline,
    greeting: greetingFor(recipient),
    paragraphs: [...words, t('You can reach us at {email}.', { email: firm.supportEmail })],
    ...actionOf(kind, config),
    from: firm.productName,
    footer: securityFooter(),
  })
  return { mail, words: `${headline}.` }
}

/** Notices whose reader can only contact us: a new password would undo nothing. */
const contactOnly: ReadonlySet<SecurityNotice> = new Set([
  'account.frozen',
  'account.unfrozen',
  'account.closed',
  'account.reopened',
  'account.proof_erased',
  'email.changed',
  'second_factors.reset_proposed',
  'role.changed',
  'access.ended',
])

/** Where the reader undoes what was not their doing. */
function actionOf(kind: SecurityNotice, config: { publicUrl: string }) {
  if (contactOnly.has(kind)) return {}
  return { action: { label: t('Set a new password'), url: localUrl(config, '/forgot-password') } }
}

function ownerOf(tx: Tx, userId: string) {
  return tx
    .selectFrom('app.users')
    .select(['name', 'email', 'email_verified_at', 'type', 'language'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
}
