import { audit } from '#server/audit/log.ts'
import type { RequestContext, SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { countCode, dropResetLinks, mailCode, type Recipient } from './email-codes.ts'
import { requirePasskeyLogin } from './factors.ts'
import { requireReauthentication } from './reauthentication.ts'
import { emailTaken } from './signup.ts'

/**
 * Sends a code to the new address and notifies the old one. The new address stays pending until its code is entered in a
 * session of the account (verification.ts), and replaces an earlier pending one.
 * @throws AppError proof_required, email_taken, rate_limited; forbidden (factors.ts)
 */
export async function requestEmailChange(tx: Tx, ctx: SignedInContext, user: Recipient): Promise<void> {
  await requireReauthentication(tx, ctx)
  await requirePasskeyLogin(tx, ctx.caller)
  const owner = await tx
    .selectFrom('app.users')
    .select('id')
    .where('email', '=', user.email)
    .executeTakeFirst()
  if (owner) throw emailTaken()
  await tx.updateTable('app.users').set({ pending_email: user.email }).where('id', '=', user.id).execute()
  await countCode(tx, ctx.services, user.email, 'stranger')
  await mailCode(tx, ctx, user)
  await notifySecurity(tx, ctx, 'email.requested', { userId: user.id })
  await audit(tx, ctx, { action: 'email.change_requested', subject: { kind: 'user', id: user.id } })
}

/**
 * Makes the pending address the account's, in the transaction that spent its code, and notifies the old one. The unique
 * index refuses an address that another account has taken since: see `orTaken`.
 */
export async function changeEmail(
  tx: Tx,
  ctx: RequestContext,
  before: Recipient & { name: string; email_verified_at: Date | null },
  email: string,
): Promise<void> {
  const { id: userId } = before
  await tx
    .updateTable('app.users')
    .set({ email, pending_email: null, email_verified_at: ctx.services.clock.now() })
    .where('id', '=', userId)
    .execute()
  await dropResetLinks(tx, userId)
  await notifySecurity(tx, ctx, 'email.changed', { userId }, before)
  await audit(tx, ctx, { action: 'email.changed', subject: { kind: 'user', id: userId } })
}

/**
 * Awaits a change of address; if another account has taken the address, drops the pending one.
 * @throws AppError email_taken
 */
export async function orTaken<T>(ctx: RequestContext, userId: string, change: Promise<T>): Promise<T> {
  try {
    return await change
  } catch (error) {
    if ((error as { constraint?: unknown }).constraint !== 'users_email') throw error
    await ctx.services.db.transaction().execute(tx => dropEmailChange(tx, ctx, userId))
    const message = t('Another account now uses this email address. Yours has not changed.')
    throw new AppError('email_taken', message, { fields: { otp: message } })
  }
}

/** Drops the pending address, if any, and its code. */
export async function dropEmailChange(tx: Tx, ctx: RequestContext, userId: string): Promise<void> {
  const { pending_email: pending } = await tx
    .selectFrom('app.users')
    .select('pending_email')
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (pending === null) return
  await tx.updateTable('app.users').set({ pending_email: null }).where('id', '=', userId).execute()
  await tx.deleteFrom('app.email_codes').where('user_id', '=', userId).where('email', '=', pending).execute()
  await audit(tx, ctx, { action: 'email.change_dropped', subject: { kind: 'user', id: userId } })
}
