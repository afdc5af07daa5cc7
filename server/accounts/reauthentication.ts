import type { Kysely } from 'kysely'
import type { SignedInContext } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { reauthenticationMinutes } from '#shared/limits.ts'

/**
 * A sensitive action needs a recent login or reauthentication (reauthenticate.ts) in its session. The refusal is not stored
 * with an idempotency key: the same request is sent again.
 * @throws AppError proof_required
 */
export async function requireReauthentication(
  db: Kysely<Schema>,
  { services, caller }: Pick<SignedInContext, 'services' | 'caller'>,
): Promise<void> {
  const since = new Date(services.clock.now().getTime() - reauthenticationMinutes * 60_000)
  const recent = await db
    .selectFrom('app.sessions')
    .select('id')
    .where('id', '=', caller.sessionId)
    .where('user_id', '=', caller.userId)
    .where('reauthenticated_at', '>', since)
    .executeTakeFirst()
  if (!recent) throw new AppError('proof_required', t('Enter your password again to continue'))
}
