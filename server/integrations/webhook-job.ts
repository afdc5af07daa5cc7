import { z } from 'zod'
import { defineTask } from '#server/platform/queue.ts'

/** Sends what waits for a webhook; also queued by the database with each event (0066_webhooks.sql). */
export const deliverWebhooks = defineTask('deliver_webhooks', z.object({ id: z.string() }))
