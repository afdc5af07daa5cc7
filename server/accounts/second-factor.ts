import { audit } from '#server/audit/log.ts'
import type { RequestContext, Services, SignedInContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { keyFor, keyRing, seal, unseal } from '#server/platform/encrypted.ts'
import { countAgainst, forget, type Limit } from '#server/platform/rate-limit.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { beginSecondFactor, secondFactor } from '#shared/contract/second-factor.ts'
import { AppError } from '#shared/errors.ts'
import { secondFactorDigits, secondFactorSetupMinutes } from '#shared/limits.ts'
import { forgetShownFactors, lockAccount, refuseNewFactor } from './factors.ts'
import { replaceRecoveryCodes, spendRecoveryCode } from './recovery-codes.ts'
import { factorPurpose } from './reseal.ts'
import { endSessions } from './sessions.ts'
import { matchingStep, newTotpSecret, secretAsText, totpUri } from './totp.ts'

/** Wrong codes of one account. Three of a million codes count at a time: at fifty a day somebody who has the password needs years. */
const tries: Limit = { points: 10, seconds: 900 }
const triesPerDay: Limit = { points: 50, seconds: 86_400 }
/** Recovery codes are counted apart: who uses up the app's tries must not lock out the owner. Of 50 bits, they bear many. */
const recoveryTries: Limit = { points: 60, seconds: 60 }

/** Whether an account's owner has switched it on, since when, and how many recovery codes he has left. */
export async function secondFactorOf(
  { db }: Services,
  userId: string,
): Promise<CallData<typeof secondFactor>> {
  const factor = await db
    .selectFrom('app.second_factors as f')
    .select(['confirmed_at'])
    .select(eb =>
      eb
        .selectFrom('app.recovery_codes as c')
        .select(count => count.fn.countAll().as('left'))
        .whereRef('c.user_id', '=', 'f.user_id')
        .where('c.used_at', 'is', null)
        .as('left'),
    )
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return {
    on: factor !== undefined,
    since: factor?.confirmed_at?.toISOString() ?? null,
    recoveryCodesLeft: Number(factor?.left ?? 0),
  }
}

/**
 * Makes a secret that counts from its first right code on.
 * @throws AppError wrong_state where a second factor is on; email_not_verified, forbidden (factors.ts)
 */
export async function begin(tx: Tx, ctx: SignedInContext): Promise<CallData<typeof beginSecondFactor>> {
  const { services, caller } = ctx
  await refuseNewFactor(tx, caller)
  const secret = newTotpSecret()
  const row = {
    sealed_secret: seal(keyFor(services.config, factorPurpose), caller.userId, secret),
    started_at: services.clock.now(),
  }
  const begun = await tx
    .insertInto('app.second_factors')
    .values({ user_id: caller.userId, ...row })
    .onConflict(conflict =>
      conflict.column('user_id').doUpdateSet(row).where('app.second_factors.confirmed_at', 'is', null),
    )
    .executeTakeFirst()
  if (begun.numInsertedOrUpdatedRows === 0n) throw wrongState('Your second factor is on already')
  const { email } = await tx
    .selectFrom('app.users')
    .select('email')
    .where('id', '=', caller.userId)
    .executeTakeFirstOrThrow()
  const { productName } = await currentFirm(tx, services.config)
  return { secret: secretAsText(secret), uri: totpUri(secret, { issuer: productName, account: email }) }
}

/**
 * Switches the second factor on by its first right code. Sessions that were opened without it end, but for the caller's.
 * @returns the recovery codes
 * @throws AppError wrong_state where nothing was begun lately, invalid_code, too_many_tries; email_not_verified, forbidden
 */
export async function confirm(ctx: SignedInContext, code: string): Promise<string[]> {
  const { services, caller } = ctx
  const { userId, sessionId } = caller
  await countTry(services, userId)
  const now = services.clock.now()
  const codes = await services.db.transaction().execute(async tx => {
    await lockAccount(tx, userId)
    await refuseNewFactor(tx, caller)
    const begun = await tx
      .selectFrom('app.second_factors')
      .select('sealed_secret')
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is', null)
      .where('started_at', '>', new Date(now.getTime() - secondFactorSetupMinutes * 60_000))
      .forUpdate()
      .executeTakeFirst()
    if (!begun) throw wrongState('Begin again: this secret is not waiting for its first code any more')
    const step = matchingStep(unseal(keysOf(services), userId, begun.sealed_secret), digitsOf(code), now)
    if (step === undefined) throw wrongCode()
    await tx
      .updateTable('app.second_factors')
      .set({ confirmed_at: now, last_used_step: BigInt(step) })
      .where('user_id', '=', userId)
      .execute()
    await tx.updateTable('app.sessions').set({ second_factor: true }).where('id', '=', sessionId).execute()
    await endSessions(tx, ctx, { userId, except: sessionId })
    await audit(tx, ctx, { action: 'second_factor.on', subject: { kind: 'user', id: userId } })
    await notifySecurity(tx, ctx, 'second_factor.on', { userId })
    return replaceRecoveryCodes(tx, services, userId)
  })
  await forgetTries(services, userId)
  return codes
}

/**
 * Switches the second factor off; its recovery codes go with it.
 * @throws AppError wrong_state, invalid_code, too_many_tries
 */
export async function end(ctx: SignedInContext, code: string): Promise<void> {
  const { services, caller } = ctx
  const { userId } = caller
  await requireCode(ctx, userId, code)
  await services.db.transaction().execute(async tx => {
    await lockAccount(tx, userId)
    const ended = await tx
      .deleteFrom('app.second_factors')
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is not', null)
      .executeTakeFirst()
    if (ended.numDeletedRows === 0n) throw wrongState(isOff)
    await forgetShownFactors(tx, userId)
    await audit(tx, ctx, { action: 'second_factor.off', subject: { kind: 'user', id: userId } })
    await notifySecurity(tx, ctx, 'second_factor.off', { userId })
  })
}

/**
 * Makes new recovery codes in place of those before.
 * @throws AppError wrong_state, invalid_code, too_many_tries
 */
export async function renewCodes(ctx: SignedInContext, code: string): Promise<string[]> {
  const { services, caller } = ctx
  const { userId } = caller
  await requireCode(ctx, userId, code)
  return services.db.transaction().execute(async tx => {
    const on = await tx
      .selectFrom('app.second_factors')
      .select('user_id')
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is not', null)
      .forUpdate()
      .executeTakeFirst()
    if (!on) throw wrongState(isOff)
    await audit(tx, ctx, { action: 'recovery_codes.renewed', subject: { kind: 'user', id: userId } })
    await notifySecurity(tx, ctx, 'recovery_codes.renewed', { userId })
    return replaceRecoveryCodes(tx, services, userId)
  })
}

async function requireCode(ctx: SignedInContext, userId: string, code: string): Promise<void> {
  if (!(await checkSecondFactor(ctx, userId, code))) throw wrongState(isOff)
}

/**
 * Asks for the second factor of an account that has one: a code of its app, or a recovery code, each of which is used up
 * by it. For whoever proves who he is: by the password first.
 * @returns whether the account has one; where it has none, what came as a code is not looked at
 * @throws AppError second_factor_required where no code came, invalid_code, too_many_tries
 */
export async function checkSecondFactor(
  ctx: RequestContext,
  userId: string,
  code: string | undefined,
): Promise<boolean> {
  const { services } = ctx
  const factor = await services.db
    .selectFrom('app.second_factors')
    .select(['sealed_secret', 'last_used_step'])
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  if (!factor) return false
  if (!code) throw codeRequired()
  await (isAppCode(code) ? countTry(services, userId) : countRecoveryTry(services, userId))
  const isRight = await services.db.transaction().execute(async tx => {
    const used = await spendCode(tx, ctx, userId, code, factor)
    if (!used) await audit(tx, ctx, failedLine(userId))
    return used
  })
  if (!isRight) throw wrongCode()
  await forgetTries(services, userId)
  return true
}

/** Whether the account asks for a code, as its transaction sees it. */
export async function hasSecondFactor(tx: Tx, userId: string): Promise<boolean> {
  const factor = await tx
    .selectFrom('app.second_factors')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return factor !== undefined
}

export function codeRequired(): AppError {
  return new AppError(
    'second_factor_required',
    'Enter the code of your authenticator app, or one of your recovery codes',
  )
}

type Factor = { sealed_secret: Buffer; last_used_step: bigint | null }

/** Uses the code up, if it is right: of several at the same time one counts. */
async function spendCode(
  tx: Tx,
  ctx: RequestContext,
  userId: string,
  code: string,
  factor: Factor,
): Promise<boolean> {
  const { services } = ctx
  if (!isAppCode(code)) return spendRecovery(tx, ctx, userId, code)
  const digits = digitsOf(code)
  const secret = unseal(keysOf(services), userId, factor.sealed_secret)
  const step = matchingStep(secret, digits, services.clock.now(), Number(factor.last_used_step))
  if (step === undefined) return false
  const accepted = await tx
    .updateTable('app.second_factors')
    .set({ last_used_step: BigInt(step) })
    .where('user_id', '=', userId)
    .where('sealed_secret', '=', factor.sealed_secret)
    .where('last_used_step', '<', BigInt(step))
    .executeTakeFirst()
  return accepted.numUpdatedRows === 1n
}

async function spendRecovery(tx: Tx, ctx: RequestContext, userId: string, code: string): Promise<boolean> {
  if (!(await spendRecoveryCode(tx, ctx.services, userId, code))) return false
  const subject = { kind: 'user', id: userId }
  await audit(tx, ctx, { action: 'recovery_code.used', subject, actorId: userId })
  await notifySecurity(tx, ctx, 'recovery_code.used', { userId })
  return true
}

/** Whoever tried is not known: he has the password, and perhaps no more. */
function failedLine(userId: string) {
  return { action: 'second_factor.failed', subject: { kind: 'user', id: userId }, actorId: null } as const
}

/** Each try is counted before the code is looked at, so that parallel tries cannot share one. */
async function countTry(services: Services, userId: string): Promise<void> {
  await countAgainst(services, `factor:${userId}`, tries, 'too_many_tries')
  await countAgainst(services, `factor-day:${userId}`, triesPerDay, 'too_many_tries')
}

async function countRecoveryTry(services: Services, userId: string): Promise<void> {
  await countAgainst(services, `recovery:${userId}`, recoveryTries, 'too_many_tries')
}

/** The owner is there: nothing counts against him any more. */
async function forgetTries(services: Services, userId: string): Promise<void> {
  await forget(services, `recovery:${userId}`, recoveryTries)
  await forget(services, `factor:${userId}`, tries)
  await forget(services, `factor-day:${userId}`, triesPerDay)
}

/** Whether what was typed is meant as a code of the app; if not, it is meant as a recovery code. */
function isAppCode(code: string): boolean {
  return digitsOf(code).length === secondFactorDigits
}

/** The digits of an app's code, which apps show with a space; empty for what is none. */
function digitsOf(code: string): string {
  const plain = code.replace(/\s/g, '')
  return /^\d+$/.test(plain) ? plain : ''
}

function keysOf({ config }: Services): Buffer[] {
  return keyRing(config, factorPurpose)
}

const isOff = 'Your second factor is not on'

function wrongState(message: string): AppError {
  return new AppError('wrong_state', message)
}

function wrongCode(): AppError {
  return new AppError(
    'invalid_code',
    'This code is not right. Wait for the next one, or use a recovery code.',
    {
      fields: { code: 'This code is not right' },
    },
  )
}
