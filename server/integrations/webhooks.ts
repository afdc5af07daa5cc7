import { isIP } from 'node:net'
import { sql } from 'kysely'
import { nameOf } from '#server/accounts/queries.ts'
import { audit } from '#server/audit/log.ts'
import type { Config } from '#server/config.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { isPublicAddress } from '#server/platform/public-address.ts'
import { enqueue } from '#server/platform/queue.ts'
import { type Admin, emailAdmins, lockStaff } from '#server/staff/admins.ts'
import { type ProposalRow, propose } from '#server/staff/proposals.ts'
import type { ParsedInput } from '#shared/contract/define.ts'
import type { proposeWebhook } from '#shared/contract/webhooks.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { formerSecretHours, maximumWebhooks } from '#shared/limits.ts'
import { integrationRefusals } from './messages.ts'
import { deliverWebhooks } from './webhook-job.ts'
import type { WebhookRow } from './webhook-queries.ts'
import { sealSecret } from './webhook-secrets.ts'
import { newWebhookSecret } from './webhook-signature.ts'

type Asked = ParsedInput<typeof proposeWebhook>['body']

/**
 * Proposes an endpoint.
 * @returns the proposal's id
 * @throws AppError forbidden; invalid_input without TLS or for a private address; too_many_webhooks, already_proposed, needs_second_admin
 */
export async function proposeEndpoint(
  tx: Tx,
  ctx: SignedInContext,
  { reason, ...content }: Asked,
): Promise<string> {
  const others = await lockStaff(tx, ctx)
  const message = wrongAddress(new URL(content.url), ctx.services.config)
  if (message !== undefined) throw new AppError('invalid_input', message, { fields: { url: message } })
  await requireRoom(tx)
  return propose(tx, ctx, others, { kind: 'webhook', content, reason })
}

/** What can be seen without asking anybody; each delivery checks what the name leads to. */
function wrongAddress(
  { protocol, host, hostname }: URL,
  { webhookPrivateHosts }: Pick<Config, 'webhookPrivateHosts'>,
): string | undefined {
  if (webhookPrivateHosts.includes(host)) return undefined
  if (protocol !== 'https:') return t('Enter an address that begins with https://')
  const bare = hostname.replace(/^\[|\]$/g, '')
  const isPrivate = bare === 'localhost' || (isIP(bare) !== 0 && !isPublicAddress(bare))
  return isPrivate ? t('Enter an address on the public internet') : undefined
}

async function requireRoom(tx: Tx): Promise<void> {
  const rows = await tx
    .selectFrom('app.webhooks')
    .select('id')
    .where('removed_at', 'is', null)
    .limit(maximumWebhooks)
    .execute()
  if (rows.length >= maximumWebhooks) throw integrationRefusals.error({ reason: 'too_many_webhooks' })
}

/**
 * What the approval does: events are stored from now on, and sent once the secret is created.
 * @throws AppError too_many_webhooks
 */
export async function approveWebhook(
  tx: Tx,
  ctx: SignedInContext,
  { id: proposalId, content, reason, proposed_by }: ProposalRow,
  others: readonly Admin[],
): Promise<void> {
  await requireRoom(tx)
  const { name, url, events } = content as unknown as Omit<Asked, 'reason'>
  const now = ctx.services.clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.webhooks')
    .values({ id, name, url, events, proposal_id: proposalId, proposed_by, approved_at: now })
    .execute()
  const subject = { kind: 'webhook', id }
  await audit(tx, ctx, { action: 'webhook.approved', subject, reason, details: { name, url, events } })
  await tell(tx, ctx, others, {
    name,
    what: 'approved',
    more: () => t('It will be notified of events at {url}.', { url }),
  })
}

/**
 * Creates the secret, or a new one beside which the former one signs for a day.
 * @returns the secret, which is stored sealed
 * @throws AppError forbidden, not_found; webhook_removed
 */
export async function createSecret(tx: Tx, ctx: SignedInContext, id: string): Promise<string> {
  const others = await lockStaff(tx, ctx)
  const webhook = await lockWebhook(tx, id)
  const text = newWebhookSecret()
  const until = new Date(ctx.services.clock.now().getTime() + formerSecretHours * 3_600_000)
  await tx
    .updateTable('app.webhooks')
    .set({
      secret: sealSecret(ctx.services, id, text),
      former_secret: webhook.secret,
      former_until: webhook.secret === null ? null : until,
    })
    .where('id', '=', id)
    .execute()
  await audit(tx, ctx, { action: 'webhook.secret_created', subject: { kind: 'webhook', id } })
  await enqueue(tx, deliverWebhooks, { id })
  await tell(tx, ctx, others, { name: webhook.name, what: 'secret' })
  return text
}

/** @throws AppError not_found; webhook_removed, no_secret */
export async function queueTest(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { secret } = await lockWebhook(tx, id)
  if (secret === null) throw integrationRefusals.error({ reason: 'no_secret' })
  await sql`SELECT app.add_webhook_test(${id})`.execute(tx)
  await audit(tx, ctx, { action: 'webhook.tested', subject: { kind: 'webhook', id } })
  await enqueue(tx, deliverWebhooks, { id })
}

/**
 * Stops sending until a webhook is resumed; its messages wait. One admin is enough.
 * @throws AppError forbidden, not_found; webhook_removed, webhook_stopped
 */
export async function stop(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const others = await lockStaff(tx, ctx)
  const { name, stopped_at } = await lockWebhook(tx, id)
  if (stopped_at !== null) throw integrationRefusals.error({ reason: 'webhook_stopped' })
  await tx
    .updateTable('app.webhooks')
    .set({ stopped_at: ctx.services.clock.now() })
    .where('id', '=', id)
    .execute()
  await audit(tx, ctx, { action: 'webhook.stopped', subject: { kind: 'webhook', id }, reason })
  await tell(tx, ctx, others, { name, what: 'stopped', more: () => t('Reason: {reason}', { reason }) })
}

/**
 * Ends the pause of a failing or stopped webhook.
 * @throws AppError not_found; webhook_removed, webhook_works
 */
export async function resume(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { failures, stopped_at } = await lockWebhook(tx, id)
  if (failures === 0 && stopped_at === null) throw integrationRefusals.error({ reason: 'webhook_works' })
  await tx
    .updateTable('app.webhooks')
    .set({ failures: 0, failing_since: null, next_attempt_at: null, stopped_at: null })
    .where('id', '=', id)
    .execute()
  await audit(tx, ctx, { action: 'webhook.resumed', subject: { kind: 'webhook', id } })
  await enqueue(tx, deliverWebhooks, { id })
}

/**
 * Removes a webhook with its secrets; what waits is never sent. One admin is enough.
 * @throws AppError forbidden, not_found; webhook_removed
 */
export async function remove(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const others = await lockStaff(tx, ctx)
  const { name } = await lockWebhook(tx, id)
  await tx
    .updateTable('app.webhooks')
    .set({
      removed_at: ctx.services.clock.now(),
      removed_by: ctx.caller.userId,
      secret: null,
      former_secret: null,
      former_until: null,
    })
    .where('id', '=', id)
    .execute()
  await tx
    .updateTable('app.webhook_deliveries')
    .set({ status: 'failed', response: 'Not sent: the webhook was removed' })
    .where('webhook_id', '=', id)
    .where('status', '=', 'pending')
    .execute()
  await audit(tx, ctx, { action: 'webhook.removed', subject: { kind: 'webhook', id }, reason })
  await tell(tx, ctx, others, { name, what: 'removed', more: () => t('Reason: {reason}', { reason }) })
}

/**
 * Sends a message again, with the same id and content.
 * @throws AppError not_found; webhook_removed, still_waiting
 */
export async function sendAgain(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const delivery = await tx
    .selectFrom('app.webhook_deliveries')
    .select(['webhook_id', 'event'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!delivery) throw new AppError('not_found', t('Message not found'))
  // First the webhook, as its worker does.
  const { id: webhook } = await lockWebhook(tx, delivery.webhook_id)
  const queued = await tx
    .updateTable('app.webhook_deliveries')
    .set({ status: 'pending' })
    .where('id', '=', id)
    .where('status', '<>', 'pending')
    .executeTakeFirst()
  if (queued.numUpdatedRows === 0n) throw integrationRefusals.error({ reason: 'still_waiting' })
  const details = { message: id, event: delivery.event }
  await audit(tx, ctx, { action: 'webhook.redelivered', subject: { kind: 'webhook', id: webhook }, details })
  await enqueue(tx, deliverWebhooks, { id: webhook })
}

/** @throws AppError not_found; webhook_removed */
async function lockWebhook(tx: Tx, id: string): Promise<WebhookRow> {
  const row = await tx
    .selectFrom('app.webhooks')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', t('Webhook not found'))
  if (row.removed_at !== null) throw integrationRefusals.error({ reason: 'webhook_removed' })
  return row
}

type Told = {
  name: string
  what: 'approved' | 'secret' | 'stopped' | 'removed'
  more?: () => string
}

async function tell(tx: Tx, ctx: SignedInContext, others: readonly Admin[], { name, what, more }: Told) {
  const by = await nameOf(tx, ctx.caller.userId)
  await emailAdmins(tx, ctx, others, () => ({
    subject: t(
      'The webhook {name} was {what, select, approved {approved} secret {given a new secret} stopped {stopped} other {removed}}',
      { name, what },
    ),
    paragraphs: [
      t(
        'The webhook {name} was {what, select, approved {approved} secret {given a new secret} stopped {stopped} other {removed}} by {by}.',
        { name, what, by },
      ),
      ...(more === undefined ? [] : [more()]),
    ],
  }))
}
