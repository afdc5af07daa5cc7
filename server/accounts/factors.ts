import { audit } from '#server/audit/log.ts'
import type { Caller, RequestContext, SignedInContext, Tx } from '#server/context.ts'
import { emailNotVerified } from '#server/ledger/refusals.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { endSessions } from './sessions.ts'

/**
 * Serialises changes to an account's factors with logins under way, which read the same row (login.ts): a login comes
 * first, with its session, or sees the change.
 */
export async function lockAccount(tx: Tx, userId: string): Promise<void> {
  await tx.selectFrom('app.users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
}

/**
 * Only a verified account may add a factor. Otherwise someone who registered another person's address would keep a way in
 * after its owner resets the password.
 * @throws AppError email_not_verified; forbidden as `requirePasskeyLogin`
 */
export async function requireCanAddFactor(tx: Tx, caller: Caller): Promise<void> {
  const user = await tx
    .selectFrom('app.users')
    .select('email_verified_at')
    .where('id', '=', caller.userId)
    .executeTakeFirst()
  if (!user?.email_verified_at)
    throw emailNotVerified(
      t('Please verify email address before you set up two-factor authentication or a passkey'),
    )
  await requirePasskeyLogin(tx, caller)
}

/**
 * An account with passkeys changes its factors and address only in a session that showed a second factor. A refused passkey
 * cannot be shown, so it does not count, except for an admin in live mode, who then needs the operator.
 * @throws AppError forbidden
 */
export async function requirePasskeyLogin(tx: Tx, { userId, sessionId, mustSetUp }: Caller): Promise<void> {
  const unshown = await tx
    .selectFrom('app.sessions as s')
    .innerJoin('app.passkeys as p', 'p.user_id', 's.user_id')
    .select('s.id')
    .where('s.id', '=', sessionId)
    .where('s.user_id', '=', userId)
    .where('s.second_factor', '=', false)
    .$if(!mustSetUp, query => query.where('p.refused_at', 'is', null))
    .limit(1)
    .executeTakeFirst()
  if (!unshown) return
  throw new AppError('forbidden', t('Log in with your passkey first. If you have lost it, contact us.'))
}

/**
 * Once only the password is left, no session counts as opened with a second factor. A refused passkey cannot be shown, so it
 * does not count. Sessions of a live firm's staff end, since their access tokens carry the rights that need one.
 */
export async function clearShownFactors(tx: Tx, ctx: SignedInContext): Promise<void> {
  const { userId, role, mustSetUp } = ctx.caller
  const cleared = await tx
    .updateTable('app.sessions')
    .set({ second_factor: false })
    .where('user_id', '=', userId)
    .where('second_factor', '=', true)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('app.second_factors')
            .select('user_id')
            .where('user_id', '=', userId)
            .where('confirmed_at', 'is not', null),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('app.passkeys')
            .select('id')
            .where('user_id', '=', userId)
            .where('refused_at', 'is', null),
        ),
      ),
    )
    .executeTakeFirst()
  if (cleared.numUpdatedRows > 0n && (role !== null || mustSetUp) && ctx.services.config.mode === 'live') {
    await endSessions(tx, ctx, { userId })
  }
}

/** Removes every factor of an account. Recovery codes cascade with the second factor. */
export async function dropFactors(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('app.second_factors').where('user_id', '=', userId).execute()
  await tx.deleteFrom('app.passkeys').where('user_id', '=', userId).execute()
}

/**
 * Removes the factors of an account whose address was never verified, and notifies the mailbox's owner, who has just set a
 * password and need not be the person who added them.
 */
export async function dropUnverifiedFactors(tx: Tx, ctx: RequestContext, userId: string): Promise<void> {
  const unverified = await tx
    .selectFrom('app.users')
    .select('id')
    .where('id', '=', userId)
    .where('email_verified_at', 'is', null)
    .executeTakeFirst()
  if (!unverified) return
  const by = { subject: { kind: 'user', id: userId }, actorId: userId }
  const factor = await tx
    .deleteFrom('app.second_factors')
    .where('user_id', '=', userId)
    .returning('confirmed_at')
    .executeTakeFirst()
  if (factor?.confirmed_at) {
    await audit(tx, ctx, { action: 'second_factor.off', ...by })
    await notifySecurity(tx, ctx, 'second_factor.off', { userId })
  }
  const passkeys = await tx
    .selectFrom('app.passkeys')
    .select(['id', 'name'])
    .where('user_id', '=', userId)
    .execute()
  for (const { id, name } of passkeys) {
    await audit(tx, ctx, { action: 'passkey.removed', ...by, details: { passkey: name } })
    // The text reads the passkey's row, so notify before deleting it.
    await notifySecurity(tx, ctx, 'passkey.removed', { userId, aboutId: id })
  }
  await tx.deleteFrom('app.passkeys').where('user_id', '=', userId).execute()
}
