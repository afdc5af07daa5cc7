import type { SignedInContext, Tx } from '#server/context.ts'
import { audit } from '#server/records/audit.ts'
import { dropResetLinks } from './password.ts'
import { tellSecurity } from './security-news.ts'
import { emailTaken } from './signup.ts'
import { mailCode } from './verification.ts'

export type ProfileBody = { name: string; email: string; phone: string; country: string }

/**
 * Updates the caller's profile. A changed e-mail address counts as unverified until its own code is entered, and the
 * old address is told.
 * @throws AppError email_taken
 */
export async function updateProfile(tx: Tx, ctx: SignedInContext, body: ProfileBody): Promise<void> {
  const { userId } = ctx.caller
  const before = await tx
    .selectFrom('app.users')
    .select(['name', 'email', 'phone', 'country', 'email_verified_at'])
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const moved = before.email !== body.email
  await tx
    .updateTable('app.users')
    .set({ ...body, ...(moved ? { email_verified_at: null } : {}) })
    .where('id', '=', userId)
    .execute()
    .catch(refuseTaken)
  if (moved) {
    await dropResetLinks(tx, userId)
    await mailCode(tx, ctx, { id: userId, ...body })
    await tellSecurity(tx, ctx, 'email.changed', { userId }, before)
  }
  const fields = (['name', 'email', 'phone', 'country'] as const).filter(
    field => before[field] !== body[field],
  )
  await audit(tx, ctx, {
    action: 'profile.updated',
    subject: { kind: 'user', id: userId },
    details: { fields },
  })
}

/** The index decides, so that of two who want one address at the same time one gets these words and no fault. */
function refuseTaken(error: unknown): never {
  throw (error as { constraint?: unknown }).constraint === 'users_email' ? emailTaken() : error
}
