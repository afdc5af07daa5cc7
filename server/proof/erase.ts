import { sql } from 'kysely'
import { requireCanAdminister } from '#server/accounts/can-administer.ts'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { AppError } from '#shared/errors.ts'
import { proofRefusals } from './messages.ts'

/**
 * Erases an investor's proof secret for good: nobody can tell their published lines from others' any more (decision 126).
 * Only of a frozen account without money, all of whose entries are published under the secret.
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
    .select(['email', 'frozen_at'])
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (user.email.toLowerCase() !== email.trim().toLowerCase()) {
    const message = 'This is not the email address of the account'
    throw new AppError('invalid_input', message, { fields: { email: message } })
  }
  const { rows } = await sql<Standing>`
    SELECT EXISTS (SELECT FROM app.proof_secrets WHERE user_id = ${userId}::uuid AND erased_at IS NOT NULL) AS "isErased",
           EXISTS (SELECT FROM ledger.accounts WHERE owner = ${userId}::uuid AND balance <> 0)
             OR EXISTS (SELECT FROM app.deposits WHERE user_id = ${userId}::uuid AND status = 'pending') AS "hasMoney",
           EXISTS (SELECT FROM ledger.accounts a
                    CROSS JOIN LATERAL (SELECT transaction_id FROM ledger.entries
                                         WHERE account_id = a.id ORDER BY version DESC LIMIT 1) newest
                    WHERE a.owner = ${userId}::uuid
                      AND NOT EXISTS (SELECT FROM ledger.log l WHERE l.transaction_id = newest.transaction_id
                                         AND l.index < (SELECT max(size) FROM ledger.epochs))) AS "isAhead"
  `.execute(tx)
  const { isErased, hasMoney, isAhead } = rows[0]!
  if (isErased) throw proofRefusals.error({ reason: 'already_erased' })
  if (user.frozen_at === null) throw proofRefusals.error({ reason: 'not_frozen' })
  if (hasMoney) throw proofRefusals.error({ reason: 'has_money' })
  if (isAhead) throw proofRefusals.error({ reason: 'not_published' })
  const erased = { sealed_secret: null, erased_at: ctx.services.clock.now() }
  await tx
    .insertInto('app.proof_secrets')
    .values({ user_id: userId, ...erased })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet(erased))
    .execute()
  await sql`SELECT ledger.forget_parts(${userId}::uuid)`.execute(tx)
  await audit(tx, ctx, { action: 'account.proof_erased', subject: { kind: 'user', id: userId }, reason })
  await notifySecurity(tx, ctx, 'account.proof_erased', { userId })
}

type Standing = { isErased: boolean; hasMoney: boolean; isAhead: boolean }
