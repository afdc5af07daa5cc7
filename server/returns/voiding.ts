import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { lockReturns } from '#server/earnings/sources.ts'
import { returnVoided } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { stateRefusals } from '#server/queries/messages.ts'
import { requireStatus } from '#server/queries/status.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { lockReturn } from './service.ts'

/** A wrong return is voided by two people, with a reason, as far as it is not paid out. */

/**
 * recorded → void_proposed: from now on no earning is paid from it.
 * @throws AppError not_found, wrong_state
 */
export async function proposeVoid(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  await lockReturns(tx)
  const found = await lockReturn(tx, id)
  requireStatus('return', found, 'proposed_to_void')
  if (found.spent_cents === found.amount_cents) throw stateRefusals.error({ reason: 'all_paid_out' })
  await tx
    .updateTable('app.returns')
    .set({ status: 'void_proposed', void_reason: reason, void_proposed_by: ctx.caller.userId })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: 'return.void_proposed',
    subject: { kind: 'return', id },
    moved: ['recorded', 'void_proposed'],
    reason,
  })
}

/**
 * The second person's approval: void_proposed → voided. What the return has not paid leaves the books.
 * @throws AppError not_found, wrong_state, same_approver
 */
export async function voidReturn(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { userId } = ctx.caller
  await lockReturns(tx)
  const found = await lockReturn(tx, id)
  requireStatus('return', found, 'voided')
  if (found.void_proposed_by === userId) {
    throw new AppError(
      'same_approver',
      t('You proposed to void this return. A second person must decide it.'),
    )
  }
  await tx
    .updateTable('app.returns')
    .set({ status: 'voided', voided_by: userId })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const amountCents = found.amount_cents - found.spent_cents
  await post(tx, returnVoided({ returnId: id, amountCents, actor: userId, memo: found.void_reason! }))
  await audit(tx, ctx, {
    action: 'return.voided',
    subject: { kind: 'return', id },
    moved: ['void_proposed', 'voided'],
  })
}

/**
 * void_proposed → recorded. Nobody but the proposer may keep a return that they recorded or approved.
 * @throws AppError not_found, wrong_state, same_approver
 */
export async function rejectVoid(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const { userId } = ctx.caller
  const found = await lockReturn(tx, id)
  requireStatus('return', found, 'kept')
  const isParty = found.recorded_by === userId || found.approved_by === userId
  if (isParty && found.void_proposed_by !== userId) {
    throw new AppError(
      'same_approver',
      t(
        'You recorded or approved this return. The person who proposed to void it, or a third one, must decide.',
      ),
    )
  }
  await tx
    .updateTable('app.returns')
    .set({ status: 'recorded', void_reason: null, void_proposed_by: null })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: 'return.void_rejected',
    subject: { kind: 'return', id },
    moved: ['void_proposed', 'recorded'],
    reason,
  })
}
