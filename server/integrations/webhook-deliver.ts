import { type Selectable, sql } from 'kysely'
import { asSystem, audit } from '#server/audit/log.ts'
import type { Services, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { enqueue } from '#server/platform/queue.ts'
import { type Admin, emailAdmins, lockAdmins } from '#server/staff/admins.ts'
import { t } from '#shared/i18n/t.ts'
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

type Message = Selectable<Schema['app.webhook_deliveries']>

/**
 * Sends what waits for a webhook, oldest first, one at a time, until a failure. Only one worker sends to it; another that is
 * woken meanwhile leaves, and the first looks once more after it has ended.
 * @param signal ends the current attempt, which then never was; another worker goes on
 */
export async function deliverAll(services: Services, id: string, signal: AbortSignal): Promise<void> {
  for (let left = webhookPart; left > 0 && !signal.aborted; ) {
    left -= await deliverSome(services, id, left, signal)
    if (!(await isWaiting(services, id))) return
  }
  // Others come between, or this process ends.
  await enqueue(services.db, deliverWebhooks, { id })
}

/** @returns how many were delivered: fewer than `most` if no more wait, one failed or another worker has the lease */
async function deliverSome(
  services: Services,
  id: string,
  most: number,
  signal: AbortSignal,
): Promise<number> {
  let until: Date | null = null
  try {
    for (let sent = 0; sent < most; sent++) {
      // Read anew each time: the secret may have been replaced, or the webhook removed.
      const webhook = await takeLease(services, id, until)
      if (webhook === undefined) return sent
      until = webhook.sending_until
      if (!(await deliverNext(services, webhook, signal))) return sent
    }
    return most
  } finally {
    if (until !== null) {
      await services.db
        .updateTable('app.webhooks')
        .set({ sending_until: null })
        .where('id', '=', id)
        .where('sending_until', '=', until)
        .execute()
    }
  }
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

const sendable = (
  now: Date,
  lease: Date | null = null,
) => sql<boolean>`removed_at IS NULL AND stopped_at IS NULL
  AND secret IS NOT NULL AND (next_attempt_at IS NULL OR next_attempt_at <= ${now})
  AND (sending_until IS NULL OR sending_until <= ${now} OR sending_until = ${lease}::timestamptz)`

/** Takes the lease if nobody has it, or prolongs ours. */
function takeLease({ db, clock }: Services, id: string, ours: Date | null): Promise<WebhookRow | undefined> {
  const now = clock.now()
  return db
    .updateTable('app.webhooks')
    .set({ sending_until: new Date(now.getTime() + webhookLeaseSeconds * 1000) })
    .where('id', '=', id)
    .where(sendable(now, ours))
    .returningAll()
    .executeTakeFirst()
}

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

/** @returns false if nothing waits, the attempt failed, or the signal ended it */
async function deliverNext(services: Services, webhook: WebhookRow, signal: AbortSignal): Promise<boolean> {
  const { db, clock, config } = services
  const message = await db
    .selectFrom('app.webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhook.id)
    .where('status', '=', 'pending')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (message === undefined) return false
  const body = message.body ?? (await keepBody(db, message))
  const timestamp = Math.floor(clock.now().getTime() / 1000)
  const headers = signedHeaders(secretsOf(services, webhook), { id: message.id, timestamp, body })
  const posted = await postWebhook(
    { url: webhook.url, headers, body },
    { privateHosts: config.webhookPrivateHosts, signal },
  )
  return posted !== null && keepOutcome(services, webhook, message.id, posted)
}

/** Writes the body unless another worker has, whose bytes then count. */
async function keepBody(db: Services['db'], message: Message): Promise<string> {
  const fresh = await bodyOf(db, message)
  const { body } = await db
    .updateTable('app.webhook_deliveries')
    .set({ body: sql<string>`coalesce(body, ${fresh})` })
    .where('id', '=', message.id)
    .returning(sql<string>`body`.as('body'))
    .executeTakeFirstOrThrow()
  return body
}

/** Writes an attempt to the log and the webhook's state; gives up after too long. */
async function keepOutcome(
  services: Services,
  before: WebhookRow,
  messageId: string,
  { status, milliseconds, response }: Posted,
): Promise<boolean> {
  const now = services.clock.now()
  const isDone = status !== null && status >= 200 && status < 300
  await services.db.transaction().execute(async tx => {
    // Always before the webhook's row, as acts of admins do. It may have been resumed since, but not begun to fail earlier.
    const admins = !isDone && isTooLong(before, now) ? await lockAdmins(tx) : []
    const webhook = await tx
      .selectFrom('app.webhooks')
      .selectAll()
      .where('id', '=', before.id)
      .where('sending_until', '=', before.sending_until)
      .forNoKeyUpdate()
      .executeTakeFirst()
    // Our lease had run out, and another worker sends this message.
    if (webhook === undefined) return
    const isRemoved = webhook.removed_at !== null
    const isOver = !isDone && !isRemoved && webhook.stopped_at === null && isTooLong(webhook, now)
    if (!isRemoved) await keepState(tx, webhook, { now, isDone, isOver })
    await tx
      .updateTable('app.webhook_deliveries')
      .set({
        status: isDone ? 'delivered' : isOver || isRemoved ? 'failed' : 'pending',
        attempts: sql<number>`attempts + 1`,
        attempted_at: now,
        took_ms: milliseconds,
        response_status: status,
        response,
      })
      .where('id', '=', messageId)
      .execute()
    if (isOver) await tellStopped(tx, services, admins, webhook)
  })
  return isDone
}

const isTooLong = ({ failing_since: since }: WebhookRow, now: Date) =>
  since !== null && now.getTime() - since.getTime() >= webhookGiveUpHours * 3_600_000

type Outcome = { now: Date; isDone: boolean; isOver: boolean }

/** @param webhook as it is now, locked: an admin may have resumed it during the attempt */
async function keepState(
  tx: Tx,
  { id, failures, failing_since }: WebhookRow,
  { now, isDone, isOver }: Outcome,
): Promise<void> {
  if (isDone && failures === 0) return
  const state = isDone
    ? { failures: 0, failing_since: null, next_attempt_at: null }
    : {
        failures: failures + 1,
        failing_since: failing_since ?? now,
        next_attempt_at: pauseAfter(failures, now),
      }
  await tx
    .updateTable('app.webhooks')
    .set(isOver ? { ...state, stopped_at: now } : state)
    .where('id', '=', id)
    .execute()
}

/** When the next attempt is due after so many failures before this one. */
function pauseAfter(failures: number, now: Date): Date {
  const minutes = Math.min(2 ** Math.min(failures, 20), longestWebhookPauseMinutes)
  return new Date(now.getTime() + minutes * 60_000)
}

async function tellStopped(
  tx: Tx,
  services: Services,
  admins: readonly Admin[],
  { id, name }: WebhookRow,
): Promise<void> {
  await audit(tx, asSystem(services), { action: 'webhook.stopped', subject: { kind: 'webhook', id } })
  await emailAdmins(tx, { services }, admins, () => ({
    subject: t('The webhook {name} is stopped', { name }),
    paragraphs: [
      t(
        'Its endpoint has accepted no message for {hours} hours, so we send nothing to it any more. We keep messages for {days} days. Once the endpoint works, resume the webhook:',
        { hours: webhookGiveUpHours, days: webhookLogDays },
      ),
    ],
    action: { label: t('Open Integrations'), path: '/admin/integrations' },
  }))
}
