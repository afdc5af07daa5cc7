import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { lockBatch, requireNotPayee, requireOpen, updateStatus } from './batch.ts'
import type { DraftRow, Signed } from './draft.ts'
import { readSigned } from './drafts.ts'
import { requirePayable } from './files.ts'
import { payoutRefusals } from './messages.ts'
import { requireNoRestore } from './restored.ts'

/**
 * Stores signed transactions of a batch, which the next sync broadcasts. Each is exactly one of its unsigned ones, or it is
 * refused. Of a PSBT that needs more signatures, those collected so far are kept. Of payments that have ended, only what paid
 * and was dropped by a reorg is taken, also after the batch has ended.
 * @param text PSBT in base64 or hexadecimal, raw transactions in hexadecimal, or TRON's JSON
 * @throws AppError not_found, own_request, wrong_state, invalid_input
 */
export async function signBatch(tx: Tx, ctx: SignedInContext, id: string, text: string): Promise<void> {
  const batch = await lockBatch(tx, id)
  const dropped = await droppedPayments(tx, id)
  if (dropped.size === 0) requireOpen(batch, 'signed')
  await requireNotPayee(tx, ctx, id)
  const drafts = await allDrafts(tx, id)
  const signed = neededOnes(await readSigned(ctx.services.config, batch, drafts, text), dropped)
  const isPaying = signed.some(({ draft }) => isOpen(draft) && draft.purpose !== 'cancellation')
  if (isPaying) {
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

/** Ids of transactions that are in the books as paid and that no network shows any more. */
async function droppedPayments(tx: Tx, id: string): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('app.payout_items as i')
    .innerJoin('app.payout_payments as p', join =>
      join.onRef('p.batch_id', '=', 'i.batch_id').onRef('p.position', '=', 'i.payment'),
    )
    .select('i.transaction_id')
    .where('i.batch_id', '=', id)
    .where('i.state', '=', 'paid')
    .where('p.used_by', 'is', null)
    .execute()
  return new Set(rows.flatMap(({ transaction_id }) => transaction_id ?? []))
}

const isOpen = ({ status }: DraftRow) => status !== 'final' && status !== 'void'

/**
 * Those of payments that can still change, and those that a reorg dropped. A wallet signs the whole file, also what the network
 * has decided meanwhile.
 * @throws AppError wrong_state
 */
function neededOnes(signed: Signed[], dropped: ReadonlySet<string>): Signed[] {
  const needed = signed.filter(
    one => isOpen(one.draft) || (one.kind === 'complete' && dropped.has(one.transactionId)),
  )
  if (needed.length === 0) throw payoutRefusals.error({ reason: 'payments_ended' }, 'signed')
  return needed
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
