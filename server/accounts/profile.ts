import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { AppError } from '#shared/errors.ts'
import type { Language } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { requestEmailChange } from './email-change.ts'
import { isCountry, requirePhone } from './phone.ts'

export type ProfileBody = { name: string; email: string; phone: string; country: string }

/**
 * Updates the caller's profile. A new email address stays pending until its code is entered (email-change.ts).
 * @throws AppError invalid_input (country, phone); proof_required and email_taken, for a new address
 */
export async function updateProfile(
  tx: Tx,
  ctx: SignedInContext,
  { email, ...typed }: ProfileBody,
): Promise<void> {
  const { userId } = ctx.caller
  const before = await tx
    .selectFrom('app.users')
    .select(['name', 'email', 'phone', 'country', 'pending_email'])
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const others = { ...typed, ...reachedAt(before, typed) }
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

type Reached = Pick<ProfileBody, 'phone' | 'country'>

/** Country and phone number to store. Older accounts keep what they have, until they change it. */
function reachedAt(before: Reached, typed: Reached): Reached {
  if (typed.country !== before.country && !isCountry(typed.country)) {
    const message = t('Choose a country from the list')
    throw new AppError('invalid_input', message, { fields: { country: message } })
  }
  return {
    country: typed.country,
    phone: typed.phone === before.phone ? before.phone : requirePhone(typed.phone, typed.country),
  }
}

/** Chooses the language of the caller's emails and pages. */
export async function chooseLanguage(tx: Tx, ctx: SignedInContext, language: Language): Promise<void> {
  const { userId } = ctx.caller
  await tx.updateTable('app.users').set({ language }).where('id', '=', userId).execute()
  await audit(tx, ctx, {
    action: 'profile.updated',
    subject: { kind: 'user', id: userId },
    details: { fields: ['language'] },
  })
}
