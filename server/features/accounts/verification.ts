import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { RequestContext, Services, Tx } from '#server/context.ts'
import { letter } from '#server/platform/mail/letter.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { addressHash, countAgainst, type Limit } from '#server/platform/rate-limit.ts'
import { audit } from '#server/records/audit.ts'
import { currentFirm } from '#server/records/firm.ts'
import { AppError } from '#shared/errors.ts'
import {
  verificationCodeLength,
  verificationCodeMinutes,
  verificationCodeTries,
  verificationResendSeconds,
} from '#shared/limits.ts'

/** Tries of one account over all its codes: five a code, but a new code may come every minute. */
const triesPerAccount: Limit = { points: 30, seconds: 3600 }
const resendPerAddress: Limit = { points: 1, seconds: verificationResendSeconds }

type Addressee = { id: string; name: string; email: string }

/** Makes a new six-digit code, which replaces the one before, and mails it. Only its HMAC is stored. */
export async function mailCode(tx: Tx, { services }: RequestContext, user: Addressee): Promise<void> {
  const now = services.clock.now()
  const code = randomInt(10 ** verificationCodeLength)
    .toString()
    .padStart(verificationCodeLength, '0')
  const row = {
    email: user.email,
    code_hash: hashOf(services, user.id, code),
    sent_at: now,
    expires_at: new Date(now.getTime() + verificationCodeMinutes * 60_000),
    tries: 0,
  }
  await tx
    .insertInto('app.email_codes')
    .values({ user_id: user.id, ...row })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet(row))
    .execute()
  const firm = await currentFirm(tx, services.config)
  const written = letter({
    to: user.email,
    subject: `${code} is your verification code`,
    greeting: `Hello ${user.name},`,
    paragraphs: [
      'Enter this code to verify your e-mail address:',
      `It is valid for ${verificationCodeMinutes} minutes. If you did not open an account with us, ignore this message.`,
    ],
    code,
    from: firm.productName,
  })
  await queueMail(tx, { ...written, usefulUntil: row.expires_at.toISOString() })
}

/**
 * A new code, at most one a minute; silent where the account is not there or verified already, and as strict, so that
 * nobody learns which addresses have accounts.
 * @throws AppError rate_limited with the seconds to wait
 */
export async function resendCode(ctx: RequestContext, email: string): Promise<void> {
  const { services } = ctx
  const wanted = await services.db.transaction().execute(tx => mailAgain(tx, ctx, email))
  if (wanted) return
  await countAgainst(services, `resend:${addressHash(email)}`, resendPerAddress).catch(refused => {
    throw refused instanceof AppError ? justSent(refused.retryAfterSeconds ?? 1) : refused
  })
}

/** @returns false where nobody waits for a code */
async function mailAgain(tx: Tx, ctx: RequestContext, email: string): Promise<boolean> {
  const user = await tx
    .selectFrom('app.users')
    .select(['id', 'name', 'email', 'email_verified_at'])
    .where('email', '=', email)
    .forUpdate()
    .executeTakeFirst()
  if (!user || user.email_verified_at !== null) return false
  const last = await tx
    .selectFrom('app.email_codes')
    .select('sent_at')
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  const waitMs = last
    ? last.sent_at.getTime() + verificationResendSeconds * 1000 - ctx.services.clock.now().getTime()
    : 0
  if (waitMs > 0 && ctx.services.config.rateLimit) throw justSent(Math.ceil(waitMs / 1000))
  await mailCode(tx, ctx, user)
  return true
}

function justSent(seconds: number): AppError {
  const message = `A code was just sent. You can ask for another in ${seconds} seconds.`
  return new AppError('rate_limited', message, { retryAfterSeconds: seconds })
}

/**
 * Verifies the address of an account by its code: valid for ten minutes and five tries. Each try is counted before
 * the code is looked at, so that parallel tries cannot share one.
 * @throws AppError invalid_code, code_expired, too_many_tries
 */
export async function verifyEmail(
  ctx: RequestContext,
  otp: string,
  email: string | undefined,
): Promise<void> {
  const { db, clock } = ctx.services
  const userId = await accountOf(ctx, email)
  if (userId === undefined) throw wrongCode()
  await countAgainst(ctx.services, `code:${userId}`, triesPerAccount, 'too_many_tries')
  const now = clock.now()
  const tried = await db
    .updateTable('app.email_codes')
    .set(eb => ({ tries: eb('tries', '+', 1) }))
    .where('user_id', '=', userId)
    .where('tries', '<', verificationCodeTries)
    .where('expires_at', '>', now)
    .returning(['code_hash', 'email'])
    .executeTakeFirst()
  if (!tried) return refuseCode(ctx, userId)
  if (!timingSafeEqual(tried.code_hash, hashOf(ctx.services, userId, otp))) throw wrongCode()
  await db.transaction().execute(async tx => {
    // The code of the address it was sent to: a profile change in the meantime needs a code of its own.
    const verified = await tx
      .updateTable('app.users')
      .set({ email_verified_at: now })
      .where('id', '=', userId)
      .where('email', '=', tried.email)
      .executeTakeFirst()
    const spent = await tx
      .deleteFrom('app.email_codes')
      .where('user_id', '=', userId)
      .where('code_hash', '=', tried.code_hash)
      .executeTakeFirst()
    if (verified.numUpdatedRows === 0n || spent.numDeletedRows === 0n) throw wrongCode()
    await audit(tx, ctx, { action: 'email.verified', subject: { kind: 'user', id: userId }, actorId: userId })
  })
}

/** The account by the e-mail address in the body, else by the token. */
async function accountOf({ services, caller }: RequestContext, email: string | undefined) {
  if (email === undefined) return caller?.userId
  const user = await services.db
    .selectFrom('app.users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirst()
  return user?.id
}

async function refuseCode({ services }: RequestContext, userId: string): Promise<never> {
  const code = await services.db
    .selectFrom('app.email_codes')
    .select(['tries', 'expires_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!code) throw wrongCode()
  if (code.tries >= verificationCodeTries) {
    throw new AppError('too_many_tries', 'This code was tried too often. Ask for a new one.')
  }
  throw new AppError('code_expired', 'This code has expired. Ask for a new one.')
}

function wrongCode(): AppError {
  return new AppError('invalid_code', 'This code is not right. Check it, or ask for a new one.', {
    fields: { otp: 'This code is not right' },
  })
}

/** HMAC-SHA256 under a key of this purpose: six digits alone could be found from a plain hash at once. */
function hashOf({ config }: Services, userId: string, code: string): Buffer {
  const key = createHmac('sha256', config.tokenSecret).update('e-mail verification code').digest()
  return createHmac('sha256', key).update(`${userId}:${code}`).digest()
}
