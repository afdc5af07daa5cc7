import type { Kysely } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { RequestContext, SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { TokenPair } from '#shared/contract/accounts.ts'
import type { Assertion, RequestOptions } from '#shared/contract/second-factor.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { passkeyChallengeMinutes } from '#shared/limits.ts'
import { lockAccount } from './factors.ts'
import { openLogin } from './login.ts'
import { newChallenge, type Purpose, takeChallenge } from './passkey-challenges.ts'
import { credentialDescriptor, invalidPasskey, userHandle } from './passkeys.ts'
import { type RelyingParty, relyingPartyOf } from './relying-party.ts'
import { endSessions } from './sessions.ts'

/** Options for the authenticator: any passkey of this site for a login, one of the caller's for a reauthentication. */
export async function passkeyOptions(
  db: Kysely<Schema>,
  { services }: RequestContext,
  purpose: Purpose,
): Promise<RequestOptions> {
  const party = relyingPartyOf(services.config)
  return {
    rpId: party.id,
    challenge: await newChallenge(db, services, purpose),
    timeout: passkeyChallengeMinutes * 60_000,
    userVerification: 'required',
    allowCredentials:
      purpose.userId === undefined ? [] : (await usableOf(db, purpose.userId)).map(credentialDescriptor),
  }
}

function usableOf(db: Kysely<Schema>, userId: string) {
  return db
    .selectFrom('app.passkeys')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', userId)
    .where('refused_at', 'is', null)
    .execute()
}

/**
 * Logs in with a passkey, which is both factors at once: a device that its owner unlocks.
 * @throws AppError invalid_passkey
 */
export async function loginByPasskey(
  ctx: RequestContext,
  { response, device }: { response: Assertion; device?: string | undefined },
): Promise<{ token: TokenPair; userId: string }> {
  const { user_id: userId, id: passkeyId } = await checkPasskey(ctx, { purpose: 'login' }, response)
  const token = await openLogin(ctx, userId, device, { by: 'passkey', passkeyId })
  return { token, userId }
}

/**
 * Reauthenticates the caller with one of their passkeys, which counts as password and code together.
 * @throws AppError invalid_passkey
 */
export async function reauthenticateByPasskey(ctx: SignedInContext, response: Assertion): Promise<void> {
  const { services, caller } = ctx
  const { userId, sessionId } = caller
  await checkPasskey(ctx, { purpose: 'proof', userId }, response)
  await services.db.transaction().execute(async tx => {
    await tx
      .updateTable('app.sessions')
      .set({ reauthenticated_at: services.clock.now(), second_factor: true })
      .where('id', '=', sessionId)
      .where('user_id', '=', userId)
      .execute()
    const subject = { kind: 'session', id: sessionId }
    await audit(tx, ctx, { action: 'proof.given', subject, details: { by: 'passkey' } })
  })
}

type Found = {
  id: string
  user_id: string
  credential_id: Buffer
  public_key: Buffer
  refused_at: Date | null
}

/**
 * The passkey that has answered the challenge, unlocked by its owner.
 * @throws AppError invalid_passkey
 */
async function checkPasskey(ctx: RequestContext, purpose: Purpose, response: Assertion): Promise<Found> {
  const { services } = ctx
  const party = relyingPartyOf(services.config)
  const challenge = await takeChallenge(services, purpose, response.response.clientDataJSON)
  const passkey = await services.db
    .selectFrom('app.passkeys')
    .select(['id', 'user_id', 'credential_id', 'public_key', 'refused_at'])
    .where('credential_id', '=', Buffer.from(response.id, 'base64url'))
    .executeTakeFirst()
  if (challenge === undefined || !passkey || !isOwners(passkey, purpose, response)) throw invalidPasskey()
  const counter = await counterIn(ctx, party, challenge, passkey, response)
  if (passkey.refused_at !== null) throw refusedPasskey()
  if (!(await countUse(ctx, passkey.id, counter))) {
    await refuseForGood(ctx, passkey, counter)
    throw refusedPasskey()
  }
  return passkey
}

/** A login's passkey names its user (the user handle); for other purposes it must be the caller's. */
function isOwners({ user_id }: Found, purpose: Purpose, { response }: Assertion): boolean {
  if (purpose.purpose !== 'login' && purpose.userId !== user_id) return false
  if (response.userHandle === undefined) return purpose.purpose !== 'login'
  return response.userHandle === userHandle(user_id)
}

/** @throws AppError invalid_passkey if the signature, the origin or the user verification is wrong */
async function counterIn(
  ctx: RequestContext,
  party: RelyingParty,
  challenge: string,
  { user_id, credential_id, public_key }: Found,
  response: Assertion,
): Promise<number> {
  // Loaded only when needed, as in passkeys.ts.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      // The counter is compared where it is stored, once the signature is known to be good.
      credential: {
        id: credential_id.toString('base64url'),
        publicKey: new Uint8Array(public_key),
        counter: 0,
      },
    })
    if (verified) return authenticationInfo.newCounter
  } catch (error) {
    // The library reports a bad response by throwing.
    ctx.log.warn({ reason: String(error) }, 'passkey not accepted')
  }
  await ctx.services.db
    .transaction()
    .execute(tx =>
      audit(tx, ctx, { action: 'login.failed', actorId: null, subject: { kind: 'user', id: user_id } }),
    )
  throw invalidPasskey()
}

/** Records a use atomically: of two with the same counter one wins. An authenticator without a counter always sends 0. */
async function countUse({ services }: RequestContext, id: string, counter: number): Promise<boolean> {
  const used = await services.db
    .updateTable('app.passkeys')
    .set({ counter: BigInt(counter), last_used_at: services.clock.now() })
    .where('id', '=', id)
    .where('refused_at', 'is', null)
    .where(eb =>
      eb.or([eb('counter', '<', BigInt(counter)), eb.and([eb('counter', '=', 0n), eb.val(counter === 0)])]),
    )
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

/**
 * A counter that went backwards means the key was cloned (WebAuthn 3, 6.1.1). Every session ends, since the clone may have
 * opened one, and the owner is notified once.
 */
async function refuseForGood(ctx: RequestContext, { id, user_id }: Found, counter: number): Promise<void> {
  await ctx.services.db.transaction().execute(async (tx: Tx) => {
    await lockAccount(tx, user_id)
    const refused = await tx
      .updateTable('app.passkeys')
      .set({ refused_at: ctx.services.clock.now() })
      .where('id', '=', id)
      .where('refused_at', 'is', null)
      .returning(['name', 'counter'])
      .executeTakeFirst()
    if (!refused) return
    await endSessions(tx, ctx, { userId: user_id })
    await audit(tx, ctx, {
      action: 'passkey.refused',
      actorId: null,
      subject: { kind: 'user', id: user_id },
      details: { passkey: refused.name, counter, before: Number(refused.counter) },
    })
    await notifySecurity(tx, ctx, 'passkey.refused', { userId: user_id, aboutId: id })
  })
}

function refusedPasskey(): AppError {
  return new AppError(
    'invalid_passkey',
    t(
      'This passkey is no longer accepted because someone may have copied it. Log in another way and remove it.',
    ),
  )
}
