import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifyCancelled } from '#server/notifications/notices.ts'
import { lockWithdrawal } from '#server/payouts/pay.ts'
import { requireOwnRequest, requireStatus } from '#server/queries/status.ts'
import { isRestored } from '#server/restores/beat.ts'
import { release } from './decline.ts'
import { withdrawalRefusals } from './messages.ts'
import { findWithdrawal } from './queries.ts'

/**
 * pending → declined by the investor; releases the hold. Nobody can have paid it, except before a restore.
 * @throws AppError forbidden, wrong_state, cancelling_paused
 */
export async function cancelWithdrawal(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { services, caller } = ctx
  requireOwnRequest('withdrawal', await findWithdrawal(tx, id), caller.userId)
  const withdrawal = await lockWithdrawal(tx, id)
  if (await isRestored({ db: tx, config: services.config }))
    throw withdrawalRefusals.error({ reason: 'cancelling_paused' })
  requireStatus('withdrawal', withdrawal, 'cancelled')
  await release(tx, [{ by: ctx, withdrawal, ending: { cancelledBy: caller.userId } }])
  await audit(tx, ctx, {
    action: 'withdrawal.cancelled',
    subject: { kind: 'withdrawal', id },
    moved: ['pending', 'declined'],
  })
  await notifyCancelled(tx, 'withdrawal.cancelled', withdrawal, services.clock.now())
}
