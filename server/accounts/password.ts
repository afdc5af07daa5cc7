import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { audit } from '#server/audit/log.ts'
import type { RequestContext, Services, SignedInContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { inLanguage, localUrl } from '#server/platform/language.ts'
import { composeEmail, greetingFor } from '#server/platform/mail/compose-email.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { hashPassword, passwordIs } from '#server/platform/passwords.ts'
import { defineTask, enqueue, priorities } from '#server/platform/queue.ts'
import { countAgainst, forget, isCountedWithin, type Limit } from '#server/platform/rate-limit.ts'
import { AppError, invalidField } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { dropEmailChange } from './email-change.ts'
import { dropResetLinks } from './email-codes.ts'
import { dropUnverifiedFactors } from './factors.ts'
import { requireGoodPassword } from './new-password.ts'
import { forgetCodeTries } from './second-factor.ts'
import { endSessions, hashOf } from './sessions.ts'

const RESET_MINUTES = 60
/** Reset emails to one account: enough for a real need, too few to flood a mailbox. */
const resetEmailsPerAccount: Limit = { points: 3, seconds: 3600 }
/** Tries at the account's own password in one session: a stolen session cannot use up those of the owner's. */
export const triesPerSession: Limit = { points: 10, seconds: 900 }

export function passwordKey(sessionId: string): string {
  return `password:${sessionId}`
}

/** A request for a link that sets a new password. */
export const sendResetLink = defineTask(
  'send_reset_link',
  z.object({ email: z.string(), ip: z.string(), requestId: z.string() }),
)

/**
 * Requests a link. Only the job finds out whether the address has an account, so this takes the same for every
 * address.
 */
export async function forgotPassword(
  tx: Tx,
  { ip, requestId }: RequestContext,
  email: string,
): Promise<void> {
  await enqueue(tx, sendResetLink, { email, ip, requestId }, null, priorities.first)
}

/** Mails a link that sets a new password, once, within an hour. Does nothing for an unknown address or a closed account. */
export async function mailResetLink(
  services: Services,
  { email, ip, requestId }: z.output<typeof sendResetLink.payload>,
): Promise<void> {
  const user = await services.db
    .selectFrom('app.users')
    .select(['id', 'name', 'email', 'email_verified_at', 'language'])
    .where('email', '=', email)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  if (!user) return
  const token = randomBytes(32).toString('base64url')
  const now = services.clock.now()
  const expiresAt = new Date(now.getTime() + RESET_MINUTES * 60_000)
  await services.db.transaction().execute(async tx => {
    // In the transaction, so that a job that fails has used up none.
    if (!(await isCountedWithin(tx, services.config, `reset:${user.id}`, resetEmailsPerAccount))) return
    await tx
      .insertInto('app.password_resets')
      .values({
        token_hash: hashOf(token),
        user_id: user.id,
        created_at: now,
        expires_at: expiresAt,
      })
      .execute()
    const usefulUntil = expiresAt.toISOString()
    const { productName } = await currentFirm(tx, services.config)
    const write = () => resetEmail(services, user, token, productName)
    await queueMail(tx, { ...inLanguage(user.language, write), usefulUntil })
    const origin = { services, caller: null, ip, requestId }
    await audit(tx, origin, {
      action: 'password.reset_requested',
      subject: { kind: 'user', id: user.id },
    })
  })
}

function resetEmail(
  { config }: Services,
  user: { name: string; email: string; email_verified_at: Date | null },
  token: string,
  from: string,
) {
  return composeEmail({
    to: user.email,
    subject: t('Set a new password'),
    greeting: greetingFor(user),
    paragraphs: [
      t('Follow this link to set a new password:'),
      t(
        "It works once, within {minutes, plural, one {# minute} other {# minutes}}. If you didn't ask for it, ignore this message: your password stays the same.",
        { minutes: RESET_MINUTES },
      ),
    ],
    action: {
      label: t('Set a new password'),
      url: localUrl(config, `/reset-password#token=${token}`),
    },
    from,
  })
}

/**
 * Sets a new password by a mailed token. Ends every session, other reset links and a pending address; removes the factors of
 * an account whose address was never verified.
 * @throws AppError invalid_reset_token, invalid_input
 */
export async function resetPassword(ctx: RequestContext, token: string, password: string): Promise<void> {
  const now = ctx.services.clock.now()
  const { services } = ctx
  const owner = await services.db
    .selectFrom('app.password_resets as r')
    .innerJoin('app.users as u', 'u.id', 'r.user_id')
    .select(['u.name', 'u.email', 'u.type'])
    .where('r.token_hash', '=', hashOf(token))
    .where('r.used_at', 'is', null)
    .where('r.expires_at', '>', now)
    .executeTakeFirst()
  if (!owner) throw invalidLink()
  await requireGoodPassword(services, 'password', password, owner)
  const passwordHash = await hashPassword(password)
  const userId = await services.db.transaction().execute(async tx => {
    const reset = await tx
      .updateTable('app.password_resets')
      .set({ used_at: now })
      .where('token_hash', '=', hashOf(token))
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .returning('user_id')
      .executeTakeFirst()
    // A parallel try used the link first.
    if (!reset) throw invalidLink()
    const userId = reset.user_id
    await dropResetLinks(tx, userId)
    await tx.updateTable('app.users').set({ password_hash: passwordHash }).where('id', '=', userId).execute()
    await dropEmailChange(tx, ctx, userId)
    await dropUnverifiedFactors(tx, ctx, userId)
    await endSessions(tx, ctx, { userId })
    await notifySecurity(tx, ctx, 'password.changed', { userId })
    await audit(tx, ctx, { action: 'password.reset', subject: { kind: 'user', id: userId }, actorId: userId })
    return userId
  })
  await forgetCodeTries(services, userId)
}

function invalidLink(): AppError {
  return new AppError(
    'invalid_reset_token',
    t('This link was already used or has expired. Request a new one.'),
  )
}

/**
 * Changes the caller's password, ends their other sessions and drops a pending address.
 * @throws AppError invalid_input if the current password is wrong or the new one weak, too_many_tries, not_ready
 */
export async function changePassword(
  ctx: SignedInContext,
  { oldPassword, newPassword }: { oldPassword: string; newPassword: string },
): Promise<void> {
  const { services, caller } = ctx
  const { userId, sessionId } = caller
  await countAgainst(services, passwordKey(sessionId), triesPerSession, 'too_many_tries')
  const user = await services.db
    .selectFrom('app.users')
    .select(['password_hash', 'name', 'email', 'type'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  if (!(await passwordIs(oldPassword, user.password_hash))) {
    throw invalidField('oldPassword', t('Current password is incorrect'))
  }
  await forget(services, passwordKey(sessionId))
  await requireGoodPassword(services, 'newPassword', newPassword, user)
  const passwordHash = await hashPassword(newPassword)
  await services.db.transaction().execute(async tx => {
    const changed = await tx
      .updateTable('app.users')
      .set({ password_hash: passwordHash })
      .where('id', '=', userId)
      .where('password_hash', '=', user.password_hash)
      .executeTakeFirst()
    if (changed.numUpdatedRows === 0n) throw invalidField('oldPassword', t('Current password is incorrect'))
    await dropResetLinks(tx, userId)
    await dropEmailChange(tx, ctx, userId)
    await endSessions(tx, ctx, { userId, except: sessionId })
    await notifySecurity(tx, ctx, 'password.changed', { userId })
    await audit(tx, ctx, { action: 'password.changed', subject: { kind: 'user', id: userId } })
  })
}
