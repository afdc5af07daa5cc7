import { sql } from 'kysely'
import { requireCanAdminister } from '#server/accounts/can-administer.ts'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { proofRefusals } from './messages.ts'

/** Why the database erases no secret. */
type Refusal = 'already_erased' | 'not_frozen' | 'has_money' | 'not_published' | 'nothing_published'

/**
 * Erases an investor's proof secret for good: nobody can tell their published lines from others' any more (decision 126).
 * Only of a frozen account without money that has entries, all of them published under the secret.
 * @param email typed again, so that it is the intended account
 * @throws AppError own_request, forbidden, not_found; invalid_input; wrong_state
 */
export async function eraseProofSecret(
  tx: Tx,
  ctx: SignedInContext,
  userId: string,
  { reason, email }: { reason: string; email: string },
): Promise<void> {
  await requireCanAdminister(tx, ctx.caller, userId)
  const user = await tx
    .selectFrom('app.users')
    .select('email')
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (user.email.toLowerCase() !== email.trim().toLowerCase()) {
    const message = t('This is not the email address of the account')
    throw new AppError('invalid_input', message, { fields: { email: message } })
  }
  const { rows } = await sql<{ refusal: Refusal | null }>`
    SELECT app.erase_proof_secret(${userId}::uuid, ${ctx.services.clock.now()}) AS refusal`.execute(tx)
  const { refusal } = rows[0]!
  if (refusal !== null) throw proofRefusals.error({ reason: refusal })
  await audit(tx, ctx, { action: 'account.proof_erased', subject: { kind: 'user', id: userId }, reason })
  await notifySecurity(tx, ctx, 'account.proof_erased', { userId })
}
