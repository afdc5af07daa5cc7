import type { Services } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import type { LedgerEvent } from '#server/ledger/chart.ts'
import { composeEmail, greetingFor, securityFooter } from '#server/platform/mail/compose-email.ts'
import type { Mail } from '#server/platform/mail/queue.ts'
import { headLine } from '#server/proof/head.ts'
import { receiptsForRecord } from '#server/proof/receipts.ts'
import { utcDay } from '#shared/moments.ts'
import type { Notice } from './notices.ts'
import { mutedBy } from './queries.ts'
import { textsOf } from './templates.ts'

/** The email about a record as it stands now, or null if its owner has turned this kind off. */
export async function noticeMail(
  services: Services,
  { notice, id }: { notice: Notice; id: string },
): Promise<Mail | null> {
  const firm = await currentFirm(services.db, services.config)
  if (notice === 'contact.received') return contactMail(services, id, firm)
  if (notice === 'contact.replied') return replyMail(services, id, firm)
  const words = (await textsOf(services.db, notice, [id], services.clock.now())).get(id)
  if (words === undefined) throw new Error(`no record for the notice ${notice} ${id}`)
  const muted = await mutedBy(services.db, words.userId)
  if (muted.some(kind => kind === notice)) return null
  const owner = await services.db
    .selectFrom('app.users')
    .select(['name', 'email', 'email_verified_at'])
    .where('id', '=', words.userId)
    .executeTakeFirstOrThrow()
  const { publicUrl } = services.config
  const receipts = await receiptsForRecord(services, id, creditingEvents[notice] ?? [])
  return composeEmail({
    to: owner.email,
    subject: words.headline,
    greeting: greetingFor(owner),
    paragraphs: [words.text, ...words.details],
    action: actionOf(notice, publicUrl, id),
    ...(receipts.length > 0 ? { signed: { words: receiptWords(publicUrl), texts: receipts } } : {}),
    from: firm.productName,
    footer: footerOf(notice, publicUrl),
    head: await headLine(services.pool),
  })
}

/** The postings whose receipts come with an email: money that was credited or paid out. */
const creditingEvents: Partial<Record<Notice, readonly LedgerEvent[]>> = {
  'deposit.approved': ['deposit.settled', 'deposit.added'],
  'investment.approved': ['investment.funded'],
  'earning.paid': ['earning.paid'],
  'withdrawal.paid': ['withdrawal.paid'],
}

function receiptWords(publicUrl: string): string {
  return `Our signed receipt: this entry will be in our public books by the end of the day it names. Keep this email. To check our signature, and that we kept the promise, run the verifier of ${publicUrl}/proof with --receipt and this email, and with --proof-file and the proof that you save on your dashboard.`
}

type RecordNotice = Exclude<Notice, 'contact.received' | 'contact.replied'>

/** The page that opens a record, by the record's name. */
const pages = {
  deposit: ['Your deposit', '/dashboard/deposit'],
  investment: ['Your investment', '/dashboard/investments'],
  withdrawal: ['Your withdrawal', '/dashboard/withdrawals'],
  earning: ['Your earning', '/dashboard/history'],
} as const

function actionOf(notice: RecordNotice, publicUrl: string, id: string) {
  const record = notice.split('.')[0] as keyof typeof pages
  const [label, path] = pages[record]
  return { label, url: `${publicUrl}${path}?${record}=${id}` }
}

function footerOf(notice: RecordNotice, publicUrl: string) {
  if (notice === 'withdrawal.requested') return securityFooter
  const action = { label: 'Choose your emails', url: `${publicUrl}/dashboard/profile#emails` }
  return { words: 'You can turn emails like this one off in your profile.', action }
}

/** A visitor's message to the firm (P-11); a reply to it goes to the visitor. */
async function contactMail(
  { db }: Services,
  id: string,
  firm: { productName: string; supportEmail: string },
): Promise<Mail> {
  const { name, email, subject, message } = await db
    .selectFrom('app.contact_messages')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const mail = composeEmail({
    to: firm.supportEmail,
    subject: `Message from ${name}: ${subject}`,
    greeting: `${name} <${email}> wrote:`,
    paragraphs: message.split(/\n\s*\n/),
    from: firm.productName,
  })
  return { ...mail, replyTo: email }
}

/**
 * The firm's reply; the visitor's answer goes to the firm's mailbox. It repeats nothing of the message: its sender may
 * have entered another person's address.
 */
async function replyMail(
  { db }: Services,
  id: string,
  firm: { productName: string; supportEmail: string },
): Promise<Mail> {
  const { email, text, sent } = await db
    .selectFrom('app.contact_entries as e')
    .innerJoin('app.contact_messages as c', 'c.id', 'e.message_id')
    .select(['c.email', 'e.text', 'c.created_at as sent'])
    .where('e.id', '=', id)
    .executeTakeFirstOrThrow()
  const mail = composeEmail({
    to: email,
    subject: `Our reply to your message of ${utcDay(sent)}`,
    greeting: 'Hello,',
    paragraphs: text.split(/\n\s*\n/),
    from: firm.productName,
    footer: { words: `You wrote to us on ${utcDay(sent)} (UTC).` },
  })
  return { ...mail, replyTo: firm.supportEmail }
}
