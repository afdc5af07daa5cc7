import type { Kysely } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { FileAnswer, SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { wholeFile } from '#server/platform/whole-file.ts'
import type { UploadedFile } from '#shared/contract/define.ts'
import type { IdentityFile } from '#shared/contract/identity.ts'
import { AppError } from '#shared/errors.ts'
import { type AttachmentType, attachmentTypes, fileKinds } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'
import { type IdentityFileKind, isSingle } from '#shared/identity.ts'
import { mostFundsFiles } from '#shared/limits.ts'
import { identityRefusals } from './messages.ts'
import { openProof, sealProof } from './sealed.ts'

const columns = ['id', 'kind', 'type', 'size'] as const
type Row = { id: string; kind: IdentityFileKind; type: AttachmentType; size: number }

export function presentFile({ id, kind, type, size }: Row): IdentityFile {
  return { _id: id, kind, type, size }
}

/**
 * Stores a file, sealed, for a proof about to be sent. It replaces one of its kind; of proofs of funds there can be several.
 * @throws AppError invalid_input; files_full
 */
export async function storeFile(
  tx: Tx,
  { services, caller }: SignedInContext,
  kind: IdentityFileKind,
  upload: UploadedFile,
): Promise<IdentityFile> {
  const { type, content } = wholeFile(attachmentTypes, { name: kind, ...upload }, 'file')
  // Uploads at the same time would each count without the others.
  await tx.selectFrom('app.users').select('id').where('id', '=', caller.userId).forNoKeyUpdate().execute()
  const others = (await unsentFiles(tx, caller.userId)).filter(file => file.kind === kind)
  if (isSingle(kind)) await remove(tx, others)
  else if (others.length >= mostFundsFiles) throw identityRefusals.error({ reason: 'files_full' })
  const now = services.clock.now()
  const row = { id: newId(now), kind, type, size: content.length }
  const sealed_content = sealProof(services, row.id, content)
  await tx
    .insertInto('app.identity_files')
    .values({ ...row, user_id: caller.userId, sealed_content, uploaded_at: now })
    .execute()
  return presentFile(row)
}

async function remove(tx: Tx, files: readonly { id: string }[]): Promise<void> {
  if (files.length === 0) return
  await tx
    .deleteFrom('app.identity_files')
    .where(
      'id',
      'in',
      files.map(({ id }) => id),
    )
    .where('check_id', 'is', null)
    .execute()
}

/** @throws AppError forbidden, alike for another's file, one that was sent and an unknown id (D8) */
export async function removeFile(tx: Tx, { caller }: SignedInContext, id: string): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('app.identity_files')
    .where('id', '=', id)
    .where('user_id', '=', caller.userId)
    .where('check_id', 'is', null)
    .executeTakeFirst()
  if (numDeletedRows === 0n)
    throw new AppError('forbidden', t('You can only remove your own files that are not sent yet.'))
}

/** Files that wait to be sent, the oldest first. */
export function unsentFiles(db: Kysely<Schema>, userId: string): Promise<Row[]> {
  return db
    .selectFrom('app.identity_files')
    .select(columns)
    .where('user_id', '=', userId)
    .where('check_id', 'is', null)
    .orderBy('id')
    .execute()
}

/** The files of a check that are not erased. */
export async function filesOfCheck(db: Kysely<Schema>, checkId: string): Promise<IdentityFile[]> {
  const rows = await db
    .selectFrom('app.identity_files')
    .select(columns)
    .where('check_id', '=', checkId)
    .where('sealed_content', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(presentFile)
}

/**
 * A file of a check, opened for staff; the audit log names them before they have it.
 * @throws AppError not_found, also for one's own
 */
export async function openFile(ctx: SignedInContext, id: string): Promise<FileAnswer> {
  const { services, caller } = ctx
  return services.db.transaction().execute(async tx => {
    const file = await tx
      .selectFrom('app.identity_files')
      .select([...columns, 'check_id', 'user_id', 'sealed_content'])
      .where('id', '=', id)
      .where('user_id', '<>', caller.userId)
      .where('check_id', 'is not', null)
      .executeTakeFirst()
    if (!file?.sealed_content) throw noSuchFile()
    await audit(tx, ctx, {
      action: 'identity.file_opened',
      subject: { kind: 'user', id: file.user_id },
      details: { check: file.check_id, file: id, what: file.kind },
    })
    const content = openProof(services, id, file.sealed_content)
    return { name: `${file.kind}-${id}${fileKinds[file.type].ending}`, type: file.type, content }
  })
}

function noSuchFile(): AppError {
  return new AppError('not_found', t('There is no such file'))
}
