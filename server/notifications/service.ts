import type { SignedInContext, Tx } from '#server/context.ts'
import { AppError } from '#shared/errors.ts'
import type { MoneyNotice } from '#shared/notifications.ts'

/**
 * Marks one of the caller's notifications as read; marking it again changes nothing.
 * @throws AppError forbidden, alike for another user's notification and for an unknown id (D8)
 */
export async function markRead(tx: Tx, { services, caller }: SignedInContext, id: string): Promise<void> {
  await requireOwn(tx, caller.userId, id)
  await tx
    .updateTable('app.notifications')
    .set({ read_at: services.clock.now() })
    .where('id', '=', id)
    .where('read_at', 'is', null)
    .execute()
}

/**
 * Marks the caller's notifications as read up to the newest one they have seen; later ones stay unread.
 * @throws AppError forbidden
 */
export async function markAllRead(
  tx: Tx,
  { services, caller }: SignedInContext,
  until: string,
): Promise<void> {
  await requireOwn(tx, caller.userId, until)
  await tx
    .updateTable('app.notifications')
    .set({ read_at: services.clock.now() })
    .where('user_id', '=', caller.userId)
    .where('id', '<=', until)
    .where('read_at', 'is', null)
    .execute()
}

async function requireOwn(tx: Tx, userId: string, id: string): Promise<void> {
  const own = await tx
    .selectFrom('app.notifications')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!own) throw new AppError('forbidden', 'You can only mark your own notifications')
}

/** Turns off the caller's emails about money of these kinds, and no others. */
export async function muteEmails(tx: Tx, { caller }: SignedInContext, muted: MoneyNotice[]): Promise<void> {
  await tx.deleteFrom('app.muted_emails').where('user_id', '=', caller.userId).execute()
  if (muted.length === 0) return
  await tx
    .insertInto('app.muted_emails')
    .values([...new Set(muted)].map(kind => ({ user_id: caller.userId, kind })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
