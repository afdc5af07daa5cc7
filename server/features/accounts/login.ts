import type { RequestContext } from '#server/context.ts'
import { passwordIs } from '#server/platform/passwords.ts'
import { addressHash, countAgainst, forget, type Limit } from '#server/platform/rate-limit.ts'
import { audit } from '#server/records/audit.ts'
import { tellSecurity } from '#server/records/security-news.ts'
import type { TokenPair } from '#shared/contract/accounts.ts'
import type { UserType } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { isNewDevice } from './devices.ts'
import { checkSecondFactor } from './second-factor.ts'
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
    .select(['id', 'type', 'password_hash'])
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
    throw new AppError('invalid_credentials', 'The email or the password is not right')
  }
  await forget(services, key, triesPerAccount)
  const secondFactor = await checkSecondFactor(ctx, user.id, code)
  const token = await signIn(ctx, user, device, { by: 'password', secondFactor })
  return { token, userId: user.id }
}

/** Opens a session for whoever has shown that the account is his; he is told where the device is new to it. */
export async function signIn(
  ctx: RequestContext,
  user: { id: string; type: UserType },
  device: string | undefined,
  shown: { by: 'password' | 'passkey'; secondFactor: boolean },
): Promise<TokenPair> {
  return ctx.services.db.transaction().execute(async tx => {
    const isNew = await isNewDevice(tx, ctx, user.id, device)
    const subject = { kind: 'user', id: user.id }
    await audit(tx, ctx, { action: 'login', subject, actorId: user.id, details: shown })
    const session = await openSession(tx, ctx, user, device, shown.secondFactor)
    if (isNew) await tellSecurity(tx, ctx, 'session.opened', { userId: user.id, aboutId: session.id })
    return session.token
  })
}
