import { type Db, recordTemplates } from '#server/notifications/template.ts'
import { paragraphsOf } from './mails.ts'

type Reply = { id: string; user_id: string; message_id: string; subject: string; text: string; files: number }

/** Our replies as an investor is notified of them. */
export const messageTemplates = recordTemplates({
  load: repliesById,
  events: {
    replied: ({ user_id, message_id, subject, text, files }: Reply) => ({
      userId: user_id,
      subject: message_id,
      headline: `Our reply: ${subject}`,
      text: `We replied to your message “${subject}”.`,
      letter: paragraphsOf(text),
      details:
        files === 0 ? [] : [`It comes with ${files === 1 ? 'a file' : `${files} files`}: see your messages.`],
    }),
  },
})

async function repliesById(db: Db, ids: string[]): Promise<Reply[]> {
  const rows = await db
    .selectFrom('app.contact_entries as e')
    .innerJoin('app.contact_messages as c', 'c.id', 'e.message_id')
    .select(['e.id', 'e.message_id', 'e.text', 'c.subject', 'c.user_id'])
    .select(({ selectFrom, fn }) =>
      selectFrom('app.contact_attachments as a')
        .whereRef('a.entry_id', '=', 'e.id')
        .select(fn.countAll<bigint>().as('count'))
        .as('files'),
    )
    .where('e.id', 'in', ids)
    .where('c.user_id', 'is not', null)
    .execute()
  return rows.map(({ files, user_id, ...row }) => ({ ...row, user_id: user_id!, files: Number(files) }))
}
