import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { validate } from 'uuid'
import { audit } from '#server/audit/log.ts'
import type { RequestContext, Services } from '#server/context.ts'
import { forgetDevices } from '#server/notifications/push/devices.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { keyFor, keyRing } from '#server/platform/encrypted.ts'
import { newId } from '#server/platform/id.ts'
import { accessTokens } from '#server/platform/tokens.ts'
import type { TokenPair } from '#shared/contract/accounts.ts'
import type { UserType } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { refreshTokenDays, staffIdleHours } from '#shared/limits.ts'
import type { Role } from '#shared/roles.ts'

type Holder = { id: string; type: UserType; role: Role | null }

/**
 * Opens a session for one login. Its refresh token is `session.secret`: each use rotates the secret, and reusing an old one
 * ends the session, since two parties then know it (D9, RFC 9700 4.14.2). However often it is refreshed, it ends 30 days after
 * the login; that of staff also when it is not used for twelve hours.
 * @param device the browser's device id (devices.ts)
 * @param secondFactor true if both factors were shown
 */
export async function openSession(
  db: Kysely<Schema>,
  ctx: RequestContext,
  userId: string,
  device: string | undefined,
  secondFactor = false,
): Promise<{ id: string; token: TokenPair }> {
  const now = ctx.services.clock.now()
  const id = newId(now)
  const secret = newSecret(ctx.services, id)
  const { expires_at } = await db
    .insertInto('app.sessions')
    .values({
      id,
      user_id: userId,
      refresh_hash: hashOf(secret),
      created_at: now,
      last_used_at: now,
      expires_at: expiry(now, userId, sql`${now}::timestamptz`),
      ip: ctx.ip,
      user_agent: ctx.userAgent,
      device_hash: device === undefined ? null : hashOf(device),
      second_factor: secondFactor,
      reauthenticated_at: now,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  const session = { id, second_factor: secondFactor, expires_at }
  return { id, token: pairOf(ctx, await holderOf(db, userId), session, secret) }
}

/**
 * Exchanges a refresh token for a new pair. Of two parallel uses one wins; the other is a reuse.
 * @throws AppError token_invalid, token_expired
 */
export async function refreshSession(ctx: RequestContext, refreshToken: string): Promise<TokenPair> {
  const { db, clock } = ctx.services
  const now = clock.now()
  const [id = '', secret = ''] = refreshToken.split('.')
  // In the case that we wrote it in, since the secret's MAC is over its text.
  if (!validate(id) || id !== id.toLowerCase()) throw invalidToken()
  const next = newSecret(ctx.services, id)
  const session = await db
    .updateTable('app.sessions')
    .set({
      refresh_hash: hashOf(next),
      last_used_at: now,
      expires_at: expiry(now, sql.ref('user_id'), sql.ref('created_at')),
    })
    .where('id', '=', id)
    .where('refresh_hash', '=', hashOf(secret))
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['id', 'user_id', 'second_factor', 'expires_at'])
    .executeTakeFirst()
  if (!session) return refuseToken(ctx, id, secret)
  return pairOf(ctx, await holderOf(db, session.user_id), session, next)
}

/** When a session that is used now ends. (LEAST ignores the null of an investor.) */
function expiry(now: Date, userId: string | RawBuilder<unknown>, openedAt: RawBuilder<unknown>) {
  return sql<Date>`LEAST(
    ${openedAt} + make_interval(days => ${refreshTokenDays}),
    CASE (SELECT u.type FROM app.users u WHERE u.id = ${userId})
      WHEN 'admin' THEN ${now}::timestamptz + make_interval(hours => ${staffIdleHours}) END)`
}

/** Read after the session exists, so that a role change, which ends sessions, cannot be missed. */
function holderOf(db: Kysely<Schema>, userId: string): Promise<Holder> {
  return db
    .selectFrom('app.users')
    .select(['id', 'type', 'role'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
}

/**
 * Throws why the token was refused, and ends a session whose old secret was reused. A forged secret ends nothing, so
 * knowing a session's id is harmless.
 */
async function refuseToken(ctx: RequestContext, id: string, secret: string): Promise<never> {
  const { db, clock } = ctx.services
  const session = await db.selectFrom('app.sessions').selectAll().where('id', '=', id).executeTakeFirst()
  if (!session || session.revoked_at !== null) throw invalidToken()
  if (session.expires_at <= clock.now()) {
    throw new AppError('token_expired', t('Your session has expired. Log in again.'))
  }
  if (!isOurs(ctx.services, id, secret)) throw invalidToken()
  await db.transaction().execute(async tx => {
    const ended = await endSessions(tx, ctx, { userId: session.user_id, only: id })
    // Of parallel reuses one ends it.
    if (ended === 0) return
    await audit(tx, ctx, {
      action: 'session.reused',
      subject: { kind: 'session', id },
      actorId: null,
    })
    await notifySecurity(tx, ctx, 'session.reused', { userId: session.user_id, aboutId: id })
  })
  throw invalidToken()
}

/** A user's sessions: one, all but one, or all. */
export type Sessions = { userId: string; only?: string; except?: string }

/**
 * Ends sessions: their refresh tokens stop working, and the database notifies every process to refuse their access tokens
 * (platform/revocations.ts). The notifications of their devices end, too.
 * @returns how many were still open
 */
export async function endSessions(
  db: Kysely<Schema>,
  ctx: RequestContext,
  sessions: Sessions,
): Promise<number> {
  const { userId, only, except } = sessions
  const ended = await db
    .updateTable('app.sessions')
    .set({ revoked_at: ctx.services.clock.now() })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .$if(only !== undefined, query => query.where('id', '=', only!))
    .$if(except !== undefined, query => query.where('id', '<>', except!))
    .executeTakeFirst()
  // After it, so that a device that one of them is adding at this moment is there to be found.
  await forgetDevices(db, sessions)
  return Number(ended.numUpdatedRows)
}

function pairOf(
  { services: { config, clock } }: RequestContext,
  user: Holder,
  session: { id: string; second_factor: boolean; expires_at: Date },
  secret: string,
): TokenPair {
  // In live mode an admin has no rights until they show a second factor (D9).
  const setup = config.mode === 'live' && user.type === 'admin' && !session.second_factor
  const claims = {
    sub: user.id,
    type: user.type,
    sid: session.id,
    ...(user.role === null ? {} : { role: user.role }),
    ...(setup ? { setup } : {}),
  }
  return {
    accessToken: accessTokens(config, clock).sign(
      claims,
      session.expires_at.getTime() - clock.now().getTime(),
    ),
    refreshToken: `${session.id}.${secret}`,
  }
}

/** 256 random bits with a MAC, which shows that we issued the secret for this session, however long ago. */
function newSecret(services: Services, sessionId: string): string {
  const random = randomBytes(32).toString('base64url')
  return random + markOf(keyFor(services.config, 'refresh token'), sessionId, random)
}

const RANDOM_LENGTH = 43

/** 128 bits. */
function markOf(key: Buffer, sessionId: string, random: string): string {
  const mac = createHmac('sha256', key).update(`${sessionId} ${random}`)
  return mac.digest().subarray(0, 16).toString('base64url')
}

function isOurs({ config }: Services, sessionId: string, secret: string): boolean {
  const random = secret.slice(0, RANDOM_LENGTH)
  const given = Buffer.from(secret.slice(RANDOM_LENGTH))
  return keyRing(config, 'refresh token').some(key => {
    const mark = Buffer.from(markOf(key, sessionId, random))
    return mark.length === given.length && timingSafeEqual(mark, given)
  })
}

/** A random secret of 256 bits needs no slow hash. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function invalidToken(): AppError {
  return new AppError('token_invalid', t('This session has ended. Log in again.'))
}
