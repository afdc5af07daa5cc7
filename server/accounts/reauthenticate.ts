import { audit } from '#server/audit/log.ts'
import type { SignedInContext } from '#server/context.ts'
import { passwordIs } from '#server/platform/passwords.ts'
import { countAgainst, forget } from '#server/platform/rate-limit.ts'
import { invalidField } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { passwordKey, triesPerSession } from './password.ts'
import { checkSecondFactor } from './second-factor.ts'
import { sessionPlace } from './tries.ts'

/**
 * Reauthenticates the caller's session for `reauthenticationMinutes`, with the password and, if it is on, the second factor.
 * Tries share the limit of a password change, since they guess the same secret.
 * @throws AppError invalid_input for a wrong password, second_factor_required, invalid_code, too_many_tries
 */
export async function reauthenticate(
  ctx: SignedInContext,
  { password, code }: { password: string; code?: string | undefined },
): Promise<void> {
  const { services, caller } = ctx
  const { userId, sessionId } = caller
  const subject = { kind: 'session', id: sessionId }
  await countAgainst(services, passwordKey(sessionId), triesPerSession, 'too_many_tries')
  const user = await services.db
    .selectFrom('app.users')
    .select('password_hash')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  if (!(await passwordIs(password, user.password_hash))) {
    await services.db.transaction().execute(tx => audit(tx, ctx, { action: 'proof.failed', subject }))
    throw invalidField('password', t('Incorrect password'))
  }
  await forget(services, passwordKey(sessionId))
  await checkSecondFactor(ctx, userId, code, sessionPlace(sessionId))
  await services.db.transaction().execute(async tx => {
    await tx
      .updateTable('app.sessions')
      .set({ reauthenticated_at: services.clock.now() })
      .where('id', '=', sessionId)
      .where('user_id', '=', userId)
      .execute()
    await audit(tx, ctx, { action: 'proof.given', subject })
  })
}
