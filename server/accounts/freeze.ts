import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { nameStopOf } from '#server/screening/name-stop.ts'
import { monitoringHours } from '#shared/limits.ts'
import { requireCanAdminister } from './can-administer.ts'
import { accountRefusals } from './messages.ts'

/**
 * Freezes an account: the database refuses whatever would move its money, except back to it. Actions under way finish first;
 * no money moves and no session ends (docs/decisions/0020-account-freeze.md).
 * @param reason for staff; the owner is notified of the freeze without it
 * @throws AppError own_request, forbidden, not_found; already_frozen, account_closed
 */
export async function freezeAccount(
  tx: Tx,
  ctx: SignedInContext,
  userId: string,
  reason: string,
): Promise<void> {
  const { isFrozen, isClosed } = await lockAgainstMovements(tx, ctx, userId)
  if (isClosed) throw accountRefusals.error({ reason: 'account_closed' })
  if (isFrozen) throw accountRefusals.error({ reason: 'already_frozen' })
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
 * Ends a freeze. Pending payments could not be approved meanwhile, so their addresses are watched for a full period again.
 * @throws AppError own_request, forbidden, not_found; not_frozen, account_closed, owner_listed
 */
export async function unfreezeAccount(
  tx: Tx,
  ctx: SignedInContext,
  userId: string,
  reason: string,
): Promise<void> {
  await watchLonger(tx, ctx, userId)
  const { isFrozen, isClosed } = await lockAgainstMovements(tx, ctx, userId)
  if (isClosed) throw accountRefusals.error({ reason: 'account_closed' })
  if (!isFrozen) throw accountRefusals.error({ reason: 'not_frozen' })
  await requireUnlistedOwner(tx, userId)
  await tx
    .updateTable('app.users')
    .set({ frozen_at: null, frozen_by: null, freeze_reason: null })
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, { action: 'account.unfrozen', subject: { kind: 'user', id: userId }, reason })
  await notifySecurity(tx, ctx, 'account.unfrozen', { userId })
}

/**
 * While the owner is on a sanctions list, as staff have decided, their account stays frozen or closed.
 * @throws AppError owner_listed
 */
export async function requireUnlistedOwner(tx: Tx, userId: string): Promise<void> {
  const stop = await nameStopOf(tx, userId)
  if (stop?.why === 'same') throw accountRefusals.error({ ...stop, reason: 'owner_listed' })
}

/** Runs before the account is locked: deciding a deposit locks the deposit first, then the account. */
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

/** Locks the row against every movement of the account's money, each of which holds it FOR KEY SHARE. */
async function lockAgainstMovements(
  tx: Tx,
  { caller }: SignedInContext,
  userId: string,
): Promise<{ isFrozen: boolean; isClosed: boolean }> {
  await requireCanAdminister(tx, caller, userId)
  const row = await tx
    .selectFrom('app.users')
    .select(['frozen_at', 'closed_at'])
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return { isFrozen: row.frozen_at !== null, isClosed: row.closed_at !== null }
}
