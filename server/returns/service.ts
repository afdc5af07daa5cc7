import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { returnRecorded } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { newId } from '#server/platform/id.ts'
import { type AppError, invalidField } from '#shared/errors.ts'
import { type EvidenceKind, evidenceKind, noEvidence } from '#shared/evidence.ts'

export type ReturnBody = {
  amountCents: bigint
  source: string
  /** YYYY-MM-DD */
  realisedAt: string
  /** A link or a transaction id. */
  evidence?: string | undefined
  /** Or the id of an uploaded file. */
  evidenceFile?: string | undefined
}

/**
 * Records a return that the firm has realised; earnings can then be paid from it (D1.2).
 * @returns its id
 * @throws AppError invalid_input: a future date, or evidence that is no link, transaction id or uploaded file
 */
export async function recordReturn(
  tx: Tx,
  ctx: SignedInContext,
  { amountCents, source, realisedAt, ...evidence }: ReturnBody,
): Promise<string> {
  const now = ctx.services.clock.now()
  const today = now.toISOString().slice(0, 10)
  if (realisedAt > today) {
    throw invalidField('realisedAt', `The date cannot be in the future; today is ${today} (UTC)`)
  }
  const proof = await proofOf(tx, ctx, evidence)
  const id = newId(now)
  await tx
    .insertInto('app.returns')
    .values({
      id,
      amount_cents: amountCents,
      source,
      realised_on: realisedAt,
      ...proof,
      recorded_by: ctx.caller.userId,
      created_at: now,
    })
    .execute()
    .catch((error: unknown) => {
      throw fileReused(error) ?? error
    })
  await post(tx, returnRecorded({ returnId: id, amountCents, actor: ctx.caller.userId, memo: source }))
  await audit(tx, ctx, { action: 'return.recorded', subject: { kind: 'return', id }, reason: source })
  return id
}

type Proof = { evidence: string; evidence_kind: EvidenceKind; evidence_file: string | null }

async function proofOf(
  tx: Tx,
  { caller }: SignedInContext,
  { evidence, evidenceFile }: Pick<ReturnBody, 'evidence' | 'evidenceFile'>,
): Promise<Proof> {
  if (evidenceFile === undefined) {
    if (evidence === undefined) throw invalidField('evidence', 'Evidence is required')
    const kind = evidenceKind(evidence)
    if (!kind) throw invalidField('evidence', noEvidence)
    return { evidence, evidence_kind: kind, evidence_file: null }
  }
  if (evidence !== undefined)
    throw invalidField('evidence', 'Enter a link or a transaction id, or upload a file, not both.')
  const file = await tx
    .selectFrom('app.evidence_files')
    .select('name')
    .where('id', '=', evidenceFile)
    .where('uploaded_by', '=', caller.userId)
    .executeTakeFirst()
  if (!file) throw invalidField('evidence', fileRemoved)
  return { evidence: file.name, evidence_kind: 'file', evidence_file: evidenceFile }
}

function fileReused(error: unknown): AppError | undefined {
  const { constraint } = error as { constraint?: unknown }
  if (constraint === 'returns_evidence_file_key') {
    return invalidField('evidence', 'This file is already the evidence of another return. Upload it again.')
  }
  if (constraint === 'returns_evidence_file_fkey') return invalidField('evidence', fileRemoved)
  return undefined
}

const fileRemoved = 'The uploaded file has expired. Upload it again.'
