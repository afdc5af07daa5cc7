import type { Caller, SignedInContext, Tx } from '#server/context.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import type { MoneyNotice } from '#shared/notifications.ts'
import { choicesOf, isFor, isUnread } from './alerts/choices.ts'

/**
 * Marks one of the caller's notifications as read, or an alert that they get; marking it again changes nothing.
 * @throws AppError forbidden, alike for another user's notification and for an unknown id (D8)
 */
export async function markRead(tx: Tx, { services, caller }: SignedInContext, id: string): Promise<void> {
  const now = services.clock.now()
  if (await isOwn(tx, caller, id)) {
    await tx
      .updateTable('app.notifications')
      .set({ read_at: now })
      .where('id', '=', id)
      .where('read_at', 'is', null)
      .execute()
    return
  }
  if (!(await readAlerts(tx, caller, 'only', id, now))) throw notTheirs()
}

/**
 * Marks the caller's notifications and alerts as read up to the newest one they have seen; later ones stay unread.
 * @throws AppError forbidden
 */
export async function markAllRead(
  tx: Tx,
  { services, caller }: SignedInContext,
  until: string,
): Promise<void> {
  const now = services.clock.now()
  const isAlert = await readAlerts(tx, caller, 'until', until, now)
  if (!isAlert && !(await isOwn(tx, caller, until))) throw notTheirs()
  await tx
    .updateTable('app.notifications')
    .set({ read_at: now })
    .where('user_id', '=', caller.userId)
    .where('id', '<=', until)
    .where('read_at', 'is', null)
    .execute()
}

async function isOwn(tx: Tx, { userId }: Caller, id: string): Promise<boolean> {
  const own = await tx
    .selectFrom('app.notifications')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return own !== undefined
}

function notTheirs(): AppError {
  return new AppError('forbidden', t('You can only mark your own notifications'))
}

/**
 * Marks one of the alerts that a member of staff gets as read, or also the open ones before it.
 * @returns false if they do not get this one
 */
async function readAlerts(
  tx: Tx,
  caller: Caller,
  which: 'only' | 'until',
  id: string,
  now: Date,
): Promise<boolean> {
  if (caller.role === null) return false
  const theirs = isFor(caller.userId, await choicesOf(tx, caller), 'bell')
  const alerts = tx.selectFrom('app.staff_alerts as a').where(theirs)
  const named = await alerts.select('a.id').where('a.id', '=', id).executeTakeFirst()
  await tx
    .insertInto('app.staff_alert_reads')
    .columns(['alert_id', 'user_id', 'read_at'])
    .expression(
      alerts
        .select(({ val }) => ['a.id', val(caller.userId).as('user_id'), val(now).as('read_at')])
        .where('a.id', which === 'only' ? '=' : '<=', id)
        .where(isUnread(caller.userId)),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return named !== undefined
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
