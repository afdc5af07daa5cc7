import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { AppError } from '#shared/errors.ts'
import { monitoringHours } from '#shared/limits.ts'
import { requireCareOf } from './administer.ts'

/**
 * Freezes an account: from now on the database refuses whatever would move its money but back to it. Acts on it that are under
 * way end first. No money moves, and no session ends (docs/decisions/0020-account-freeze.md).
 * @param reason for staff; the owner is told that it is frozen, and not why
 * @throws AppError own_request, forbidden, not_found, wrong_state
 */
export async function freezeAccount(
  tx: Tx,
  ctx: SignedInContext,
  userId: string,
  reason: string,
): Promise<void> {
  const { isFrozen } = await lockAgainstActs(tx, ctx, userId)
  if (isFrozen) throw new AppError('wrong_state', 'This account is frozen already')
  const freeze = {
    frozen_at: ctx.services.clock.now(),
    frozen_by: ctx.caller.userId,
    freeze_reason: reason,
  }
  await tx.updateTable('app.users').set(freeze).where('id', '=', userId).executeTakeFirstOrThrow()
  await audit(tx, ctx, { action: 'account.frozen', subject: { kind: 'user', id: userId }, reason })
  await notifySecurity(tx, ctx, 'account.frozen', { userId })
}

/**
 * Ends a freeze. Payments that were waited for could not be approved meanwhile: they are waited for at least as long again as
 * an address is watched.
 * @throws AppError own_request, forbidden, not_found, wrong_state
 */
export async function unfreezeAccount(
  tx: Tx,
  ctx: SignedInContext,
  userId: string,
  reason: string,
): Promise<void> {
  await watchLonger(tx, ctx, userId)
  const { isFrozen } = await lockAgainstActs(tx, ctx, userId)
  if (!isFrozen) throw new AppError('wrong_state', 'This account is not frozen')
  await tx
    .updateTable('app.users')
    .set({ frozen_at: null, frozen_by: null, freeze_reason: null })
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, { action: 'account.unfrozen', subject: { kind: 'user', id: userId }, reason })
  await notifySecurity(tx, ctx, 'account.unfrozen', { userId })
}

/** Before the account is locked: whoever decides a deposit has locked that first, and the account after it. */
async function watchLonger(tx: Tx, { services }: SignedInContext, userId: string): Promise<void> {
  const until = new Date(services.clock.now().getTime() + monitoringHours * 3_600_000)
  await tx
    .updateTable('app.deposits')
    .set({ watch_until: until })
    .where('user_id', '=', userId)
    .where('status', '=', 'pending')
    .where('watch_until', '<', until)
    .execute()
}

/** For the whole transaction, against every act on its money: each of them holds the row FOR KEY SHARE. */
async function lockAgainstActs(
  tx: Tx,
  { caller }: SignedInContext,
  userId: string,
): Promise<{ isFrozen: boolean }> {
  await requireCareOf(tx, caller, userId)
  const row = await tx
    .selectFrom('app.users')
    .select('frozen_at')
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return { isFrozen: row.frozen_at !== null }
}
