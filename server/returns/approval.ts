import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { returnRecorded } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { requireStatus } from '#server/queries/status.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { lockReturn } from './service.ts'

/**
 * The second person's approval of a large return: pending → recorded.
 * @throws AppError not_found, wrong_state, same_approver
 */
export async function approveReturn(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { userId } = ctx.caller
  const found = await lockReturn(tx, id)
  requireStatus('return', found, 'approved')
  if (found.recorded_by === userId) {
    throw new AppError('same_approver', t('You submitted this return. A second person must approve it.'))
  }
  await tx
    .updateTable('app.returns')
    .set({ status: 'recorded', approved_by: userId })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { amount_cents: amountCents, source } = found
  await post(tx, returnRecorded({ returnId: id, amountCents, actor: userId, memo: source }))
  await audit(tx, ctx, {
    action: 'return.approved',
    subject: { kind: 'return', id },
    moved: ['pending', 'recorded'],
  })
}

/**
 * pending → declined, with a reason; the person who submitted the return may do so too.
 * @throws AppError not_found, wrong_state
 */
export async function declineReturn(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  requireStatus('return', await lockReturn(tx, id), 'declined')
  await tx
    .updateTable('app.returns')
    .set({ status: 'declined', decline_reason: reason })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: 'return.declined',
    subject: { kind: 'return', id },
    moved: ['pending', 'declined'],
    reason,
  })
}
