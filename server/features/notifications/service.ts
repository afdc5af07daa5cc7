import type { SignedInContext, Tx } from '#server/context.ts'
import { AppError } from '#shared/errors.ts'
import type { MoneyNotice } from '#shared/notifications.ts'

/**
 * Marks one of the caller's notifications as read; one that is read already stays as it is.
 * @throws AppError forbidden, in the same words for what is another's and what is not there (D8)
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
 * Marks the caller's notifications as read up to this one, the newest that he has seen: what has come since stays.
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
  if (!own) throw new AppError('forbidden', 'You can mark your own notifications only')
}

/** From now on the caller gets letters about money of all kinds but these. */
export async function muteLetters(tx: Tx, { caller }: SignedInContext, muted: MoneyNotice[]): Promise<void> {
  await tx.deleteFrom('app.muted_emails').where('user_id', '=', caller.userId).execute()
  if (muted.length === 0) return
  await tx
    .insertInto('app.muted_emails')
    .values([...new Set(muted)].map(kind => ({ user_id: caller.userId, kind })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
