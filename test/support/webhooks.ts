import { approveProposal } from '#shared/contract/proposals.ts'
import {
  createWebhookSecret,
  listDeliveries,
  listWebhooks,
  proposeWebhook,
  testWebhook,
} from '#shared/contract/webhooks.ts'
import { type WebhookEvent, webhookEventNames } from '#shared/webhooks.ts'
import { atEnd } from './clean-up.ts'
import { openReceiver } from './receiver.ts'
import type { World } from './world.ts'

const someUrl = 'https://example.com/webhooks'

/** A receiver that is closed at the end of the test file. */
export async function startReceiver() {
  const receiver = await openReceiver()
  atEnd(receiver.close)
  return receiver
}

/** A webhook that two admins have decided; returns its id. */
export async function approvedWebhook(
  world: World,
  url = someUrl,
  events: WebhookEvent[] = webhookEventNames,
): Promise<string> {
  const name = `Hook ${crypto.randomUUID().slice(0, 8)}`
  const body = { name, url, events, reason: 'For accounting' }
  const { data, message } = await world.call(proposeWebhook, world.admin, { body })
  if (data === undefined) throw new Error(message)
  await world.call(approveProposal, world.secondAdmin, { params: { id: data.proposal } })
  const { data: found } = await world.call(listWebhooks, world.admin, { query: { q: name } })
  return found[0]!._id
}

/** One with its secret. */
export async function webhookTo(world: World, url?: string, events?: WebhookEvent[]) {
  const id = await approvedWebhook(world, url, events)
  const { data } = await world.call(createWebhookSecret, world.admin, { params: { id } })
  return { id, secret: data.secret }
}

/** Makes room for others. */
export async function removeWebhooks(world: World): Promise<void> {
  await world.owner(
    `UPDATE app.webhooks SET removed_at = now(), removed_by = proposed_by WHERE removed_at IS NULL`,
  )
}

/** One that was given up. */
export async function stoppedWebhook(world: World): Promise<string> {
  const { id } = await webhookTo(world)
  await world.owner(`UPDATE app.webhooks SET stopped_at = now() WHERE id = '${id}'`)
  return id
}

/** A message that could not be delivered. */
export async function failedMessage(world: World): Promise<string> {
  const { id } = await webhookTo(world)
  await world.call(testWebhook, world.admin, { params: { id } })
  await world.owner(`UPDATE app.webhook_deliveries SET status = 'failed' WHERE webhook_id = '${id}'`)
  const { data } = await world.call(listDeliveries, world.admin, { query: { webhook: id } })
  return data[0]!._id
}
