import { sql } from 'kysely'
import { contactMails } from '#server/contact/mails.ts'
import { replyAddressFor } from '#server/contact/replies/address.ts'
import type { Services } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import type { LedgerEvent } from '#server/ledger/chart.ts'
import { batched } from '#server/platform/batched.ts'
import { composeEmail, greetingFor, securityFooter } from '#server/platform/mail/compose-email.ts'
import type { Mail } from '#server/platform/mail/queue.ts'
import { headLine } from '#server/proof/head.ts'
import { receiptsForRecords } from '#server/proof/receipts.ts'
import type { AboutRecord, Notice, RecordNotice } from './notices.ts'
import type { PushMessage } from './push/send.ts'
import { pushWords } from './push/words.ts'
import type { NotificationText } from './template.ts'
import { textsOf } from './templates.ts'

/** Notices that are read and worded together. */
const MOST_TOGETHER = 100
/** Far less than a mail server takes for one. */
const WAIT_MS = 10

/** An email, and what its reader's devices show. */
type NoticeMail = Mail & { push: PushMessage | null }

/** Writes the email about a record as it stands now; null if its owner has turned this kind off. */
export type NoticeWriter = (about: AboutRecord) => Promise<NoticeMail | null>

/** Reads what concurrent notices need in a few queries for all of them. */
export function noticeWriter(services: Services): NoticeWriter {
  const mailOf = batched<Key, NoticeMail | null>(MOST_TOGETHER, keys => recordMails(services, keys), WAIT_MS)
  return async ({ notice, id }) => {
    if (notice === 'contact.received' || notice === 'contact.followed' || notice === 'contact.replied') {
      const firm = await currentFirm(services.db, services.config)
      return { ...(await contactMails[notice](services, id, firm)), push: null }
    }
    const mail = await mailOf(keyOf({ notice, id }))
    if (mail === undefined) throw new Error(`no record for the notice ${notice} ${id}`)
    return mail
  }
}

/** `notice id`: equal ones are the same notice. */
type Key = `${RecordNotice} ${string}`

function keyOf({ notice, id }: { notice: RecordNotice; id: string }): Key {
  return `${notice} ${id}`
}

async function recordMails(services: Services, keys: readonly Key[]): Promise<Map<Key, NoticeMail | null>> {
  const firm = await currentFirm(services.db, services.config)
  const head = await headLine(services.pool)
  const byNotice = Object.groupBy(keys, key => key.split(' ')[0] as RecordNotice)
  const mails = new Map<Key, NoticeMail | null>()
  for (const [notice, same] of Object.entries(byNotice) as [RecordNotice, Key[]][]) {
    const ids = same.map(key => key.slice(notice.length + 1))
    const { texts, owners, receipts } = await readNotices(services, notice, ids)
    for (const [id, text] of texts) {
      const { muted, ...owner } = owners.get(text.userId)!
      const about = { notice, id, text, owner, receipts: receipts.get(id) ?? [] }
      mails.set(keyOf({ notice, id }), muted ? null : recordMail(services, about, firm, head))
    }
  }
  return mails
}

async function readNotices(services: Services, notice: RecordNotice, ids: string[]) {
  const { db, clock } = services
  const texts = await textsOf(db, notice, ids, clock.now())
  const owners = await ownersOf(db, notice, [...new Set([...texts.values()].map(({ userId }) => userId))])
  const events = creditingEvents[notice]
  const receipts = events === undefined ? new Map() : await receiptsForRecords(services, ids, events)
  return { texts, owners, receipts: receipts as Map<string, string[]> }
}

type Owner = { name: string; email: string; email_verified_at: Date | null; closed_at: Date | null }

/** What the owner of a closed account still gets: they have asked. */
const ourReply: RecordNotice = 'message.replied'

/** The accounts by id, and whether they get no such email: they have turned it off, or closed the account. */
async function ownersOf(db: Services['db'], notice: RecordNotice, ids: readonly string[]) {
  const rows = await db
    .selectFrom('app.users as u')
    .select(['u.id', 'u.name', 'u.email', 'u.email_verified_at', 'u.closed_at'])
    .select(
      sql<boolean>`(u.closed_at IS NOT NULL AND ${notice} <> ${sql.lit(ourReply)} OR EXISTS (
        SELECT FROM app.muted_emails m WHERE m.user_id = u.id AND m.kind = ${notice}))`.as('muted'),
    )
    .where(({ eb, val }) => eb('u.id', '=', eb.fn.any(val(ids))))
    .execute()
  return new Map<string, Owner & { muted: boolean }>(rows.map(({ id, ...owner }) => [id, owner]))
}

type About = { notice: RecordNotice; id: string; text: NotificationText; owner: Owner; receipts: string[] }

function recordMail(
  { config }: Services,
  { notice, id, text, owner, receipts }: About,
  firm: { productName: string },
  head: string | null,
): NoticeMail {
  const { publicUrl } = config
  const { label, path } = pageOf(notice, text.subject ?? id)
  const mayAnswer = notice === ourReply && owner.email_verified_at !== null && owner.closed_at === null
  const answerTo = mayAnswer ? replyAddressFor(config, text.subject ?? id, owner.email) : undefined
  const mail = composeEmail({
    to: owner.email,
    subject: text.headline,
    ...(answerTo && { answerTo }),
    greeting: greetingFor(owner),
    paragraphs: [text.text, ...(text.letter ?? []), ...text.details],
    action: { label, url: publicUrl + path },
    ...(receipts.length > 0 ? { signed: { words: receiptWords(publicUrl), texts: receipts } } : {}),
    from: firm.productName,
    footer: footerOf(notice, { publicUrl, canAnswer: answerTo !== undefined }),
    head,
  })
  return {
    ...mail,
    push: { userId: text.userId, words: pushWords[notice], path, tag: `${notice} ${id}` },
  }
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

/** The page that opens a record, by the record's name. */
const pages = {
  deposit: ['Your deposit', '/dashboard/deposit'],
  investment: ['Your investment', '/dashboard/investments'],
  withdrawal: ['Your withdrawal', '/dashboard/withdrawals'],
  earning: ['Your earning', '/dashboard/history'],
  goal: ['Your goals', '/dashboard/goals'],
  message: ['Read and answer', '/dashboard/messages'],
  check: ['Your identity', '/dashboard/identity'],
} as const

function pageOf(notice: RecordNotice, id: string) {
  if (notice === 'terms.changed') return { label: 'Read and accept', path: '/dashboard/terms' }
  const record = notice.split('.')[0] as keyof typeof pages
  const [label, path] = pages[record]
  return { label, path: `${path}?${record}=${id}` }
}

function footerOf(notice: RecordNotice, { publicUrl, canAnswer }: { publicUrl: string; canAnswer: boolean }) {
  if (notice === 'withdrawal.requested' || notice === 'withdrawal.cancelled') return securityFooter
  if (notice === 'terms.changed') return { words: 'Every investor gets this email. It cannot be turned off.' }
  if (notice.startsWith('check.'))
    return { words: 'You get this email because you sent us a proof. It cannot be turned off.' }
  if (notice === ourReply) {
    const how = canAnswer ? ' You can answer this email, or write in your account.' : ''
    return { words: `You wrote to us, so we reply by email too.${how}` }
  }
  const action = { label: 'Choose your emails', url: `${publicUrl}/dashboard/profile#emails` }
  return { words: 'You can turn emails like this one off in your profile.', action }
}
