import { sql } from 'kysely'
import { contactMails } from '#server/contact/mails.ts'
import { replyAddressFor } from '#server/contact/replies/address.ts'
import type { Services } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import type { LedgerEvent } from '#server/ledger/chart.ts'
import { batched } from '#server/platform/batched.ts'
import { inLanguage, localUrl } from '#server/platform/language.ts'
import { composeEmail, greetingFor, securityFooter } from '#server/platform/mail/compose-email.ts'
import type { Mail } from '#server/platform/mail/queue.ts'
import { headLine } from '#server/proof/head.ts'
import { receiptsForRecords } from '#server/proof/receipts.ts'
import type { Language } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import type { FirmNotice } from '#shared/notifications.ts'
import type { AboutRecord, Notice, RecordNotice } from './notices.ts'
import type { PushMessage } from './push/send.ts'
import { pushWords } from './push/words.ts'
import { type Writer, writersOf } from './templates.ts'

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
    const { writers, owners, receipts } = await readNotices(services, notice, ids)
    for (const [id, write] of writers) {
      const { muted, ...owner } = owners.get(write().userId)!
      const about = { notice, id, write, owner, receipts: receipts.get(id) ?? [] }
      const compose = () => recordMail(services, about, firm, head)
      mails.set(keyOf({ notice, id }), muted ? null : inLanguage(owner.language, compose))
    }
  }
  return mails
}

async function readNotices(services: Services, notice: RecordNotice, ids: string[]) {
  const { db, clock } = services
  const writers = await writersOf(db, notice, ids, clock.now())
  const userIds = new Set([...writers.values()].map(write => write().userId))
  const owners = await ownersOf(db, notice, [...userIds])
  const events = creditingEvents[notice]
  const receipts = events === undefined ? new Map() : await receiptsForRecords(services, ids, events)
  return { writers, owners, receipts: receipts as Map<string, string[]> }
}

type Owner = {
  name: string
  email: string
  email_verified_at: Date | null
  closed_at: Date | null
  language: Language
}

/** What the owner of a closed account still gets: they have asked. */
const ourReply: RecordNotice = 'message.replied'

/** The accounts by id, and whether they get no such email: they have turned it off, or closed the account. */
async function ownersOf(db: Services['db'], notice: RecordNotice, ids: readonly string[]) {
  const rows = await db
    .selectFrom('app.users as u')
    .select(['u.id', 'u.name', 'u.email', 'u.email_verified_at', 'u.closed_at', 'u.language'])
    .select(
      sql<boolean>`(u.closed_at IS NOT NULL AND ${notice} <> ${sql.lit(ourReply)} OR EXISTS (
        SELECT FROM app.muted_emails m WHERE m.user_id = u.id AND m.kind = ${notice}))`.as('muted'),
    )
    .where(({ eb, val }) => eb('u.id', '=', eb.fn.any(val(ids))))
    .execute()
  return new Map<string, Owner & { muted: boolean }>(rows.map(({ id, ...owner }) => [id, owner]))
}

type About = { notice: RecordNotice; id: string; write: Writer; owner: Owner; receipts: string[] }

function recordMail(
  { config }: Services,
  { notice, id, write, owner, receipts }: About,
  firm: { productName: string },
  head: string | null,
): NoticeMail {
  const text = write()
  const { label, path } = pageOf(notice, text.subject ?? id)
  const mayAnswer = notice === ourReply && owner.email_verified_at !== null && owner.closed_at === null
  const answerTo = mayAnswer ? replyAddressFor(config, text.subject ?? id, owner.email) : undefined
  const mail = composeEmail({
    to: owner.email,
    subject: text.headline,
    ...(answerTo && { answerTo }),
    greeting: greetingFor(owner),
    paragraphs: [text.text, ...(text.letter ?? []), ...text.details],
    action: { label, url: localUrl(config, path) },
    ...(receipts.length > 0 ? { signed: { words: receiptWords(config), texts: receipts } } : {}),
    from: firm.productName,
    footer: footerOf(notice, { config, canAnswer: answerTo !== undefined }),
    head,
  })
  return {
    ...mail,
    push: { userId: text.userId, words: pushWords(notice), path, tag: `${notice} ${id}` },
  }
}

/** The postings whose receipts come with an email: money that was credited or paid out. */
const creditingEvents: Partial<Record<Notice, readonly LedgerEvent[]>> = {
  'deposit.approved': ['deposit.settled', 'deposit.added'],
  'investment.approved': ['investment.funded'],
  'earning.paid': ['earning.paid'],
  'withdrawal.paid': ['withdrawal.paid'],
}

function receiptWords(config: { publicUrl: string }): string {
  return t(
    'Our signed receipt: this entry will be in our public books by the end of the day it names. Keep this email. To check our signature, and that we kept the promise, run the verifier of {page} with --receipt and this email, and with --proof-file and the proof that you save on your dashboard.',
    { page: localUrl(config, '/proof') },
  )
}

/** The page that opens a record, by the record's name. */
const pages: Record<RecordName, readonly [label: string, path: string]> = {
  deposit: [msg('Your deposit'), '/dashboard/deposit'],
  investment: [msg('Your investment'), '/dashboard/investments'],
  withdrawal: [msg('Your withdrawal'), '/dashboard/withdrawals'],
  earning: [msg('Your earning'), '/dashboard/history'],
  goal: [msg('Your goals'), '/dashboard/goals'],
  message: [msg('Read and answer'), '/dashboard/messages'],
  check: [msg('Your identity'), '/dashboard/identity'],
  match: [msg('Your identity'), '/dashboard/identity'],
}
type FirstPart<Kind> = Kind extends `${infer First}.${string}` ? First : never
type RecordName = FirstPart<Exclude<RecordNotice, FirmNotice>>

function pageOf(notice: RecordNotice, id: string) {
  if (notice === 'terms.changed') return { label: t('Read and accept'), path: '/dashboard/terms' }
  const record = notice.split('.')[0] as RecordName
  const [label, path] = pages[record]
  return { label: translate(label), path: `${path}?${record}=${id}` }
}

type Foot = { config: { publicUrl: string }; canAnswer: boolean }

function footerOf(notice: RecordNotice, { config, canAnswer }: Foot) {
  if (notice === 'withdrawal.requested' || notice === 'withdrawal.cancelled') return securityFooter()
  if (notice === 'terms.changed')
    return { words: t('Every investor gets this email. It cannot be turned off.') }
  if (notice.startsWith('check.'))
    return { words: t('You get this email because you sent us a proof. It cannot be turned off.') }
  if (notice.startsWith('match.'))
    return { words: t('You get this email because it changes what we ask of you. It cannot be turned off.') }
  if (notice === ourReply) {
    return {
      words: canAnswer
        ? t('You wrote to us, so we reply by email too. You can answer this email, or write in your account.')
        : t('You wrote to us, so we reply by email too.'),
    }
  }
  const action = { label: t('Choose your emails'), url: localUrl(config, '/dashboard/profile#emails') }
  return { words: t('You can turn emails like this one off in your profile.'), action }
}
