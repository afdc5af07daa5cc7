import type { Kysely } from 'kysely'
import type { SignedInContext } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { proofMinutes } from '#shared/limits.ts'

/**
 * A sensitive act needs a recent proof of identity in its session: a login, or the password entered again
 * (features/accounts/proof.ts). The refusal is not kept with an idempotency key: the same request is sent again.
 * @throws AppError proof_required
 */
export async function requireProof(
  db: Kysely<Schema>,
  { services, caller }: Pick<SignedInContext, 'services' | 'caller'>,
): Promise<void> {
  const since = new Date(services.clock.now().getTime() - proofMinutes * 60_000)
  const proven = await db
    .selectFrom('app.sessions')
    .select('id')
    .where('id', '=', caller.sessionId)
    .where('user_id', '=', caller.userId)
    .where('reauthenticated_at', '>', since)
    .executeTakeFirst()
  if (!proven) throw new AppError('proof_required', 'Enter your password again to go on with this')
}
