import { createHash } from 'node:crypto'
import { audit } from '#server/audit/log.ts'
import type { FileAnswer, SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import type { CallData, UploadedFile } from '#shared/contract/define.ts'
import type { uploadEvidence } from '#shared/contract/returns.ts'
import { AppError } from '#shared/errors.ts'
import { type EvidenceType, evidenceTypes } from '#shared/evidence.ts'
import { may } from '#shared/roles.ts'

/** Longest stored file name, in characters. */
const longestName = 120

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
  const known = evidenceTypes.find(one => one === type)
  if (known === undefined || !isWhole[known](Buffer.from(content))) throw invalidFile()
  const bytes = Buffer.from(content)
  const id = newId(ctx.services.clock.now())
  const sha256 = createHash('sha256').update(bytes).digest()
  const file = { id, name: plainName(name, known), type: known, sha256 }
  await tx
    .insertInto('app.evidence_files')
    .values({ ...file, content: bytes, uploaded_by: ctx.caller.userId, created_at: ctx.services.clock.now() })
    .execute()
  const details = { name: file.name, sha256: sha256.toString('hex') }
  await audit(tx, ctx, { action: 'evidence.uploaded', subject: { kind: 'evidence', id }, details })
  return { _id: id, name: file.name, type: known, size: bytes.length, sha256: sha256.toString('hex') }
}

function invalidFile(): AppError {
  const message = 'This is not a complete PDF or PNG file'
  return new AppError('invalid_input', message, { fields: { evidence: message } })
}

/** ISO 32000: a header in the first line, an end-of-file marker near the end. */
const pdfHeader = /^%PDF-[12]\.\d/
const pdfTail = 1024
/** PNG, 5.2 and 11.2: signature and IHDR chunk first, IEND chunk last. */
const pngHead = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const pngEnd = Buffer.from('0000000049454e44ae426082', 'hex')

const isWhole: Record<EvidenceType, (content: Buffer) => boolean> = {
  'application/pdf': content =>
    pdfHeader.test(content.subarray(0, 8).toString('latin1')) &&
    content.subarray(-pdfTail).toString('latin1').includes('%%EOF'),
  'image/png': content =>
    content.subarray(0, pngHead.length).equals(pngHead) && content.subarray(-pngEnd.length).equals(pngEnd),
}

const endings: Record<EvidenceType, string> = { 'application/pdf': '.pdf', 'image/png': '.png' }

/** The path's last part in safe characters, with the extension of its type. */
function plainName(name: string, type: EvidenceType): string {
  const last = name.split(/[/\\]/).at(-1)!
  const stem = last
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\.[^.]*$/, '')
    .replace(/[^\w .-]+/g, '-')
    .replace(/^[\s.-]+|[\s.-]+$/g, '')
  const ending = endings[type]
  return `${stem.slice(0, longestName - ending.length) || 'evidence'}${ending}`
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
    throw new AppError('forbidden', 'You can only see the evidence of returns that have paid you.')
  }
  const file = await db
    .selectFrom('app.returns as r')
    .innerJoin('app.evidence_files as f', 'f.id', 'r.evidence_file')
    .select(['f.name', 'f.type', 'f.content'])
    .where('r.id', '=', returnId)
    .executeTakeFirst()
  if (!file) throw new AppError('not_found', 'There is no such file')
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
