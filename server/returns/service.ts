import type { Selectable } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { returnRecorded } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { refuseFutureDay } from '#server/queries/future-day.ts'
import { currentSettings } from '#server/staff/settings-queries.ts'
import { type AppError, invalidField } from '#shared/errors.ts'
import { type EvidenceKind, evidenceKind, noEvidence } from '#shared/evidence.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { noSuchReturn, recordedAlone } from './queries.ts'

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
 * Records a return that the firm has realised; earnings can then be paid from it (D1.2). It waits for a second person if the caller
 * would record more alone in 24 hours than the settings say.
 * @returns its id
 * @throws AppError invalid_input: a future date, or evidence that is no link, transaction id or uploaded file
 */
export async function recordReturn(
  tx: Tx,
  ctx: SignedInContext,
  { amountCents, source, realisedAt, ...evidence }: ReturnBody,
): Promise<string> {
  const now = ctx.services.clock.now()
  refuseFutureDay('realisedAt', realisedAt, now)
  const proof = await proofOf(tx, ctx, evidence)
  const { largeReturnCents } = await currentSettings(tx, ctx.services.config)
  const isAlone = (await lockRecordedAlone(tx, ctx)) + amountCents <= largeReturnCents
  const id = newId(now)
  await tx
    .insertInto('app.returns')
    .values({
      id,
      amount_cents: amountCents,
      status: isAlone ? 'recorded' : 'pending',
      alone_limit_cents: largeReturnCents,
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
  if (isAlone)
    await post(tx, returnRecorded({ returnId: id, amountCents, actor: ctx.caller.userId, memo: source }))
  const action = isAlone ? 'return.recorded' : 'return.submitted'
  await audit(tx, ctx, { action, subject: { kind: 'return', id }, reason: source })
  return id
}

/** Locks the caller's account, so that what one person records at once is added up. */
async function lockRecordedAlone(tx: Tx, { caller, services }: SignedInContext): Promise<bigint> {
  await tx.selectFrom('app.users').select('id').where('id', '=', caller.userId).forNoKeyUpdate().execute()
  return recordedAlone(tx, caller.userId, services.clock.now())
}

type Locked = Selectable<Schema['app.returns']>

/**
 * Locks a return for a decision.
 * @throws AppError not_found
 */
export async function lockReturn(tx: Tx, id: string): Promise<Locked> {
  const row = await tx
    .selectFrom('app.returns')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw noSuchReturn()
  return row
}

type Proof = { evidence: string; evidence_kind: EvidenceKind; evidence_file: string | null }

async function proofOf(
  tx: Tx,
  { caller }: SignedInContext,
  { evidence, evidenceFile }: Pick<ReturnBody, 'evidence' | 'evidenceFile'>,
): Promise<Proof> {
  if (evidenceFile === undefined) {
    if (evidence === undefined) throw invalidField('evidence', t('Evidence is required'))
    const kind = evidenceKind(evidence)
    if (!kind) throw invalidField('evidence', translate(noEvidence))
    return { evidence, evidence_kind: kind, evidence_file: null }
  }
  if (evidence !== undefined)
    throw invalidField('evidence', t('Enter a link or a transaction id, or upload a file, not both.'))
  const file = await tx
    .selectFrom('app.evidence_files')
    .select('name')
    .where('id', '=', evidenceFile)
    .where('uploaded_by', '=', caller.userId)
    .executeTakeFirst()
  if (!file) throw invalidField('evidence', translate(fileRemoved))
  return { evidence: file.name, evidence_kind: 'file', evidence_file: evidenceFile }
}

function fileReused(error: unknown): AppError | undefined {
  const { constraint } = error as { constraint?: unknown }
  if (constraint === 'returns_evidence_file_key') {
    return invalidField(
      'evidence',
      t('This file is already the evidence of another return. Upload it again.'),
    )
  }
  if (constraint === 'returns_evidence_file_fkey') return invalidField('evidence', translate(fileRemoved))
  return undefined
}

const fileRemoved = msg('The uploaded file has expired. Upload it again.')
