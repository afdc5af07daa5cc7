import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { longestIntegrationName, longestWebhookUrl } from '#shared/limits.ts'
import { webhookEventNames } from '#shared/webhooks.ts'
import { defineCall, listQuery } from './define.ts'
import { id, idParams, nothing, reason, reasonBody, recordId, textLine, timestamp } from './fields.ts'

/** Endpoints at which we notify the firm's own programs of events. */

/** `approved`: nothing is sent before its secret is created. `failing`: retried; `stopped`: given up, or stopped by an admin. */
export const webhookStatuses = ['approved', 'active', 'failing', 'stopped', 'removed'] as const
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

const webhook = z.object({
  _id: recordId,
  name: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEventNames)),
  status: z.enum(webhookStatuses),
  hasSecret: z.boolean(),
  proposedByName: z.string(),
  /** Until when the former secret signs too. */
  formerUntil: timestamp.nullable(),
  /** Since when attempts have failed, and when the next one is due. */
  failingSince: timestamp.nullable(),
  nextAttemptAt: timestamp.nullable(),
  /** Messages that wait. */
  waiting: z.int(),
  removedAt: timestamp.nullable(),
  removedByName: z.string().nullable(),
})
export type Webhook = z.output<typeof webhook>

const delivery = z.object({
  _id: recordId,
  webhook: recordId,
  webhookName: z.string(),
  /** Then it cannot be sent again. */
  webhookRemoved: z.boolean(),
  /** Then a pending message waits until the webhook is resumed. */
  webhookStopped: z.boolean(),
  event: z.string(),
  /** The record; null for a test. */
  subject: recordId.nullable(),
  happenedAt: timestamp,
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  attemptedAt: timestamp.nullable(),
  /** Of a pending message after a failure. */
  nextAttemptAt: timestamp.nullable(),
  milliseconds: z.int().nullable(),
  responseStatus: z.int().nullable(),
  /** The first characters of the answer, or why there was none. */
  response: z.string().nullable(),
})
export type WebhookDelivery = z.output<typeof delivery>

const wrongUrl = {
  error: () => t('Enter an address such as https://example.com/webhooks, without a name or password in it'),
}

export const proposeWebhook = defineCall({
  id: 'webhook.propose',
  method: 'POST',
  path: '/webhook/propose',
  permission: 'manage',
  money: true,
  summary: 'Proposes an endpoint that is notified of events. It exists once another admin approves it',
  message: msg('Proposed. Another admin must approve it'),
  body: z.object({
    name: textLine(msg('Name'), longestIntegrationName),
    url: textLine(msg('Address'), longestWebhookUrl).refine(isPlainUrl, wrongUrl),
    events: z
      .array(z.enum(webhookEventNames, { error: () => t('Choose an event of the list') }))
      .min(1, { error: () => t('Choose at least one event') })
      .max(webhookEventNames.length, { error: () => t('Choose each event once') })
      .refine(events => new Set(events).size === events.length, { error: () => t('Choose each event once') }),
    reason,
  }),
  data: z.object({ proposal: recordId }),
  refusals: ['wrong_state', 'proof_required'],
})

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.hash !== '' || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || url.protocol === 'http:'
}

export const listWebhooks = defineCall({
  id: 'webhook.list',
  method: 'GET',
  path: '/webhook/get-all',
  permission: 'manage',
  list: true,
  summary: `Webhooks, newest first; 'status' is ${webhookStatuses.join(', ')}`,
  message: msg('Webhooks'),
  query: listQuery,
  data: z.array(webhook),
})

export const createWebhookSecret = defineCall({
  id: 'webhook.createSecret',
  method: 'POST',
  path: '/webhook/secret/:id',
  permission: 'manage',
  // Takes no idempotency key: its answer would be stored.
  summary:
    'Creates the secret that signs, or a new one; the former one signs too for a day. No other answer has it',
  message: msg('Secret created'),
  params: idParams,
  data: z.object({ secret: z.string() }),
  refusals: ['not_found', 'wrong_state', 'proof_required'],
})

export const testWebhook = defineCall({
  id: 'webhook.test',
  method: 'POST',
  path: '/webhook/test/:id',
  permission: 'manage',
  summary: 'Sends a test event',
  message: msg('Test event queued'),
  params: idParams,
  data: nothing,
  refusals: ['not_found', 'wrong_state'],
})

export const stopWebhook = defineCall({
  id: 'webhook.stop',
  method: 'POST',
  path: '/webhook/stop/:id',
  permission: 'manage',
  summary: 'Sends nothing to a webhook until it is resumed; messages wait',
  message: msg('Webhook stopped'),
  params: idParams,
  body: reasonBody,
  data: nothing,
  refusals: ['not_found', 'wrong_state'],
})

export const resumeWebhook = defineCall({
  id: 'webhook.resume',
  method: 'POST',
  path: '/webhook/resume/:id',
  permission: 'manage',
  summary: 'Sends again to a failing or stopped webhook, now, beginning with what waits',
  message: msg('Webhook resumed'),
  params: idParams,
  data: nothing,
  refusals: ['not_found', 'wrong_state'],
})

export const removeWebhook = defineCall({
  id: 'webhook.remove',
  method: 'POST',
  path: '/webhook/remove/:id',
  permission: 'manage',
  summary: 'Removes a webhook: nothing more is sent',
  message: msg('Webhook removed'),
  params: idParams,
  body: reasonBody,
  data: nothing,
  refusals: ['not_found', 'wrong_state'],
})

export const listDeliveries = defineCall({
  id: 'webhook.deliveries',
  method: 'GET',
  path: '/webhook/deliveries',
  permission: 'manage',
  list: true,
  summary: `Messages to webhooks, newest first; 'status' is ${deliveryStatuses.join(', ')}`,
  message: msg('Deliveries'),
  query: listQuery.extend({ webhook: id.optional() }),
  data: z.array(delivery),
})

export const redeliver = defineCall({
  id: 'webhook.redeliver',
  method: 'POST',
  path: '/webhook/redeliver/:id',
  permission: 'manage',
  summary: 'Sends a delivered or failed message again, with the same id and content',
  message: msg('Queued again'),
  params: idParams,
  data: nothing,
  refusals: ['not_found', 'wrong_state'],
})
