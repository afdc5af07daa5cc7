import type { Selectable } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import type { CreationOptions, Passkey, Registration } from '#shared/contract/second-factor.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumPasskeys, passkeyChallengeMinutes } from '#shared/limits.ts'
import { clearShownFactors, lockAccount, requireCanAddFactor, requirePasskeyLogin } from './factors.ts'
import { accountRefusals } from './messages.ts'
import { newChallenge, takeChallenge } from './passkey-challenges.ts'
import { requireReauthentication } from './reauthentication.ts'
import { relyingPartyOf } from './relying-party.ts'
import { endSessions } from './sessions.ts'

/** EdDSA, ES256 and RS256 (RFC 9053). */
const algorithms = [-8, -7, -257]

type Row = Selectable<Schema['app.passkeys']>

/** An account's passkeys, newest first. */
export async function passkeysOf({ db }: Services, userId: string): Promise<Passkey[]> {
  const rows = await db
    .selectFrom('app.passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute()
  return rows.map(present)
}

function present(row: Omit<Row, 'public_key' | 'credential_id'>): Passkey {
  return {
    _id: row.id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    refused: row.refused_at !== null,
  }
}

/**
 * Options for creating a passkey: discoverable, so that a login needs no email, and with user verification.
 * @throws AppError email_not_verified, forbidden (factors.ts), proof_required; too_many_passkeys, no_domain_name
 */
export async function beginPasskey(tx: Tx, ctx: SignedInContext): Promise<CreationOptions> {
  const { services, caller } = ctx
  const party = relyingPartyOf(services.config)
  await requireCanAddFactor(tx, caller)
  await requireReauthentication(tx, ctx)
  const user = await tx
    .selectFrom('app.users')
    .select(['name', 'email'])
    .where('id', '=', caller.userId)
    .executeTakeFirstOrThrow()
  const existing = await requireRoom(tx, caller.userId)
  const { productName } = await currentFirm(tx, services.config)
  return {
    rp: { id: party.id, name: productName },
    user: { id: userHandle(caller.userId), name: user.email, displayName: user.name },
    challenge: await newChallenge(tx, services, { purpose: 'add', userId: caller.userId }),
    pubKeyCredParams: algorithms.map(alg => ({ alg, type: 'public-key' })),
    timeout: passkeyChallengeMinutes * 60_000,
    excludeCredentials: existing.map(credentialDescriptor),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  }
}

type Credential = Pick<Row, 'credential_id' | 'transports'>

export function credentialDescriptor({ credential_id, transports }: Credential) {
  return { id: credential_id.toString('base64url'), type: 'public-key' as const, transports }
}

/** The authenticator's name for the account: the bytes of its id, nothing personal. */
export function userHandle(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url')
}

/** @throws AppError too_many_passkeys */
async function requireRoom(tx: Tx, userId: string): Promise<Credential[]> {
  // The lock makes the limit hold for parallel additions.
  await lockAccount(tx, userId)
  const existing = await tx
    .selectFrom('app.passkeys')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', userId)
    .execute()
  if (existing.length < maximumPasskeys) return existing
  throw accountRefusals.error({ reason: 'too_many_passkeys', maximum: maximumPasskeys })
}

/**
 * Adds the passkey that an authenticator created. Creating it counts as showing both factors in this session.
 * @throws AppError invalid_passkey, proof_required, email_not_verified, forbidden; too_many_passkeys
 */
export async function addPasskey(
  ctx: SignedInContext,
  { name, response }: { name: string; response: Registration },
): Promise<Passkey> {
  const { services, caller } = ctx
  const { userId, sessionId } = caller
  const credential = await verifiedCredential(ctx, response)
  return services.db.transaction().execute(async tx => {
    await requireReauthentication(tx, ctx)
    await requireCanAddFactor(tx, caller)
    await requireRoom(tx, userId)
    const now = services.clock.now()
    const row = {
      id: newId(now),
      user_id: userId,
      counter: BigInt(credential.counter),
      transports: response.response.transports ?? [],
      name,
      created_at: now,
      last_used_at: null,
      refused_at: null,
    }
    const added = await tx
      .insertInto('app.passkeys')
      .values({
        ...row,
        credential_id: Buffer.from(credential.id, 'base64url'),
        public_key: Buffer.from(credential.publicKey),
      })
      .onConflict(conflict => conflict.column('credential_id').doNothing())
      .executeTakeFirst()
    if (added.numInsertedOrUpdatedRows === 0n) throw invalidPasskey()
    await tx.updateTable('app.sessions').set({ second_factor: true }).where('id', '=', sessionId).execute()
    const subject = { kind: 'user', id: userId }
    await audit(tx, ctx, { action: 'passkey.added', subject, details: { passkey: name } })
    await notifySecurity(tx, ctx, 'passkey.added', { userId, aboutId: row.id })
    return present(row)
  })
}

async function verifiedCredential(ctx: SignedInContext, response: Registration) {
  const { services, caller } = ctx
  const party = relyingPartyOf(services.config)
  const purpose = { purpose: 'add', userId: caller.userId } as const
  const challenge = await takeChallenge(services, purpose, response.response.clientDataJSON)
  if (challenge === undefined) throw invalidPasskey()
  // Loaded only when needed: it takes a third of a second of a processor.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    if (!verified) throw invalidPasskey()
    return registrationInfo.credential
  } catch (error) {
    // The library reports a bad response by throwing.
    ctx.log.warn({ reason: String(error) }, 'passkey not added')
    throw invalidPasskey()
  }
}

/**
 * Removes one of the caller's passkeys and ends their other sessions, which it may have opened.
 * @throws AppError forbidden, alike for another user's passkey and for an unknown id (D8); proof_required
 */
export async function removePasskey(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { userId, sessionId } = ctx.caller
  await lockAccount(tx, userId)
  const passkey = await tx
    .selectFrom('app.passkeys')
    .select('name')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!passkey) throw new AppError('forbidden', t('You can only remove your own passkeys'))
  await requireReauthentication(tx, ctx)
  await requirePasskeyLogin(tx, ctx.caller)
  const subject = { kind: 'user', id: userId }
  await audit(tx, ctx, { action: 'passkey.removed', subject, details: { passkey: passkey.name } })
  // The text reads the passkey's row, so notify before deleting it.
  await notifySecurity(tx, ctx, 'passkey.removed', { userId, aboutId: id })
  await tx.deleteFrom('app.passkeys').where('id', '=', id).execute()
  await endSessions(tx, ctx, { userId, except: sessionId })
  await clearShownFactors(tx, ctx)
}

export function invalidPasskey(): AppError {
  return new AppError('invalid_passkey', t('This passkey could not be used. Please try again.'))
}
