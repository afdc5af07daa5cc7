import { audit } from '#server/audit/log.ts'
import type { RequestContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { passwordIs } from '#server/platform/passwords.ts'
import { addressHash } from '#server/platform/rate-limit.ts'
import type { TokenPair } from '#shared/contract/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { accountClosed } from './closing.ts'
import { isNewDevice } from './devices.ts'
import { invalidPasskey } from './passkeys.ts'
import { checkSecondFactor, requireSameFactor } from './second-factor.ts'
import { hashOf, openSession } from './sessions.ts'
import { countTry, forgetTries, placeOf, type TryLimits } from './tries.ts'

/** Failed tries of one password. */
const tries: TryLimits = {
  perPlace: { points: 10, seconds: 900 },
  longer: { points: 100, seconds: 3600 },
}

export type LoginBody = {
  email: string
  password: string
  device?: string | undefined
  /** An authenticator code or a recovery code. */
  code?: string | undefined
}

/**
 * Logs in with the password and, if the account has one, the second factor, which is asked for only after the right
 * password. An unknown address and a wrong password take the same time and get the same answer.
 * @throws AppError invalid_credentials, second_factor_required, invalid_code, too_many_tries
 */
export async function login(
  ctx: RequestContext,
  { email, password, device, code }: LoginBody,
): Promise<{ token: TokenPair; userId: string }> {
  const { services } = ctx
  const user = await services.db
    .selectFrom('app.users')
    .select(['id', 'password_hash'])
    .where('email', '=', email)
    .executeTakeFirst()
  const place = await placeOf(ctx, user?.id, device, { secondFactor: false })
  const secret = triedPassword(email, user?.password_hash)
  await countTry(services, secret, place, tries)
  if (!(await passwordIs(password, user?.password_hash)) || !user) {
    await services.db.transaction().execute(tx =>
      audit(tx, ctx, {
        action: 'login.failed',
        // The attempt may come from neither the account's owner nor the person logged in in this browser.
        actorId: null,
        ...(user
          ? { subject: { kind: 'user', id: user.id } }
          : { details: { addressHash: addressHash(email) } }),
      }),
    )
    throw wrongCredentials()
  }
  await forgetTries(services, secret, place, tries)
  const factorPlace = await placeOf(ctx, user.id, device, { secondFactor: true })
  const factorSince = await checkSecondFactor(ctx, user.id, code, factorPlace)
  const token = await openLogin(ctx, user.id, device, {
    by: 'password',
    passwordHash: user.password_hash,
    factorSince,
  })
  return { token, userId: user.id }
}

/** Key of the tries at one password: a new password starts with none, so a reset lets its owner in at once. */
function triedPassword(email: string, passwordHash = ''): string {
  return `login:${hashOf(`${email}:${passwordHash}`).toString('base64url')}`
}

/** What a login was authenticated with, checked before its session opens. */
type Evidence =
  | { by: 'password'; passwordHash: string; factorSince: Date | null }
  | { by: 'passkey'; passkeyId: string }

/**
 * Opens a session after authentication, and notifies the owner if the device is new.
 * @throws AppError invalid_credentials, second_factor_required, invalid_code, invalid_passkey if the evidence no longer
 *   counts; forbidden to staff whose access has ended, and to owners who have closed their account
 */
export async function openLogin(
  ctx: RequestContext,
  userId: string,
  device: string | undefined,
  evidence: Evidence,
): Promise<TokenPair> {
  const details = {
    by: evidence.by,
    secondFactor: evidence.by === 'passkey' || evidence.factorSince !== null,
  }
  return ctx.services.db.transaction().execute(async tx => {
    await requireStillValid(tx, ctx, userId, evidence)
    const isNew = await isNewDevice(tx, ctx, userId, device)
    const subject = { kind: 'user', id: userId }
    await audit(tx, ctx, { action: 'login', subject, actorId: userId, details })
    const session = await openSession(tx, ctx, userId, device, details.secondFactor)
    if (isNew) await notifySecurity(tx, ctx, 'session.opened', { userId, aboutId: session.id })
    return session.token
  })
}

/**
 * A new password, a changed second factor or a removed passkey changes what sessions may do, so a login under way must not
 * slip past it. The lock holds the change off until this session exists.
 */
async function requireStillValid(
  tx: Tx,
  { services }: RequestContext,
  userId: string,
  evidence: Evidence,
): Promise<void> {
  const { password_hash, access_ended_at, closed_at } = await tx
    .selectFrom('app.users')
    .select(['password_hash', 'access_ended_at', 'closed_at'])
    .where('id', '=', userId)
    .forShare()
    .executeTakeFirstOrThrow()
  if (evidence.by === 'passkey') await requirePasskey(tx, evidence.passkeyId)
  else if (password_hash !== evidence.passwordHash) throw wrongCredentials()
  else await requireSameFactor(tx, userId, evidence.factorSince)
  if (access_ended_at !== null) {
    throw new AppError('forbidden', t('Your access has ended. Ask an admin.'), { userId })
  }
  if (closed_at !== null) throw await accountClosed(tx, services, closed_at)
}

async function requirePasskey(tx: Tx, id: string): Promise<void> {
  const passkey = await tx
    .selectFrom('app.passkeys')
    .select('id')
    .where('id', '=', id)
    .where('refused_at', 'is', null)
    .executeTakeFirst()
  if (!passkey) throw invalidPasskey()
}

function wrongCredentials(): AppError {
  return new AppError('invalid_credentials', t('Incorrect email or password'))
}
