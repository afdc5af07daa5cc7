import { audit } from '#server/audit/log.ts'
import { holdCursorOf } from '#server/chain/cursor.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifyCancelled } from '#server/notifications/notices.ts'
import { requireOwnRequest, requireStatus } from '#server/queries/status.ts'
import { awaiting, type Deposit, type Investment, lockPayment } from './locks.ts'
import { depositRefusals } from './messages.ts'
import { findDeposit } from './queries.ts'
import { endDeposit, endPendingInvestment } from './settle.ts'
import { cancelRefusal } from './stage.ts'

/**
 * pending → declined by the investor, with the investment that it was to pay. A payment that arrives after all is credited to the balance.
 * @throws AppError forbidden, wrong_state, payment_seen, payment_reversed
 */
export async function cancelDeposit(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  requireOwnRequest('deposit', await findDeposit(tx, id), ctx.caller.userId)
  // A sync that has seen its payment finishes first.
  await holdCursorOf(tx, id)
  const { deposit, investment } = await lockPayment(tx, id)
  requireStatus('deposit', deposit, 'cancelled')
  const paid = awaiting(investment)
  if (paid !== null) return cancelPendingInvestment(tx, ctx, { investment: paid, deposit })
  requireUnseen(deposit)
  await endDeposit(tx, deposit, { cancelledBy: ctx.caller.userId })
  await auditCancelled(tx, ctx, 'deposit', id)
  await notifyCancelled(tx, 'deposit.cancelled', deposit, ctx.services.clock.now())
}

/**
 * Cancels an investment and its payment, both locked; what is held for it is available again.
 * @throws AppError payment_seen, payment_reversed
 */
export async function cancelPendingInvestment(
  tx: Tx,
  ctx: SignedInContext,
  { investment, deposit }: { investment: Investment; deposit: Deposit | undefined },
): Promise<void> {
  const awaited = deposit?.status === 'pending' ? deposit : undefined
  if (awaited) requireUnseen(awaited)
  await endPendingInvestment(tx, ctx, { investment, deposit }, { cancelledBy: ctx.caller.userId })
  if (awaited) await auditCancelled(tx, ctx, 'deposit', awaited.id)
  await auditCancelled(tx, ctx, 'investment', investment.id)
  await notifyCancelled(tx, 'investment.cancelled', investment, ctx.services.clock.now())
}

function auditCancelled(
  tx: Tx,
  ctx: SignedInContext,
  kind: 'deposit' | 'investment',
  id: string,
): Promise<void> {
  const moved = ['pending', 'declined'] as const
  return audit(tx, ctx, { action: `${kind}.cancelled`, subject: { kind, id }, moved })
}

function requireUnseen(deposit: Deposit): void {
  const refusal = cancelRefusal(deposit)
  if (refusal) throw depositRefusals.error(refusal)
}
