import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { Services } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { pushServiceOf } from '#server/platform/push-services.ts'
import { defineTask, enqueueAfter, enqueueAll } from '#server/platform/queue.ts'
import { sendWebPush } from '#server/platform/web-push.ts'
import {
  longestPushWaitSeconds,
  pushHours,
  rememberedPushes,
  shortestPushWaitSeconds,
} from '#shared/limits.ts'
import { vapidKeys } from './keys.ts'
import { unsealedSubscription } from './subscription.ts'

const push = z.object({
  device: z.string(),
  /** What happened, without names and amounts: it shows on a locked screen. */
  words: z.string(),
  /** The page that a click opens. */
  path: z.string(),
  /** A repetition replaces the notification. */
  tag: z.string(),
  /** An outdated one is not sent. */
  until: z.string(),
})
type PushJob = z.output<typeof push>

export const sendPush = defineTask('push', push)

/** What the devices of an account show. */
export type PushMessage = { userId: string; words: string; path: string; tag: string }

/** Queues messages for all devices of their accounts. */
export async function queuePushes(
  db: Kysely<Schema>,
  { clock }: Pick<Services, 'clock'>,
  messages: readonly PushMessage[],
): Promise<void> {
  if (messages.length === 0) return
  const userIds = messages.map(({ userId }) => userId)
  const devices = await db
    .selectFrom('app.push_devices')
    .select(['id', 'user_id'])
    .where(({ eb, val }) => eb('user_id', '=', eb.fn.any(val(userIds))))
    .execute()
  const jobs = messages.flatMap(message =>
    jobsFor(
      devices.filter(({ user_id }) => user_id === message.userId),
      message,
      clock.now(),
    ),
  )
  if (jobs.length > 0) await enqueueAll(sendPush, jobs).execute(db)
}

/**
 * Queues the message of a notice, known by its tag, once for each device, however often the job that tells of it is tried.
 * @param since when it happened
 */
export async function queuePushOnce(
  { db }: Pick<Services, 'db'>,
  message: PushMessage,
  since: Date,
): Promise<void> {
  const { userId, tag } = message
  const isNew = sql<boolean>`(user_id = ${userId} AND ${tag} <> ALL (queued))`
  // Most accounts have no device, and need no transaction.
  const some = await db.selectFrom('app.push_devices').select('id').where(isNew).limit(1).execute()
  if (some.length === 0) return
  await db.transaction().execute(async tx => {
    const devices = await tx
      .updateTable('app.push_devices')
      .set({ queued: sql`(array_prepend(${tag}, queued))[:${sql.lit(rememberedPushes)}]` })
      .where(isNew)
      .returning('id')
      .execute()
    if (devices.length > 0) await enqueueAll(sendPush, jobsFor(devices, message, since)).execute(tx)
  })
}

function jobsFor(
  devices: readonly { id: string }[],
  { words, path, tag }: PushMessage,
  since: Date,
): PushJob[] {
  const until = new Date(since.getTime() + pushHours * 3_600_000).toISOString()
  return devices.map(({ id: device }) => ({ device, words, path, tag, until }))
}

/**
 * Sends a message to a device. One that its push service no longer knows, or whose key it refuses, is forgotten.
 * @throws Error if the service did not take it now: the queue tries again
 */
export async function deliverPush(services: Services, job: PushJob, signal: AbortSignal): Promise<void> {
  const { db, config, clock, log } = services
  const secondsLeft = Math.floor((Date.parse(job.until) - clock.now().getTime()) / 1000)
  if (secondsLeft <= 0) return log.warn('push not sent: it has expired')
  const row = await db
    .selectFrom('app.push_devices')
    .select(['id', 'sealed'])
    .where('id', '=', job.device)
    .executeTakeFirst()
  if (row === undefined) return
  const { endpoint, keys, vapidKey } = unsealedSubscription(config, row.id, row.sealed)
  const service = pushServiceOf(config.pushServices, endpoint)
  const sender = vapidKeys(config).find(({ publicKey }) => publicKey === vapidKey)
  // Of a secret or a service that was given up: the browser must turn notifications on again.
  if (service === null || sender === undefined) return forget(services, row.id)
  const firm = await currentFirm(db, config)
  const { words: body, path, tag } = job
  const { status, retryAfterSeconds } = await sendWebPush(
    service,
    {
      keys,
      vapid: { subject: `mailto:${firm.supportEmail}`, ...sender },
      content: { title: firm.productName, body, path, tag },
      topic: tag,
      ttlSeconds: secondsLeft,
      now: clock.now(),
    },
    signal,
  )
  if (status < 300) return
  if (status === 404 || status === 410) return forget(services, row.id)
  if (status === 401 || status === 403) {
    log.warn({ status }, 'device forgotten: its push service refuses our key')
    return forget(services, row.id)
  }
  if (status !== 429 && status < 500)
    return log.warn({ status }, 'push refused permanently by the push service')
  if (retryAfterSeconds === null) throw new Error(`the push service answered ${status}`)
  const wait = Math.min(Math.max(retryAfterSeconds, shortestPushWaitSeconds), longestPushWaitSeconds)
  await enqueueAfter(db, sendPush, job, wait)
}

async function forget({ db }: Services, id: string): Promise<void> {
  await db.deleteFrom('app.push_devices').where('id', '=', id).execute()
}
