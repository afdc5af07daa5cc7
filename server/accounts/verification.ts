import { audit } from '#server/audit/log.ts'
import type { RequestContext, Tx } from '#server/context.ts'
import { networkOf } from '#server/platform/network.ts'
import { addressHash, countAgainst, type Limit } from '#server/platform/rate-limit.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { verificationCodeTries, verificationResendSeconds } from '#shared/limits.ts'
import { changeEmail, orTaken } from './email-change.ts'
import { countCode, isMailedCode, mailCode } from './email-codes.ts'

/** Tries of one account over all its codes: each has five, but a new one may come every minute. */
const triesPerAccount: Limit = { points: 30, seconds: 3600 }
const resendPerAddress: Limit = { points: 1, seconds: verificationResendSeconds }

/**
 * Mails a new code, at most one a minute. Behaves alike for an unknown or verified address, so that nobody learns which
 * addresses have accounts.
 * @throws AppError rate_limited with the seconds to wait
 */
export async function resendCode(ctx: RequestContext, email: string): Promise<void> {
  const { services } = ctx
  const wasPending = await services.db.transaction().execute(tx => mailAgain(tx, ctx, email))
  if (wasPending) return
  await countAgainst(services, `resend:${addressHash(email)}`, resendPerAddress).catch(refused => {
    throw refused instanceof AppError ? justSent(refused.retryAfterSeconds ?? 1) : refused
  })
  await countCode(services.db, services, email, 'stranger')
}

/** @returns false if no account needs a code for this address */
async function mailAgain(tx: Tx, ctx: RequestContext, email: string): Promise<boolean> {
  const user = await accountToVerify(tx, ctx, email)
  if (!user) return false
  const last = await tx
    .selectFrom('app.email_codes')
    .select('sent_at')
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  const waitMs = last
    ? last.sent_at.getTime() + verificationResendSeconds * 1000 - ctx.services.clock.now().getTime()
    : 0
  if (waitMs > 0 && ctx.services.config.rateLimit) throw justSent(Math.ceil(waitMs / 1000))
  const isOwner = user.email === email && ctx.caller?.userId === user.id
  await countCode(tx, ctx.services, email, isOwner ? 'owner' : 'stranger')
  await mailCode(tx, ctx, { id: user.id, email })
  return true
}

/** Account to verify: the caller (changing to this address) or the unverified open account that has it. */
async function accountToVerify(tx: Tx, { caller }: RequestContext, email: string) {
  const of = (query: 'pending_email' | 'email') =>
    tx.selectFrom('app.users').select(['id', 'email']).where(query, '=', email).forUpdate()
  const own = caller && (await of('pending_email').where('id', '=', caller.userId).executeTakeFirst())
  if (own) return own
  return of('email').where('email_verified_at', 'is', null).where('closed_at', 'is', null).executeTakeFirst()
}

function justSent(seconds: number): AppError {
  const message = t('A code was just sent. You can request another in {seconds} seconds.', { seconds })
  return new AppError('rate_limited', message, { retryAfterSeconds: seconds })
}

/**
 * Verifies an address by its code, valid for ten minutes, each try counted before the check: five in sessions of the account
 * and five by everyone else, so that strangers cannot use up the owner's. The code of a pending address, entered in a session
 * of the account, makes it the account's.
 * @throws AppError invalid_code, code_expired, too_many_tries, email_taken
 */
export async function verifyEmail(
  ctx: RequestContext,
  otp: string,
  email: string | undefined,
): Promise<void> {
  const { db, clock } = ctx.services
  const userId = await accountOf(ctx, email)
  if (userId === undefined) throw wrongCode()
  const isOwner = ctx.caller?.userId === userId
  const who = isOwner ? userId : `${userId}:${networkOf(ctx.ip)}`
  await countAgainst(ctx.services, `code:${who}`, triesPerAccount, 'too_many_tries')
  const now = clock.now()
  const tries = isOwner ? 'owner_tries' : 'other_tries'
  const tried = await db
    .updateTable('app.email_codes')
    .set(eb => ({ [tries]: eb(tries, '+', 1) }))
    .where('user_id', '=', userId)
    // Not a code sent to the account's other address.
    .$if(email !== undefined, query => query.where('email', '=', email!))
    .where(tries, '<', verificationCodeTries)
    .where('expires_at', '>', now)
    .returning(['code_hash', 'email'])
    .executeTakeFirst()
  if (!tried) return refuseCode(ctx, { userId, email, tries })
  if (!isMailedCode(ctx.services, tried.code_hash, userId, otp)) throw wrongCode()
  const spending = db.transaction().execute(tx => spendCode(tx, ctx, userId, tried))
  await orTaken(ctx, userId, spending)
}

type Tried = { code_hash: Buffer; email: string }

/** A code verifies the address it was sent to: the account's, or the pending one. */
async function spendCode(tx: Tx, ctx: RequestContext, userId: string, { code_hash, email }: Tried) {
  const user = await tx
    .selectFrom('app.users')
    .select(['id', 'name', 'email', 'email_verified_at', 'pending_email'])
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const spent = await tx
    .deleteFrom('app.email_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', code_hash)
    .executeTakeFirst()
  if (spent.numDeletedRows === 0n) throw wrongCode()
  if (user.email === email) {
    const email_verified_at = ctx.services.clock.now()
    await tx.updateTable('app.users').set({ email_verified_at }).where('id', '=', userId).execute()
    await audit(tx, ctx, { action: 'email.verified', subject: { kind: 'user', id: userId }, actorId: userId })
  } else if (user.pending_email === email && ctx.caller?.userId === userId) {
    await changeEmail(tx, ctx, user, email)
  } else throw wrongCode()
}

/** The caller's account without an address or for their pending one; otherwise the account of the address. */
async function accountOf({ services: { db }, caller }: RequestContext, email: string | undefined) {
  if (email === undefined) return caller?.userId
  const by = (column: 'pending_email' | 'email') =>
    db.selectFrom('app.users').select('id').where(column, '=', email)
  const own = caller && (await by('pending_email').where('id', '=', caller.userId).executeTakeFirst())
  return (own || (await by('email').executeTakeFirst()))?.id
}

async function refuseCode(
  { services }: RequestContext,
  {
    userId,
    email,
    tries,
  }: { userId: string; email: string | undefined; tries: 'owner_tries' | 'other_tries' },
): Promise<never> {
  const code = await services.db
    .selectFrom('app.email_codes')
    .select([tries, 'expires_at'])
    .where('user_id', '=', userId)
    .$if(email !== undefined, query => query.where('email', '=', email!))
    .executeTakeFirst()
  if (!code) throw wrongCode()
  if (code[tries]! >= verificationCodeTries) {
    const words =
      tries === 'owner_tries'
        ? t('This code was tried too often. Request a new one.')
        : t('This code was tried too often. Request a new one, or log in to enter it.')
    throw new AppError('too_many_tries', words)
  }
  throw new AppError('code_expired', t('This code has expired. Request a new one.'))
}

function wrongCode(): AppError {
  return new AppError('invalid_code', t('That code is incorrect. Check it, or request a new one.'), {
    fields: { otp: t('That code is incorrect') },
  })
}
