import { audit } from '#server/audit/log.ts'
import type { RequestContext, SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { AppError } from '#shared/errors.ts'
import { refuseUnshownPasskey } from './factors.ts'
import { type Addressee, countCode, dropResetLinks, mailCode } from './mailed.ts'
import { requireProof } from './reauthentication.ts'
import { emailTaken } from './signup.ts'

/**
 * An account's address is the one that its owner has shown to be his. Another one is pending until the code that was sent to
 * it is entered in a session of the account (verification.ts); logins and letters go by the old one until then.
 */

/**
 * Sends a code to the new address and tells the old one; the one that was waited for before is forgotten.
 * @throws AppError proof_required, email_taken, rate_limited; forbidden (factors.ts)
 */
export async function requestEmailChange(tx: Tx, ctx: SignedInContext, user: Addressee): Promise<void> {
  await requireProof(tx, ctx)
  await refuseUnshownPasskey(tx, ctx.caller)
  const owner = await tx
    .selectFrom('app.users')
    .select('id')
    .where('email', '=', user.email)
    .executeTakeFirst()
  if (owner) throw emailTaken()
  await tx.updateTable('app.users').set({ pending_email: user.email }).where('id', '=', user.id).execute()
  await countCode(tx, ctx.services, user.email)
  await mailCode(tx, ctx, user)
  await notifySecurity(tx, ctx, 'email.requested', { userId: user.id })
  await audit(tx, ctx, { action: 'email.change_requested', subject: { kind: 'user', id: user.id } })
}

/**
 * The pending address becomes the account's, in the transaction that has spent its code; the old one is told. The index
 * decides where somebody else has it by now: see `orTaken`.
 */
export async function changeEmail(
  tx: Tx,
  ctx: RequestContext,
  before: Addressee,
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
 * Does what may make a pending address the account's. Where another account has it by now, nothing is waited for any more.
 * @throws AppError email_taken
 */
export async function orTaken<T>(ctx: RequestContext, userId: string, change: Promise<T>): Promise<T> {
  try {
    return await change
  } catch (error) {
    if ((error as { constraint?: unknown }).constraint !== 'users_email') throw error
    await ctx.services.db.transaction().execute(tx => dropEmailChange(tx, ctx, userId))
    const message =
      'Another account has taken this email address in the meantime. Yours keeps the address that it has.'
    throw new AppError('email_taken', message, { fields: { otp: message } })
  }
}

/** Forgets the address that is waited for, where there is one, with its code. */
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
