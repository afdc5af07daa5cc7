import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { requestEmailChange } from './email-change.ts'

export type ProfileBody = { name: string; email: string; phone: string; country: string }

/**
 * Updates the caller's profile. A new email address stays pending until its code is entered (email-change.ts).
 * @throws AppError proof_required and email_taken, for a new address
 */
export async function updateProfile(
  tx: Tx,
  ctx: SignedInContext,
  { email, ...others }: ProfileBody,
): Promise<void> {
  const { userId } = ctx.caller
  const before = await tx
    .selectFrom('app.users')
    .select(['name', 'email', 'phone', 'country', 'pending_email'])
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  await tx.updateTable('app.users').set(others).where('id', '=', userId).execute()
  if (email !== before.email && email !== before.pending_email) {
    await requestEmailChange(tx, ctx, { id: userId, email })
  }
  const fields = (['name', 'phone', 'country'] as const).filter(field => before[field] !== others[field])
  await audit(tx, ctx, {
    action: 'profile.updated',
    subject: { kind: 'user', id: userId },
    details: { fields },
  })
}
