import { randomInt } from 'node:crypto'
import type { RequestContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { hashPassword, isCommonPassword } from '#server/platform/passwords.ts'
import { audit } from '#server/records/audit.ts'
import type { TokenPair } from '#shared/contract/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { openSession } from './sessions.ts'
import { mailCode } from './verification.ts'

export type SignupBody = {
  name: string
  email: string
  phone: string
  country: string
  password: string
  confirmPassword?: string | undefined
  referrer?: string | undefined
  device?: string | undefined
}

/** Without letters and digits that are taken for one another, as people read codes out. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 8

/**
 * Opens an account, mails the code, and signs in.
 * @throws AppError invalid_input (password, confirmation, referral code), email_taken
 */
export async function signup(
  ctx: RequestContext,
  body: SignupBody,
): Promise<{ token: TokenPair; userId: string }> {
  refusePassword(body.password, 'password')
  if (body.confirmPassword !== undefined && body.confirmPassword !== body.password) {
    throw faultyField('confirmPassword', 'Password must be the same as its confirmation')
  }
  const passwordHash = await hashPassword(body.password)
  return ctx.services.db.transaction().execute(async tx => {
    const user = await insertUser(tx, ctx, body, passwordHash)
    await mailCode(tx, ctx, user)
    const { token } = await openSession(tx, ctx, { id: user.id, type: 'investor' }, body.device)
    await audit(tx, ctx, {
      action: 'account.opened',
      subject: { kind: 'user', id: user.id },
      actorId: user.id,
    })
    return { token, userId: user.id }
  })
}

/** @throws AppError invalid_input for a password that is among the first to be tried */
export function refusePassword(password: string, field: string): void {
  if (isCommonPassword(password)) {
    throw faultyField(field, 'This password is one of the commonest. Choose one that others do not use.')
  }
}

async function insertUser(tx: Tx, ctx: RequestContext, body: SignupBody, passwordHash: string) {
  const { name, email, phone, country } = body
  const now = ctx.services.clock.now()
  const user = { id: newId(now), name, email, phone, country }
  const inserted = await tx
    .insertInto('app.users')
    .values({
      ...user,
      password_hash: passwordHash,
      email_verified_at: null,
      referral_code: newReferralCode(),
      referrer_id: await referrerOf(tx, body.referrer),
      created_at: now,
    })
    .onConflict(conflict => conflict.column('email').doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 0n) throw emailTaken()
  return user
}

/** @throws AppError invalid_input when nobody has this code */
async function referrerOf(tx: Tx, code: string | undefined): Promise<string | null> {
  if (!code) return null
  const referrer = await tx
    .selectFrom('app.users')
    .select('id')
    .where('referral_code', '=', code.toUpperCase())
    .executeTakeFirst()
  if (!referrer) throw faultyField('referrer', 'This referral code is not known')
  return referrer.id
}

/** One of 32^8: two alike are less likely than the retry of a transaction is costly. */
export function newReferralCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => alphabet[randomInt(alphabet.length)]).join('')
}

export function emailTaken(): AppError {
  const message = 'There is an account with this email already. Log in, or use another email.'
  return new AppError('email_taken', message, { fields: { email: message } })
}

export function faultyField(field: string, message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } })
}
