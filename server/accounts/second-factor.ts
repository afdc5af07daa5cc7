import { audit } from '#server/audit/log.ts'
import type { RequestContext, Services, SignedInContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { keyFor, keyRing, seal, unseal } from '#server/platform/encrypted.ts'
import { countAgainst, forget, isCountedWithin, type Limit } from '#server/platform/rate-limit.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { beginSecondFactor, secondFactor } from '#shared/contract/second-factor.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { secondFactorDigits, secondFactorSetupMinutes } from '#shared/limits.ts'
import { clearShownFactors, lockAccount, requireCanAddFactor } from './factors.ts'
import { accountRefusals } from './messages.ts'
import { replaceRecoveryCodes, spendRecoveryCode } from './recovery-codes.ts'
import { factorPurpose } from './reseal.ts'
import { endSessions } from './sessions.ts'
import { matchingStep, newTotpSecret, secretAsText, totpUri } from './totp.ts'
import {
  countTry,
  forgetTries,
  forgetTriesElsewhere,
  type Place,
  sessionPlace,
  type TryLimits,
} from './tries.ts'

/** Wrong codes of one account. Three in a million match at a time: at fifty a day, or a hundred, guessing takes years. */
const tries: TryLimits = {
  perPlace: { points: 10, seconds: 900 },
  longer: { points: 50, seconds: 86_400 },
}
/** Resets of the password that also reset the tries at app codes: a thief of the mailbox could make as many as they like. */
const forgettingResets: Limit = { points: 1, seconds: 86_400 }
/** Recovery codes are too long to guess; this spares the database. */
const recoveryTries: Limit = { points: 60, seconds: 60 }

/** Whether two-factor authentication is on, since when, and how many recovery codes are left. */
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
 * Starts the setup with a new secret, which counts once its first code is confirmed.
 * @throws AppError second_factor_on; email_not_verified, forbidden (factors.ts)
 */
export async function begin(tx: Tx, ctx: SignedInContext): Promise<CallData<typeof beginSecondFactor>> {
  const { services, caller } = ctx
  await requireCanAddFactor(tx, caller)
  const secret = newTotpSecret()
  const row = {
    sealed_secret: seal(keyFor(services.config, factorPurpose), caller.userId, secret),
    started_at: services.clock.now(),
  }
  const started = await tx
    .insertInto('app.second_factors')
    .values({ user_id: caller.userId, ...row })
    .onConflict(conflict =>
      conflict.column('user_id').doUpdateSet(row).where('app.second_factors.confirmed_at', 'is', null),
    )
    .executeTakeFirst()
  if (started.numInsertedOrUpdatedRows === 0n) throw accountRefusals.error({ reason: 'second_factor_on' })
  const { email } = await tx
    .selectFrom('app.users')
    .select('email')
    .where('id', '=', caller.userId)
    .executeTakeFirstOrThrow()
  const { productName } = await currentFirm(tx, services.config)
  return { secret: secretAsText(secret), uri: totpUri(secret, { issuer: productName, account: email }) }
}

/**
 * Switches two-factor authentication on with its first correct code, and ends the caller's other sessions.
 * @returns the recovery codes
 * @throws AppError setup_expired; invalid_code, too_many_tries, email_not_verified, forbidden
 */
export async function confirm(ctx: SignedInContext, code: string): Promise<string[]> {
  const { services, caller } = ctx
  const { userId, sessionId } = caller
  const place = sessionPlace(sessionId)
  await countTry(services, factorKey(userId), place, tries)
  const now = services.clock.now()
  const codes = await services.db.transaction().execute(async tx => {
    await lockAccount(tx, userId)
    await requireCanAddFactor(tx, caller)
    const started = await tx
      .selectFrom('app.second_factors')
      .select('sealed_secret')
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is', null)
      .where('started_at', '>', new Date(now.getTime() - secondFactorSetupMinutes * 60_000))
      .forUpdate()
      .executeTakeFirst()
    if (!started) throw accountRefusals.error({ reason: 'setup_expired' })
    const step = matchingStep(unseal(keysOf(services), userId, started.sealed_secret), digitsOf(code), now)
    if (step === undefined) throw wrongSetupCode()
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
  await forgetTries(services, factorKey(userId), place, tries)
  return codes
}

/**
 * Switches two-factor authentication off and removes its recovery codes.
 * @throws AppError second_factor_off; invalid_code, too_many_tries
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
    if (ended.numDeletedRows === 0n) throw secondFactorOff()
    await clearShownFactors(tx, ctx)
    await audit(tx, ctx, { action: 'second_factor.off', subject: { kind: 'user', id: userId } })
    await notifySecurity(tx, ctx, 'second_factor.off', { userId })
  })
}

/**
 * Replaces the recovery codes with new ones.
 * @throws AppError second_factor_off; invalid_code, too_many_tries
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
    if (!on) throw secondFactorOff()
    await audit(tx, ctx, { action: 'recovery_codes.renewed', subject: { kind: 'user', id: userId } })
    await notifySecurity(tx, ctx, 'recovery_codes.renewed', { userId })
    return replaceRecoveryCodes(tx, services, userId)
  })
}

async function requireCode(ctx: SignedInContext, userId: string, code: string): Promise<void> {
  const place = sessionPlace(ctx.caller.sessionId)
  if (!(await checkSecondFactor(ctx, userId, code, place))) throw secondFactorOff()
}

/**
 * Checks and spends the second factor, an authenticator or recovery code, after the password was right.
 * @returns since when the factor is on; null if the account has none, and the code is ignored
 * @throws AppError second_factor_required without a code, invalid_code, too_many_tries
 */
export async function checkSecondFactor(
  ctx: RequestContext,
  userId: string,
  code: string | undefined,
  place: Place,
): Promise<Date | null> {
  const { services } = ctx
  const factor = await services.db
    .selectFrom('app.second_factors')
    .select(['sealed_secret', 'last_used_step', 'confirmed_at'])
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  if (!factor) return null
  if (!code) throw codeRequired()
  await countCode(services, userId, code, place)
  const isRight = await services.db.transaction().execute(async tx => {
    const used = await spendCode(tx, ctx, userId, code, factor)
    if (!used) await audit(tx, ctx, failedEntry(userId))
    return used
  })
  if (!isRight) throw wrongCode()
  await forgetTries(services, factorKey(userId), place, tries)
  await forget(services, recoveryKey(userId, place))
  return factor.confirmed_at
}

/**
 * Refuses a login under way if two-factor authentication was switched on, off or to another app since its check.
 * @param checked the answer of `checkSecondFactor`
 * @throws AppError second_factor_required, invalid_code
 */
export async function requireSameFactor(tx: Tx, userId: string, checked: Date | null): Promise<void> {
  const factor = await tx
    .selectFrom('app.second_factors')
    .select('confirmed_at')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  if (factor?.confirmed_at?.getTime() === checked?.getTime()) return
  throw checked === null ? codeRequired() : wrongCode()
}

function codeRequired(): AppError {
  return new AppError(
    'second_factor_required',
    t('Enter the code from your authenticator app, or one of your recovery codes'),
  )
}

type Factor = { sealed_secret: Buffer; last_used_step: bigint | null }

/** Spends the code if it is correct: of parallel tries one wins. */
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

/** No actor: the person who tried knows the password and perhaps nothing more. */
function failedEntry(userId: string) {
  return { action: 'second_factor.failed', subject: { kind: 'user', id: userId }, actorId: null } as const
}

/** Counted before the check. Recovery codes count apart, so that wrong app codes never lock them. */
async function countCode(services: Services, userId: string, code: string, place: Place): Promise<void> {
  if (isAppCode(code)) await countTry(services, factorKey(userId), place, tries)
  else await countAgainst(services, recoveryKey(userId, place), recoveryTries, 'too_many_tries')
}

/** A new password ends what its guessers have used up of the tries at app codes, once a day. */
export async function forgetCodeTries(services: Services, userId: string): Promise<void> {
  const { db, config } = services
  const isFirst = await isCountedWithin(db, config, `${factorKey(userId)}:forgotten`, forgettingResets)
  if (isFirst) await forgetTriesElsewhere(services, factorKey(userId))
}

function factorKey(userId: string): string {
  return `factor:${userId}`
}

function recoveryKey(userId: string, { key }: Place): string {
  return `recovery:${userId}:${key}`
}

/** True for an authenticator code; anything else is a recovery code. */
function isAppCode(code: string): boolean {
  return digitsOf(code).length === secondFactorDigits
}

/** The digits of an authenticator code, which apps show with a space; empty for other input. */
function digitsOf(code: string): string {
  const plain = code.replace(/\s/g, '')
  return /^\d+$/.test(plain) ? plain : ''
}

function keysOf({ config }: Services): Buffer[] {
  return keyRing(config, factorPurpose)
}

function secondFactorOff(): AppError {
  return accountRefusals.error({ reason: 'second_factor_off' })
}

function wrongCode(): AppError {
  return incorrectCode(
    t('That code is incorrect. Wait for the next one, or use a recovery code.'),
    t('That code is incorrect'),
  )
}

/** During setup there are no recovery codes yet. */
function wrongSetupCode(): AppError {
  return incorrectCode(
    t("That code didn't match. Enter the one your app shows now."),
    t("That code didn't match"),
  )
}

/** @param what is wrong, at the field */
function incorrectCode(message: string, what: string): AppError {
  return new AppError('invalid_code', message, { fields: { code: what } })
}
