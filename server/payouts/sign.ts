import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { lockOpenBatch, requireNotPayee, updateStatus } from './batch.ts'
import type { DraftRow, Signed } from './draft.ts'
import { readSigned } from './drafts.ts'
import { requirePayable } from './files.ts'
import { payoutRefusals } from './messages.ts'
import { requireNoRestore } from './restored.ts'

/**
 * Stores signed transactions of a batch, which the next sync broadcasts. Each is exactly one of its unsigned ones, or it is
 * refused. Of a PSBT that needs more signatures, those collected so far are kept.
 * @param text PSBT in base64 or hexadecimal, raw transactions in hexadecimal, or TRON's JSON
 * @throws AppError not_found, own_request, wrong_state, invalid_input
 */
export async function signBatch(tx: Tx, ctx: SignedInContext, id: string, text: string): Promise<void> {
  const batch = await lockOpenBatch(tx, id, 'signed')
  await requireNotPayee(tx, ctx, id)
  const drafts = await allDrafts(tx, id)
  const signed = openOnes(await readSigned(ctx.services.config, batch, drafts, text))
  const versions = new Set(signed.map(({ draft }) => draft.version))
  const isCancelling = drafts.every(
    ({ version, purpose }) => !versions.has(version) || purpose === 'cancellation',
  )
  if (!isCancelling) {
    await requireNoRestore(tx, ctx.services.config)
    if (batch.cancelled_at !== null) throw payoutRefusals.error({ reason: 'being_cancelled' })
    await requirePayable(tx, ctx, batch)
  }
  for (const one of signed) await storeSigned(tx, ctx, one)
  await updateStatus(tx, id, ctx.services.clock.now())
  await audit(tx, ctx, {
    action: 'payout.signed',
    subject: { kind: 'payout', id },
    details: {
      transactions: signed.map(one =>
        one.kind === 'complete' ? one.transactionId : `${one.have} of ${one.needed} signatures`,
      ),
    },
  })
}

/**
 * Those of payments that can still change. A wallet signs the whole file, also what the network has decided meanwhile.
 * @throws AppError wrong_state
 */
function openOnes(signed: Signed[]): Signed[] {
  const open = signed.filter(({ draft }) => draft.status !== 'final' && draft.status !== 'void')
  if (open.length === 0) throw payoutRefusals.error({ reason: 'payments_ended' }, 'signed')
  return open
}

async function allDrafts(tx: Tx, id: string): Promise<DraftRow[]> {
  return tx
    .selectFrom('app.payout_drafts as d')
    .innerJoin('app.payout_payments as p', join =>
      join.onRef('p.batch_id', '=', 'd.batch_id').onRef('p.position', '=', 'd.payment'),
    )
    .innerJoin('app.payout_files as f', join =>
      join.onRef('f.batch_id', '=', 'd.batch_id').onRef('f.version', '=', 'd.version'),
    )
    .select([
      'd.batch_id',
      'd.payment',
      'd.version',
      'p.sender',
      'd.plan',
      'd.collected',
      'd.signed',
      'd.transaction_id',
      'f.purpose',
      'p.status',
    ])
    .where('d.batch_id', '=', id)
    .orderBy('d.version')
    .orderBy('d.payment')
    .execute()
}

async function storeSigned(tx: Tx, { services, caller }: SignedInContext, signed: Signed): Promise<void> {
  const { draft } = signed
  if (draft.signed !== null) {
    if (signed.kind === 'complete' && signed.transactionId === draft.transaction_id) return
    throw payoutRefusals.error({ reason: 'signed_already', transactionId: draft.transaction_id! }, 'signed')
  }
  const change =
    signed.kind === 'partial'
      ? { collected: Buffer.from(signed.psbt), signatures: signed.have, signatures_needed: signed.needed }
      : {
          signed: Buffer.from(signed.raw),
          transaction_id: signed.transactionId,
          signed_at: services.clock.now(),
          signed_by: caller.userId,
        }
  await tx
    .updateTable('app.payout_drafts')
    .set(change)
    .where('batch_id', '=', draft.batch_id)
    .where('payment', '=', draft.payment)
    .where('version', '=', draft.version)
    .executeTakeFirstOrThrow()
  if (signed.kind === 'partial') return
  await tx
    .updateTable('app.payout_payments')
    .set({ status: 'signed' })
    .where('batch_id', '=', draft.batch_id)
    .where('position', '=', draft.payment)
    .where('status', '=', 'drafted')
    .execute()
}
