import { audit } from '#server/audit/log.ts'
import type { FileAnswer, SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { wholeFile } from '#server/platform/whole-file.ts'
import type { CallData, UploadedFile } from '#shared/contract/define.ts'
import type { uploadEvidence } from '#shared/contract/returns.ts'
import { AppError } from '#shared/errors.ts'
import { evidenceTypes } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'
import { may } from '#shared/roles.ts'

/**
 * Stores a file as evidence for a return about to be recorded. Its first and last bytes must match its type.
 * @param name the uploader's file name
 * @throws AppError invalid_input
 */
export async function storeEvidence(
  tx: Tx,
  ctx: SignedInContext,
  name: string,
  { type, content }: UploadedFile,
): Promise<CallData<typeof uploadEvidence>> {
  const file = wholeFile(evidenceTypes, { name, type, content }, 'evidence')
  const now = ctx.services.clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.evidence_files')
    .values({ ...file, id, uploaded_by: ctx.caller.userId, created_at: now })
    .execute()
  const sha256 = file.sha256.toString('hex')
  const details = { name: file.name, sha256 }
  await audit(tx, ctx, { action: 'evidence.uploaded', subject: { kind: 'evidence', id }, details })
  return { _id: id, name: file.name, type: file.type, size: file.content.length, sha256 }
}

/**
 * The evidence file of a return, for staff and for investors whose earnings it has paid (D1).
 * @throws AppError forbidden for others, whether the file exists or not; not_found
 */
export async function evidenceOf(
  { services: { db }, caller }: SignedInContext,
  returnId: string,
): Promise<FileAnswer> {
  if (!may(caller.role, 'console') && !(await hasBeenPaidBy(db, caller.userId, returnId))) {
    throw new AppError('forbidden', t('You can only see the evidence of returns that have paid you.'))
  }
  const file = await db
    .selectFrom('app.returns as r')
    .innerJoin('app.evidence_files as f', 'f.id', 'r.evidence_file')
    .select(['f.name', 'f.type', 'f.content'])
    .where('r.id', '=', returnId)
    .executeTakeFirst()
  if (!file) throw new AppError('not_found', t('There is no such file'))
  return file
}

async function hasBeenPaidBy(
  db: SignedInContext['services']['db'],
  userId: string,
  returnId: string,
): Promise<boolean> {
  const paid = await db
    .selectFrom('app.earning_sources as s')
    .innerJoin('app.earnings as e', 'e.id', 's.earning_id')
    .select('e.id')
    .where('s.return_id', '=', returnId)
    .where('e.user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return paid !== undefined
}
