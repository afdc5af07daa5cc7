import { type Kysely, sql } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { pushServiceOf } from '#server/platform/push-services.ts'
import type { ParsedInput } from '#shared/contract/define.ts'
import type { addPushDevice, PushDevices } from '#shared/contract/push.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumPushDevices } from '#shared/limits.ts'
import { vapidKeys } from './keys.ts'
import { pushRefusals } from './messages.ts'
import { endpointHash, isPoint, sealedSubscription } from './subscription.ts'

/** The caller's browsers that show notifications. */
export async function pushDevicesOf(
  db: Kysely<Schema>,
  { services, caller }: SignedInContext,
): Promise<PushDevices> {
  const rows = await db
    .selectFrom('app.push_devices')
    .select(['id', 'user_agent', 'created_at', isHere(caller.sessionId).as('here')])
    .where('user_id', '=', caller.userId)
    .orderBy('id')
    .execute()
  return {
    key: vapidKeys(services.config)[0].publicKey,
    devices: rows.map(({ id, user_agent, created_at, here }) => ({
      _id: id,
      userAgent: user_agent,
      createdAt: created_at.toISOString(),
      here,
    })),
  }
}

/** True of the browser of a session: one of its logins has added it. */
function isHere(sessionId: string) {
  // Programs and some browsers log in without a device id, and null is no browser.
  return sql<boolean>`coalesce(
    session_id = ${sessionId}
    OR device_hash = (SELECT s.device_hash FROM app.sessions s WHERE s.id = ${sessionId}), false)`
}

/**
 * Shows the caller's notifications in the browser of this subscription, and no longer anybody else's.
 * @throws AppError too_many_devices, unknown_service; invalid_input for a key that is none; token_invalid
 */
export async function addDevice(
  tx: Tx,
  ctx: SignedInContext,
  { endpoint, keys }: ParsedInput<typeof addPushDevice>['body'],
): Promise<void> {
  const { services, caller, userAgent } = ctx
  const { userId, sessionId } = caller
  const now = services.clock.now()
  if (pushServiceOf(services.config.pushServices, endpoint) === null)
    throw pushRefusals.error({ reason: 'unknown_service' })
  if (!isPoint(keys.p256dh))
    throw new AppError('invalid_input', t('The keys of this subscription are not valid'))
  // One at a time for each person, so that two cannot pass the limit together.
  await tx.selectFrom('app.users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  await holdOpen(tx, sessionId, now)
  await tx
    .deleteFrom('app.push_devices')
    .where(({ or, eb }) =>
      or([
        eb('endpoint_hash', '=', endpointHash(endpoint)),
        // A browser that forgot its subscription has made another one.
        sql<boolean>`(user_id = ${userId} AND ${isHere(sessionId)})`,
      ]),
    )
    .execute()
  const others = await tx.selectFrom('app.push_devices').select('id').where('user_id', '=', userId).execute()
  if (others.length >= maximumPushDevices) throw pushRefusals.error({ reason: 'too_many_devices' })
  const id = newId(now)
  const vapidKey = vapidKeys(services.config)[0].publicKey
  await tx
    .insertInto('app.push_devices')
    .values({
      id,
      user_id: userId,
      session_id: sessionId,
      device_hash: sql`(SELECT s.device_hash FROM app.sessions s WHERE s.id = ${sessionId})`,
      user_agent: userAgent,
      endpoint_hash: endpointHash(endpoint),
      sealed: sealedSubscription(services.config, id, { endpoint, keys, vapidKey }),
      created_at: now,
    })
    .execute()
  await audit(tx, ctx, {
    action: 'device.added',
    subject: { kind: 'user', id: userId },
    details: { userAgent },
  })
}

/** What ends this session waits, then finds its device. Locked before devices, as `endSessions` does. */
async function holdOpen(tx: Tx, sessionId: string, now: Date): Promise<void> {
  const open = await tx
    .selectFrom('app.sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .forShare()
    .executeTakeFirst()
  if (open === undefined) throw new AppError('token_invalid', t('This session has ended. Log in again.'))
}

/** @throws AppError forbidden, alike for another person's device and for an unknown id (D8) */
export async function removeDevice(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { userId } = ctx.caller
  const removed = await tx
    .deleteFrom('app.push_devices')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('user_agent')
    .executeTakeFirst()
  if (removed === undefined) throw new AppError('forbidden', t('You can only remove your own devices'))
  await audit(tx, ctx, {
    action: 'device.removed',
    subject: { kind: 'user', id: userId },
    details: { userAgent: removed.user_agent },
  })
}

/** Ends notifications with their logins: all of a user's, or all but those of one browser, or of one browser only. */
export async function forgetDevices(
  db: Kysely<Schema>,
  { userId, only, except }: { userId: string; only?: string; except?: string },
): Promise<void> {
  await db
    .deleteFrom('app.push_devices')
    .where('user_id', '=', userId)
    .$if(only !== undefined, query => query.where(isHere(only!)))
    .$if(except !== undefined, query => query.where(({ not }) => not(isHere(except!))))
    .execute()
}
