import { sql } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { isRestored } from '#server/restores/beat.ts'
import { endPayment } from './assess.ts'
import { type BatchRow, lockOpenBatch, updateStatus } from './batch.ts'
import { watchChange } from './bitcoin.ts'
import { lockCreation } from './create.ts'
import { cancellation, higherFee } from './drafts.ts'
import { insertFile, requirePayable } from './files.ts'
import { payoutRefusals } from './messages.ts'
import { requireNoRestore } from './restored.ts'

/**
 * Cancels a batch. While nobody has its file, its withdrawals and slots are free at once. Afterwards, only the network can
 * decide: a new file contains transactions that use the same slots and pay nobody. On TRON its expiry decides.
 * @param feeRate Bitcoin: satoshi per virtual byte
 * @throws AppError not_found, wrong_state
 */
export async function cancelBatch(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { reason, feeRate }: { reason: string; feeRate?: number | undefined },
): Promise<void> {
  await lockCreation(tx)
  const batch = await lockOpenBatch(tx, id, 'cancelled')
  if (batch.cancelled_at !== null) throw payoutRefusals.error({ reason: 'being_cancelled' })
  const now = ctx.services.clock.now()
  await tx
    .updateTable('app.payout_batches')
    .set({ cancelled_at: now, cancelled_by: ctx.caller.userId, cancel_reason: reason })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  // A restored database has forgotten who has the file.
  const isForgotten = await isRestored({ db: tx, config: ctx.services.config })
  if (!isForgotten && !(await isOutside(tx, id))) await endUnneeded(tx, batch, now)
  const needsNetwork = (await openPayments(tx, id)).length > 0
  if (needsNetwork && batch.rail !== 'usdt')
    await addFile(tx, ctx, batch, { purpose: 'cancellation', feeRate })
  await audit(tx, ctx, {
    action: needsNetwork ? 'payout.cancelling' : 'payout.cancelled',
    subject: { kind: 'payout', id },
    reason,
  })
}

/** Ends the payments of a batch whose files nobody has, but for nonces that later ones wait for: those must be used. */
async function endUnneeded(tx: Tx, batch: BatchRow, now: Date): Promise<void> {
  const { id } = batch
  const needed = await withLaterNonce(tx, batch)
  for (const position of await openPayments(tx, id))
    if (!needed.has(position)) await endPayment(tx, { batch: id, position }, 'void')
  await updateStatus(tx, id, now)
}

/** Ethereum: the payments of which another batch holds a later nonce of the same sender. */
async function withLaterNonce(tx: Tx, { id, rail }: BatchRow): Promise<Set<number>> {
  if (rail !== 'ethereum') return new Set()
  const { rows } = await sql<{ payment: number }>`
    SELECT DISTINCT own.payment FROM app.payout_slots own
      JOIN app.payout_slots later ON later.held AND later.batch_id <> own.batch_id
       AND split_part(later.slot, ':', 1) = split_part(own.slot, ':', 1)
       AND length(split_part(later.slot, ':', 2)) < 16
      JOIN app.payout_batches b ON b.id = later.batch_id AND b.rail = 'ethereum'
     WHERE own.batch_id = ${id} AND split_part(later.slot, ':', 2)::bigint > split_part(own.slot, ':', 2)::bigint`.execute(
    tx,
  )
  return new Set(rows.map(({ payment }) => payment))
}

/** True if somebody has a file of the batch, or the network shows one of its transactions. */
async function isOutside(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('app.payout_batches as b')
    .select('b.id')
    .where('b.id', '=', id)
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom('app.payout_files as f')
            .select('f.version')
            .whereRef('f.batch_id', '=', 'b.id')
            .where('f.exported_at', 'is not', null),
        ),
        exists(
          selectFrom('app.payout_payments as p')
            .select('p.position')
            .whereRef('p.batch_id', '=', 'b.id')
            .where('p.status', '<>', 'drafted'),
        ),
      ]),
    )
    .executeTakeFirst()
  return row !== undefined
}

async function openPayments(tx: Tx, id: string): Promise<number[]> {
  const rows = await tx
    .selectFrom('app.payout_payments')
    .select('position')
    .where('batch_id', '=', id)
    .where('status', 'not in', ['final', 'void'])
    .orderBy('position')
    .execute()
  return rows.map(({ position }) => position)
}

/**
 * Makes a file whose transactions use the same slots with a higher fee: the network takes one of them. They pay the same, or
 * cancel if the batch is being cancelled.
 * @throws AppError not_found, wrong_state
 */
export async function raiseFee(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { feeRate }: { feeRate?: number | undefined },
): Promise<void> {
  await lockCreation(tx)
  const batch = await lockOpenBatch(tx, id, 'paid with a higher fee')
  if (batch.rail === 'usdt') throw payoutRefusals.error({ reason: 'no_higher_fee' })
  if (batch.by_safe) throw payoutRefusals.error({ reason: 'safe_executor_pays' })
  const isCancelling = batch.cancelled_at !== null
  if (!isCancelling) {
    await requireNoRestore(tx, ctx.services.config)
    await requirePayable(tx, ctx, batch)
  }
  await addFile(tx, ctx, batch, { purpose: isCancelling ? 'cancellation' : 'higher_fee', feeRate })
  await audit(tx, ctx, { action: 'payout.fee_raised', subject: { kind: 'payout', id }, details: { feeRate } })
}

/** Adds a file for the payments whose slots no block has used yet. */
async function addFile(
  tx: Tx,
  ctx: SignedInContext,
  batch: BatchRow,
  { purpose, feeRate }: { purpose: 'higher_fee' | 'cancellation'; feeRate: number | undefined },
): Promise<void> {
  const { services } = ctx
  const { latest } = await tx
    .selectFrom('app.payout_files')
    .select(({ fn }) => fn.max('version').as('latest'))
    .where('batch_id', '=', batch.id)
    .executeTakeFirstOrThrow()
  const version = latest + 1
  const of = { batch, version, feeRate, now: services.clock.now() }
  const make = purpose === 'cancellation' ? cancellation : higherFee
  const funded = await make(tx, services.config, of)
  if (funded.drafts.length === 0) throw payoutRefusals.error({ reason: 'already_mined' })
  await insertFile(tx, ctx, { id: batch.id, version, purpose }, funded)
  await watchChange(tx, services.config, funded, of.now)
}
