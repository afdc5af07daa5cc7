import { audit } from '#server/audit/log.ts'
import type { RequestContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { passwordIs } from '#server/platform/passwords.ts'
import { addressHash, countAgainst, forget, type Limit } from '#server/platform/rate-limit.ts'
import type { TokenPair } from '#shared/contract/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { isNewDevice } from './devices.ts'
import { invalidPasskey } from './passkeys.ts'
import { checkSecondFactor, codeRequired, hasSecondFactor } from './second-factor.ts'
import { openSession } from './sessions.ts'

/** Failed tries of one account; a success starts anew. */
const triesPerAccount: Limit = { points: 10, seconds: 900 }

export type LoginBody = {
  email: string
  password: string
  device?: string | undefined
  /** Of the second factor: an app's code, or a recovery code. */
  code?: string | undefined
}

/**
 * Signs in by the password, and by the second factor where the account has one: whether it has is said only after the
 * right password. An unknown address and a wrong password take the same time and get the same words.
 * @throws AppError invalid_credentials, second_factor_required, invalid_code, too_many_tries
 */
export async function login(
  ctx: RequestContext,
  { email, password, device, code }: LoginBody,
): Promise<{ token: TokenPair; userId: string }> {
  const { services } = ctx
  const key = `login:${addressHash(email)}`
  await countAgainst(services, key, triesPerAccount, 'too_many_tries')
  const user = await services.db
    .selectFrom('app.users')
    .select(['id', 'password_hash'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (!(await passwordIs(password, user?.password_hash)) || !user) {
    await services.db.transaction().execute(tx =>
      audit(tx, ctx, {
        action: 'login.failed',
        // Whoever tried is not who is signed in in the same browser, nor whom the address belongs to.
        actorId: null,
        ...(user
          ? { subject: { kind: 'user', id: user.id } }
          : { details: { addressHash: addressHash(email) } }),
      }),
    )
    throw wrongCredentials()
  }
  await forget(services, key, triesPerAccount)
  const secondFactor = await checkSecondFactor(ctx, user.id, code)
  const token = await signIn(ctx, user.id, device, {
    by: 'password',
    passwordHash: user.password_hash,
    secondFactor,
  })
  return { token, userId: user.id }
}

/** By what somebody has shown that an account is his: what was checked before the session is opened. */
type Shown =
  | { by: 'password'; passwordHash: string; secondFactor: boolean }
  | { by: 'passkey'; passkeyId: string }

/**
 * Opens a session for whoever has shown that the account is his; he is told where the device is new to it.
 * @throws AppError invalid_credentials, second_factor_required, invalid_passkey where what was shown counts no more;
 *   forbidden to staff whose access has ended
 */
export async function signIn(
  ctx: RequestContext,
  userId: string,
  device: string | undefined,
  shown: Shown,
): Promise<TokenPair> {
  const details = { by: shown.by, secondFactor: shown.by === 'passkey' || shown.secondFactor }
  return ctx.services.db.transaction().execute(async tx => {
    await requireStill(tx, userId, shown)
    const isNew = await isNewDevice(tx, ctx, userId, device)
    const subject = { kind: 'user', id: userId }
    await audit(tx, ctx, { action: 'login', subject, actorId: userId, details })
    const session = await openSession(tx, ctx, userId, device, details.secondFactor)
    if (isNew) await notifySecurity(tx, ctx, 'session.opened', { userId, aboutId: session.id })
    return session.token
  })
}

/**
 * Another password, a new second factor and a passkey that is gone end sessions; a login that was under way must not
 * open one behind their backs. The lock keeps them out until its session is there for them to end.
 */
async function requireStill(tx: Tx, userId: string, shown: Shown): Promise<void> {
  const { password_hash, access_ended_at } = await tx
    .selectFrom('app.users')
    .select(['password_hash', 'access_ended_at'])
    .where('id', '=', userId)
    .forShare()
    .executeTakeFirstOrThrow()
  if (shown.by === 'passkey') await requirePasskey(tx, shown.passkeyId)
  else if (password_hash !== shown.passwordHash) throw wrongCredentials()
  else if (!shown.secondFactor && (await hasSecondFactor(tx, userId))) throw codeRequired()
  if (access_ended_at !== null) {
    throw new AppError('forbidden', 'Your access has ended. Ask an admin of the firm.')
  }
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
  return new AppError('invalid_credentials', 'The email or the password is not right')
}
