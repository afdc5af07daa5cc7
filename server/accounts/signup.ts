import { randomInt } from 'node:crypto'
import { audit } from '#server/audit/log.ts'
import type { RequestContext, Services, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { hashPassword } from '#server/platform/passwords.ts'
import { policyRefusals } from '#server/policies/messages.ts'
import { recordAcceptance, termsInForce } from '#server/policies/terms.ts'
import { settingsNow } from '#server/staff/settings-queries.ts'
import type { TokenPair } from '#shared/contract/accounts.ts'
import type { ShownTerms } from '#shared/contract/policies.ts'
import { AppError, type FieldErrors } from '#shared/errors.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { t } from '#shared/i18n/t.ts'
import { leastAge } from '#shared/limits.ts'
import { mailCode } from './email-codes.ts'
import { accountRefusals } from './messages.ts'
import { plainPasswordError, requireGoodPassword } from './new-password.ts'
import { badPhone, formatPhone } from './phone.ts'
import { openSession } from './sessions.ts'

export type SignupBody = {
  name: string
  email: string
  phone: string
  country: string
  password: string
  confirmPassword?: string | undefined
  referrer?: string | undefined
  device?: string | undefined
  /** The terms that the person was shown. */
  terms?: ShownTerms | undefined
}

/** Without characters that look alike, since people read codes out. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 8

/**
 * Opens an account, mails its verification code and logs in.
 * @throws AppError registration_closed, invalid_input (phone, password, confirmation, referral code), email_taken, not_ready,
 *   terms_changed_since
 */
export async function signup(
  ctx: RequestContext,
  body: SignupBody,
): Promise<{ token: TokenPair; userId: string }> {
  const { db } = ctx.services
  if (!(await settingsNow(ctx.services)).registrationOpen)
    throw accountRefusals.error({ reason: 'registration_closed' })
  const owner = { ...body, type: 'investor' } as const
  const [taken, referrerId] = await Promise.all([isTaken(db, body.email), ownerOfCode(db, body.referrer)])
  const phone = formatPhone(body.phone, body.country)
  refuseInvalidFields(body, {
    taken,
    referrerId,
    phone,
    badPassword: plainPasswordError(body.password, owner),
  })
  await requireGoodPassword(ctx.services, 'password', body.password, owner)
  const passwordHash = await hashPassword(body.password)
  return db.transaction().execute(async tx => {
    const user = await insertUser(tx, ctx, { ...body, phone: phone! }, { passwordHash, referrerId })
    await acceptAtSignup(tx, ctx, user.id, body.terms)
    await mailCode(tx, ctx, user)
    const { token } = await openSession(tx, ctx, user.id, body.device)
    await audit(tx, ctx, {
      action: 'account.opened',
      subject: { kind: 'user', id: user.id },
      actorId: user.id,
    })
    return { token, userId: user.id }
  })
}

/** Reports every invalid field at once, before the password is estimated. */
function refuseInvalidFields(
  { password, confirmPassword = password, country, referrer }: SignupBody,
  {
    taken,
    referrerId,
    phone,
    badPassword,
  }: { taken: boolean; referrerId: string | null; phone: string | null; badPassword: string | undefined },
): void {
  const found: Record<string, string | undefined> = {
    email: taken ? emailTaken().message : undefined,
    phone: phone === null ? badPhone(country) : undefined,
    password: badPassword,
    confirmPassword:
      confirmPassword === password ? undefined : t('Password must be the same as its confirmation'),
    referrer: referrer && referrerId === null ? t('Unknown referral code') : undefined,
  }
  const errors = Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (errors.length === 0) return
  if (taken && errors.length === 1) throw emailTaken()
  const fields: FieldErrors = Object.fromEntries(errors)
  throw new AppError('invalid_input', errors[0]![1], { fields })
}

type Found = { passwordHash: string; referrerId: string | null }

async function insertUser(tx: Tx, ctx: RequestContext, body: SignupBody, found: Found) {
  const { name, email, phone, country } = body
  const now = ctx.services.clock.now()
  const user = { id: newId(now), name, email, phone, country }
  const inserted = await tx
    .insertInto('app.users')
    .values({
      ...user,
      password_hash: found.passwordHash,
      email_verified_at: null,
      referral_code: newReferralCode(),
      referrer_id: found.referrerId,
      stated_age: leastAge,
      language: languageNow(),
      created_at: now,
    })
    .onConflict(conflict => conflict.column('email').doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 0n) throw emailTaken()
  return user
}

/** Registering accepts the terms in force, if the firm has any. */
async function acceptAtSignup(tx: Tx, ctx: RequestContext, userId: string, shown: ShownTerms | undefined) {
  const now = ctx.services.clock.now()
  const version = await termsInForce(tx, now)
  const changed = policyRefusals.error({ reason: 'terms_changed_since' })
  if (shown !== undefined && shown.version !== version) throw changed
  if (version === undefined) return
  const language = await recordAcceptance(tx, { userId, shown: shown ?? { version }, now })
  if (language === undefined) throw changed
}

async function isTaken(db: Services['db'], email: string): Promise<boolean> {
  const user = await db.selectFrom('app.users').select('id').where('email', '=', email).executeTakeFirst()
  return user !== undefined
}

/** @returns the id of the code's owner; null for an unknown code, one of a closed account, or none */
async function ownerOfCode(db: Services['db'], code: string | undefined): Promise<string | null> {
  if (!code) return null
  const owner = await db
    .selectFrom('app.users')
    .select('id')
    .where('referral_code', '=', code.toUpperCase())
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  return owner?.id ?? null
}

/** One of 32^8: a collision is so rare that it may fail the transaction. */
export function newReferralCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => alphabet[randomInt(alphabet.length)]).join('')
}

export function emailTaken(): AppError {
  const message = t('An account with this email already exists. Log in, or use another email.')
  return new AppError('email_taken', message, { fields: { email: message } })
}
