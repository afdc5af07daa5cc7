import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import { act, type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/api-keys.ts'
import * as webhook from '#shared/contract/webhooks.ts'
import { keyById, keyList } from './key-queries.ts'
import { createKey, proposeKey, revokeKey } from './keys.ts'
import { deliveryList, webhookList } from './webhook-queries.ts'
import { createSecret, proposeEndpoint, queueTest, remove, resume, sendAgain, stop } from './webhooks.ts'

export const routes: Binding[] = [
  act(call.proposeApiKey, async ({ body }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { proposal: await proposeKey(tx, ctx, body) }
  }),

  query(call.listApiKeys, ({ query: filter }, { services }) => keyList.page(services, filter)),

  act(call.createApiKey, async ({ params: { id } }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { key: await createKey(tx, ctx, id) }
  }),

  act(webhook.proposeWebhook, async ({ body }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { proposal: await proposeEndpoint(tx, ctx, body) }
  }),

  query(webhook.listWebhooks, ({ query: filter }, { services }) => webhookList.page(services, filter)),

  act(webhook.createWebhookSecret, async ({ params: { id } }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { secret: await createSecret(tx, ctx, id) }
  }),

  act(webhook.testWebhook, async ({ params: { id } }, ctx, tx) => {
    await queueTest(tx, ctx, id)
    return {}
  }),

  act(webhook.stopWebhook, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await stop(tx, ctx, id, reason)
    return {}
  }),

  act(webhook.resumeWebhook, async ({ params: { id } }, ctx, tx) => {
    await resume(tx, ctx, id)
    return {}
  }),

  act(webhook.removeWebhook, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await remove(tx, ctx, id, reason)
    return {}
  }),

  query(webhook.listDeliveries, ({ query: filter }, { services }) => deliveryList.page(services, filter)),

  act(webhook.redeliver, async ({ params: { id } }, ctx, tx) => {
    await sendAgain(tx, ctx, id)
    return {}
  }),

  act(call.revokeApiKey, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await revokeKey(tx, ctx, id, reason)
    return keyById(tx, id, ctx.services.clock.now())
  }),
]
