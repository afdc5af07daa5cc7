import { sql } from 'kysely'
import { asSystem, audit } from '#server/audit/log.ts'
import type { Services, Tx } from '#server/context.ts'
import { enqueue } from '#server/platform/queue.ts'
import { type Admin, emailAdmins, lockAdmins } from '#server/staff/admins.ts'
import {
  longestWebhookPauseMinutes,
  webhookGiveUpHours,
  webhookLeaseSeconds,
  webhookLogDays,
  webhookPart,
} from '#shared/limits.ts'
import { deliverWebhooks } from './webhook-job.ts'
import { bodyOf } from './webhook-payload.ts'
import { type Posted, postWebhook } from './webhook-post.ts'
import type { WebhookRow } from './webhook-queries.ts'
import { secretsOf } from './webhook-secrets.ts'
import { signedHeaders } from './webhook-signature.ts'

/**
 * Sends what waits for a webhook, oldest first, one at a time, until a failure. Only one worker sends to it; another that is
 * woken meanwhile leaves, and the first looks once more after it has ended.
 * @param signal ends the current attempt, which then counts as failed
 */
export async function deliverAll(services: Services, id: string, signal: AbortSignal): Promise<void> {
  for (let left = webhookPart; left > 0; ) {
    const webhook = await claim(services, id)
    if (webhook === undefined) return
    try {
      while (left > 0 && (await deliverNext(services, id, signal))) left -= 1
    } finally {
      await services.db
        .updateTable('app.webhooks')
        .set({ sending_until: null })
        .where('id', '=', id)
        .execute()
    }
    if (!(await isWaiting(services, id))) return
  }
  // Others come between.
  await enqueue(services.db, deliverWebhooks, { id })
}

/** Queues a job for each webhook with a message that is due: after a pause, or after a worker was killed. */
export async function wakeWebhooks({ db, clock }: Services): Promise<void> {
  const due = await db
    .selectFrom('app.webhooks as w')
    .select('w.id')
    .where(sendable(clock.now()))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('app.webhook_deliveries as d')
          .whereRef('d.webhook_id', '=', 'w.id')
          .where('d.status', '=', 'pending'),
      ),
    )
    .execute()
  for (const { id } of due) await enqueue(db, deliverWebhooks, { id }, `webhooks ${id}`)
}

const sendable = (now: Date) => sql<boolean>`removed_at IS NULL AND stopped_at IS NULL AND secret IS NOT NULL
  AND (next_attempt_at IS NULL OR next_attempt_at <= ${now}) AND (sending_until IS NULL OR sending_until <= ${now})`

/** Takes or prolongs the lease. */
function claim({ db, clock }: Services, id: string): Promise<WebhookRow | undefined> {
  const now = clock.now()
  return db
    .updateTable('app.webhooks')
    .set({ sending_until: leaseFrom(now) })
    .where('id', '=', id)
    .where(sendable(now))
    .returningAll()
    .executeTakeFirst()
}

const leaseFrom = (now: Date) => new Date(now.getTime() + webhookLeaseSeconds * 1000)

async function isWaiting({ db, clock }: Services, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('app.webhook_deliveries as d')
    .innerJoin('app.webhooks as w', 'w.id', 'd.webhook_id')
    .select('d.id')
    .where('d.webhook_id', '=', id)
    .where('d.status', '=', 'pending')
    .where(sendable(clock.now()))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** @returns false if nothing waits, or the attempt failed */
async function deliverNext(services: Services, id: string, signal: AbortSignal): Promise<boolean> {
  const { db, clock, config } = services
  // Read anew each time: the secret may have been replaced, or the webhook removed.
  const webhook = await db
    .updateTable('app.webhooks')
    .set({ sending_until: leaseFrom(clock.now()) })
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .where('stopped_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  const message = await db
    .selectFrom('app.webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', id)
    .where('status', '=', 'pending')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (webhook === undefined || message === undefined) return false
  const body = message.body ?? (await bodyOf(db, message))
  await db.updateTable('app.webhook_deliveries').set({ body }).where('id', '=', message.id).execute()
  const timestamp = Math.floor(clock.now().getTime() / 1000)
  const headers = signedHeaders(secretsOf(services, webhook), { id: message.id, timestamp, body })
  const posted = await postWebhook(
    { url: webhook.url, headers, body },
    { privateHosts: config.webhookPrivateHosts, signal },
  )
  return keepOutcome(services, webhook, { id: message.id, attempts: message.attempts + 1 }, posted)
}

type Attempt = { id: string; attempts: number }

/** Writes an attempt to the log and the webhook's state; gives up after too long. */
async function keepOutcome(
  services: Services,
  { id, failures, failing_since }: WebhookRow,
  { id: messageId, attempts }: Attempt,
  { status, milliseconds, response }: Posted,
): Promise<boolean> {
  const now = services.clock.now()
  const isDone = status !== null && status >= 200 && status < 300
  const since = failing_since ?? now
  const isOver = !isDone && now.getTime() - since.getTime() >= webhookGiveUpHours * 3_600_000
  const state = isDone
    ? { failures: 0, failing_since: null, next_attempt_at: null }
    : { failures: failures + 1, failing_since: since, next_attempt_at: pauseAfter(failures, now) }
  await services.db.transaction().execute(async tx => {
    // Always before the webhook's row, as acts of admins do.
    const admins = isOver ? await lockAdmins(tx) : []
    const webhook = await tx
      .updateTable('app.webhooks')
      .set({ ...state, ...(isOver ? { stopped_at: now } : {}) })
      .where('id', '=', id)
      .where('removed_at', 'is', null)
      .returning('name')
      .executeTakeFirst()
    const isLast = isOver || webhook === undefined
    await tx
      .updateTable('app.webhook_deliveries')
      .set({
        status: isDone ? 'delivered' : isLast ? 'failed' : 'pending',
        attempts,
        attempted_at: now,
        took_ms: milliseconds,
        response_status: status,
        response,
      })
      .where('id', '=', messageId)
      .execute()
    if (isOver && webhook) await tellStopped(tx, services, admins, { id, name: webhook.name })
  })
  return isDone
}

/** When the next attempt is due after so many failures before this one. */
function pauseAfter(failures: number, now: Date): Date {
  const minutes = Math.min(2 ** Math.min(failures, 20), longestWebhookPauseMinutes)
  return new Date(now.getTime() + minutes * 60_000)
}

type Stopped = { id: string; name: string }

async function tellStopped(
  tx: Tx,
  services: Services,
  admins: readonly Admin[],
  { id, name }: Stopped,
): Promise<void> {
  await audit(tx, asSystem(services), { action: 'webhook.stopped', subject: { kind: 'webhook', id } })
  await emailAdmins(tx, { services }, admins, {
    subject: `The webhook ${name} is stopped`,
    paragraphs: [
      `Its endpoint has accepted no message for ${webhookGiveUpHours} hours, so we send nothing to it any more. We keep messages for ${webhookLogDays} days. Once the endpoint works, resume the webhook:`,
    ],
    action: { label: 'Open Integrations', url: `${services.config.publicUrl}/admin/integrations` },
  })
}
