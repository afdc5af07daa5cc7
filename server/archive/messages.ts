import { sql } from 'kysely'
import { msg, t } from '#shared/i18n/t.ts'
import { list, moment, text, word } from './columns.ts'
import { type ArchiveTable, rowsOf, type Source } from './table.ts'
import type { ZipFile } from './zip.ts'

export const messages: ArchiveTable = {
  name: 'messages',
  about: () =>
    t('Your conversations with us, message by message. The files of messages are in the folder files.'),
  shows: ['app.contact_messages', 'app.contact_entries', 'app.contact_attachments', 'app.contact_files'],
  columns: {
    conversation: word(msg('The conversation')),
    subject: text(msg('Its subject')),
    about: word(msg('The kind of record that it is about')),
    record: word(msg('The id of that record')),
    from: word(msg('you or us')),
    at: moment(msg('When it was written')),
    text: text(msg('The message')),
    files: list(msg('Its files in the folder files')),
  },
  rows: rowsOf(
    userId => sql`
      WITH written AS (
        SELECT id AS conversation, id, NULL::uuid AS entry, 'you' AS from, created_at AS at, message AS text
          FROM app.contact_messages WHERE user_id = ${userId}
        UNION ALL
        SELECT e.message_id, e.id, e.id, CASE e.kind WHEN 'reply' THEN 'us' ELSE 'you' END, e.created_at, e.text
          FROM app.contact_messages m JOIN app.contact_entries e ON e.message_id = m.id
         WHERE m.user_id = ${userId} AND e.kind IN ('message', 'reply')
      )
      SELECT w.conversation, m.subject, m.about_kind AS about, m.about_id AS record, w.from, w.at, w.text,
             ARRAY(SELECT f.id || '-' || f.name FROM app.contact_attachments a JOIN app.contact_files f ON f.id = a.file_id
                    WHERE a.message_id = w.conversation AND a.entry_id IS NOT DISTINCT FROM w.entry ORDER BY f.id) AS files
        FROM written w JOIN app.contact_messages m ON m.id = w.conversation
       ORDER BY w.conversation, w.at, w.id`,
  ),
}

/** The files of those messages, each under the name that the table has. */
export async function* messageFiles({ tx, userId }: Source): AsyncGenerator<ZipFile> {
  const files = await tx
    .selectFrom('app.contact_attachments as a')
    .innerJoin('app.contact_messages as m', 'm.id', 'a.message_id')
    .innerJoin('app.contact_files as f', 'f.id', 'a.file_id')
    .select(['f.id', 'f.name'])
    .where('m.user_id', '=', userId)
    .orderBy('f.id')
    .execute()
  for (const { id, name } of files) {
    const { content } = await tx
      .selectFrom('app.contact_files')
      .select('content')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    yield { name: `files/${id}-${name}`, isPacked: true, parts: [content] }
  }
}
