import type { SignedInContext, Tx } from '#server/context.ts'
import { returnRecorded } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { newId } from '#server/platform/id.ts'
import { audit } from '#server/records/audit.ts'
import { AppError } from '#shared/errors.ts'
import { evidenceKind, noEvidence } from '#shared/evidence.ts'

export type ReturnBody = {
  amountCents: bigint
  source: string
  /** YYYY-MM-DD */
  realisedAt: string
  evidence: string
}

/**
 * Records a return that the firm has realised: from now on, earnings can be paid from it (D1.2).
 * @returns its id
 * @throws AppError invalid_input: a day in the future, or evidence that is neither a link nor a transaction id
 */
export async function recordReturn(
  tx: Tx,
  ctx: SignedInContext,
  { amountCents, source, realisedAt, evidence }: ReturnBody,
): Promise<string> {
  const now = ctx.services.clock.now()
  const today = now.toISOString().slice(0, 10)
  if (realisedAt > today) {
    throw faulty('realisedAt', `The date cannot be in the future; today is ${today} (UTC)`)
  }
  const kind = evidenceKind(evidence)
  if (!kind) throw faulty('evidence', noEvidence)
  const id = newId(now)
  await tx
    .insertInto('app.returns')
    .values({
      id,
      amount_cents: amountCents,
      source,
      realised_on: realisedAt,
      evidence,
      evidence_kind: kind,
      recorded_by: ctx.caller.userId,
      created_at: now,
    })
    .execute()
  await post(tx, returnRecorded({ returnId: id, amountCents, actor: ctx.caller.userId, memo: source }))
  await audit(tx, ctx, { action: 'return.recorded', subject: { kind: 'return', id }, reason: source })
  return id
}

function faulty(field: string, message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } })
}
