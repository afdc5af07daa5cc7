import type { Services } from '#server/context.ts'
import { inLanguage } from '#server/platform/language.ts'
import { composeEmail } from '#server/platform/mail/compose-email.ts'
import type { Mail } from '#server/platform/mail/queue.ts'
import { t } from '#shared/i18n/t.ts'
import { utcDay } from '#shared/moments.ts'
import { replyAddressFor } from './replies/address.ts'

type Firm = { productName: string; supportEmail: string }

/** Emails about messages that no investor receives, by notice. */
export const contactMails = {
  'contact.received': receivedMail,
  'contact.followed': followedMail,
  'contact.replied': replyMail,
} satisfies Record<string, (services: Services, id: string, firm: Firm) => Promise<Mail>>

/** A message to the firm (P-11). A reply to a visitor's goes to the visitor; we answer an investor in the console. */
async function receivedMail({ db, config }: Services, id: string, firm: Firm): Promise<Mail> {
  const { name, email, subject, message, user_id, email_verified_at } = await db
    .selectFrom('app.contact_messages as c')
    .leftJoin('app.users as u', 'u.id', 'c.user_id')
    .select(['c.name', 'c.email', 'c.subject', 'c.message', 'c.user_id', 'u.email_verified_at'])
    .where('c.id', '=', id)
    .executeTakeFirstOrThrow()
  const mail = composeEmail({
    to: firm.supportEmail,
    subject: `Message from ${name}: ${subject}`,
    greeting: user_id
      ? `${writer({ name, email, email_verified_at })} wrote from their account:`
      : `${name} <${email}> wrote:`,
    paragraphs: paragraphsOf(message),
    ...(user_id ? { footer: answerHere(config.publicUrl, id, true) } : {}),
    from: firm.productName,
  })
  return user_id ? mail : { ...mail, replyTo: email }
}

/** A further message of an investor, or a visitor's answer to our email. */
async function followedMail({ db, config }: Services, id: string, firm: Firm): Promise<Mail> {
  const { subject, text, message_id, hash, userId, ...owner } = await db
    .selectFrom('app.contact_entries as e')
    .innerJoin('app.contact_messages as c', 'c.id', 'e.message_id')
    .leftJoin('app.users as u', 'u.id', 'c.user_id')
    .leftJoin('app.received_replies as r', 'r.entry_id', 'e.id')
    .select([
      'c.name',
      'c.email',
      'c.subject',
      'e.text',
      'e.message_id',
      'u.id as userId',
      'u.email_verified_at',
      'r.hash',
    ])
    .where('e.id', '=', id)
    .executeTakeFirstOrThrow()
  const author = userId ? writer(owner) : `${owner.name} <${owner.email}>`
  return composeEmail({
    to: firm.supportEmail,
    subject: `Message from ${owner.name}: ${subject}`,
    greeting: `${author} ${hash === null ? 'wrote again from their account' : 'answered by email'}:`,
    paragraphs: paragraphsOf(text),
    footer: answerHere(config.publicUrl, message_id, userId !== null),
    from: firm.productName,
  })
}

function writer(of: { name: string; email: string; email_verified_at: Date | null }): string {
  const { name, email, email_verified_at } = of
  return `${name} <${email}>${email_verified_at ? '' : ' (address not verified)'}`
}

function answerHere(publicUrl: string, id: string, hasAccount: boolean) {
  const action = { label: 'Open the conversation', url: `${publicUrl}/admin/messages?q=${id}` }
  const why = hasAccount ? 'they can read it in their account' : 'all of it is in one place'
  return { words: `Answer in the console, so that ${why}.`, action }
}

/**
 * The firm's reply to a visitor, in the language of the page on which they wrote. An answer goes to the conversation, or to the firm's mailbox if we read no replies. It repeats
 * nothing of the message: its sender may have entered another person's address.
 */
async function replyMail({ db, config }: Services, id: string, firm: Firm): Promise<Mail> {
  const { email, text, message_id, sent, language } = await db
    .selectFrom('app.contact_entries as e')
    .innerJoin('app.contact_messages as c', 'c.id', 'e.message_id')
    .select(['c.email', 'e.text', 'e.message_id', 'c.created_at as sent', 'c.language'])
    .where('e.id', '=', id)
    .executeTakeFirstOrThrow()
  const answerTo = replyAddressFor(config, message_id, email)
  const mail = inLanguage(language, () =>
    composeEmail({
      to: email,
      ...(answerTo && { answerTo }),
      subject: t('Our reply to your message of {day}', { day: utcDay(sent) }),
      greeting: t('Hello,'),
      paragraphs: paragraphsOf(text),
      from: firm.productName,
      footer: { words: t('You wrote to us on {day} (UTC).', { day: utcDay(sent) }) },
    }),
  )
  return { replyTo: firm.supportEmail, ...mail }
}

export function paragraphsOf(text: string): string[] {
  return text.split(/\n\s*\n/)
}
