import { type Db, recordTemplates } from '#server/notifications/template.ts'
import { t } from '#shared/i18n/t.ts'
import { paragraphsOf } from './mails.ts'

type Reply = {
  id: string
  user_id: string
  message_id: string
  subject: string
  text: string
  files: number
  isVerified: boolean
}

/** Our replies as an investor is notified of them. */
export const messageTemplates = recordTemplates({
  load: repliesById,
  events: {
    replied: (reply: Reply) => ({
      userId: reply.user_id,
      subject: reply.message_id,
      ...(reply.isVerified ? wholeReply(reply) : neutral()),
    }),
  },
})

function wholeReply({ subject, text, files }: Reply) {
  return {
    headline: t('Our reply: {subject}', { subject }),
    text: t('We replied to your message “{subject}”.', { subject }),
    letter: paragraphsOf(text),
    details:
      files === 0
        ? []
        : [
            t(
              '{count, plural, one {It comes with a file: see your messages.} other {It comes with # files: see your messages.}}',
              { count: files },
            ),
          ],
  }
}

/** To an address that nobody has verified: its owner may be a stranger, who must not read the writer's words from us. */
function neutral() {
  return {
    headline: t('Our reply to your message'),
    text: t('We replied to your message.'),
    letter: [t('Log in to read it. If you have no account with us, somebody else entered your address.')],
    details: [],
  }
}

async function repliesById(db: Db, ids: string[]): Promise<Reply[]> {
  const rows = await db
    .selectFrom('app.contact_entries as e')
    .innerJoin('app.contact_messages as c', 'c.id', 'e.message_id')
    .innerJoin('app.users as u', 'u.id', 'c.user_id')
    .select(['e.id', 'e.message_id', 'e.text', 'c.subject', 'u.id as user_id', 'u.email_verified_at'])
    .select(({ selectFrom, fn }) =>
      selectFrom('app.contact_attachments as a')
        .whereRef('a.entry_id', '=', 'e.id')
        .select(fn.countAll<bigint>().as('count'))
        .as('files'),
    )
    .where('e.id', 'in', ids)
    .execute()
  return rows.map(({ files, email_verified_at, ...row }) => ({
    ...row,
    files: Number(files),
    isVerified: email_verified_at !== null,
  }))
}
