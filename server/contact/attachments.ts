import { type Kysely, sql } from 'kysely'
import type { FileAnswer, SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { wholeFile } from '#server/platform/whole-file.ts'
import type { Attachment } from '#shared/contract/conversations.ts'
import type { UploadedFile } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { attachmentTypes } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumAccountBytes, maximumUnusedAttachments } from '#shared/limits.ts'
import { may } from '#shared/roles.ts'
import { contactRefusals } from './messages.ts'

/**
 * Stores a file for a message about to be sent.
 * @throws AppError invalid_input; unused_files; too_many_bytes
 */
export async function storeAttachment(
  tx: Tx,
  { services, caller }: SignedInContext,
  name: string,
  upload: UploadedFile,
): Promise<Attachment> {
  const file = wholeFile(attachmentTypes, { name, ...upload }, 'file')
  await requireSpace(tx, caller, file.content.length)
  const now = services.clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.contact_files')
    .values({ ...file, id, uploaded_by: caller.userId, created_at: now })
    .execute()
  return { _id: id, name: file.name, type: file.type, size: file.content.length }
}

/** Staff who answer send files to many people, so only the number that waits is limited for them. */
async function requireSpace(
  tx: Tx,
  { userId, role }: SignedInContext['caller'],
  bytes: number,
): Promise<void> {
  // Uploads at the same time would each count without the others.
  await tx.selectFrom('app.users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  const { rows } = await sql<{ bytes: number; unused: number }>`
    SELECT coalesce(sum(octet_length(f.content)), 0)::float8 AS bytes,
           count(*) FILTER (WHERE a.file_id IS NULL)::int AS unused
      FROM app.contact_files f LEFT JOIN app.contact_attachments a ON a.file_id = f.id
     WHERE f.uploaded_by = ${userId}`.execute(tx)
  const used = rows[0]!
  if (!may(role, 'care') && used.bytes + bytes > maximumAccountBytes)
    throw contactRefusals.error({ reason: 'too_many_bytes' })
  if (used.unused >= maximumUnusedAttachments) throw contactRefusals.error({ reason: 'unused_files' })
}

/**
 * Adds files to a message: each one that its writer has uploaded, and to no other message.
 * @returns their names
 * @throws AppError invalid_input
 */
export async function attach(
  tx: Tx,
  { caller }: SignedInContext,
  files: readonly string[],
  to: { message_id: string; entry_id: string | null },
): Promise<string[]> {
  if (files.length === 0) return []
  const { rows } = await sql<{ name: string }>`
    WITH added AS (
      INSERT INTO app.contact_attachments (file_id, message_id, entry_id)
      SELECT f.id, ${to.message_id}, ${to.entry_id} FROM app.contact_files f
       WHERE f.id = ANY (${files}::uuid[]) AND f.uploaded_by = ${caller.userId}
      ON CONFLICT (file_id) DO NOTHING
      RETURNING file_id)
    SELECT f.name FROM app.contact_files f JOIN added ON added.file_id = f.id ORDER BY f.id`.execute(tx)
  if (rows.length < new Set(files).size) {
    const message = t('A file is no longer there. Choose it again.')
    throw new AppError('invalid_input', message, { fields: { files: message } })
  }
  return rows.map(({ name }) => name)
}

/** The files of conversations' messages, by the entry's id; of the first message, by the conversation's. */
export async function attachmentsOf(
  db: Kysely<Schema>,
  messageId: string,
): Promise<Map<string, Attachment[]>> {
  const rows = await db
    .selectFrom('app.contact_attachments as a')
    .innerJoin('app.contact_files as f', 'f.id', 'a.file_id')
    .select(['f.id', 'f.name', 'f.type', 'a.entry_id', sql<number>`octet_length(f.content)`.as('size')])
    .where('a.message_id', '=', messageId)
    .orderBy('f.id')
    .execute()
  const byEntry = Map.groupBy(rows, ({ entry_id }) => entry_id ?? messageId)
  return new Map(
    [...byEntry].map(([of, files]) => [
      of,
      files.map(({ id, name, type, size }) => ({ _id: id, name, type, size })),
    ]),
  )
}

/**
 * A file of a conversation, for its owner and for staff who answer messages.
 * @throws AppError forbidden, alike for another's file and for an unknown id (D8)
 */
export async function fileOf({ services: { db }, caller }: SignedInContext, id: string): Promise<FileAnswer> {
  const file = await db
    .selectFrom('app.contact_attachments as a')
    .innerJoin('app.contact_files as f', 'f.id', 'a.file_id')
    .innerJoin('app.contact_messages as m', 'm.id', 'a.message_id')
    .select(['f.name', 'f.type', 'f.content', 'm.user_id'])
    .where('f.id', '=', id)
    .executeTakeFirst()
  if (!file || (file.user_id !== caller.userId && !may(caller.role, 'care'))) {
    throw new AppError('forbidden', t('You can only see the files of your own messages.'))
  }
  const { name, type, content } = file
  return { name, type, content }
}
