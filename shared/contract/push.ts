import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { longestPushEndpoint } from '#shared/limits.ts'
import { defineCall } from './define.ts'
import { idParams, nothing, recordId, timestamp } from './fields.ts'

const devices = z.object({
  /** The key by which push services know us (VAPID, RFC 8292), in base64url. */
  key: z.string(),
  devices: z.array(
    z.object({
      _id: recordId,
      userAgent: z.string().nullable(),
      createdAt: timestamp,
      /** The browser of this login. */
      here: z.boolean(),
    }),
  ),
})
export type PushDevices = z.output<typeof devices>

export const listPushDevices = defineCall({
  id: 'notification.devices',
  method: 'GET',
  path: '/notification/devices',
  permission: 'account',
  summary: "The browsers that show the caller's notifications, the oldest first",
  message: msg('Your devices'),
  data: devices,
})

/** Sizes of RFC 8291: an uncompressed point of P-256, and 16 bytes. */
const publicKey = z.string().regex(/^[\w-]{87}$/, { error: () => t('This key is not valid') })
const authSecret = z.string().regex(/^[\w-]{22}$/, { error: () => t('This secret is not valid') })

export const addPushDevice = defineCall({
  id: 'notification.addDevice',
  method: 'POST',
  path: '/notification/devices',
  permission: 'account',
  summary: 'Shows notifications in this browser: a push subscription as the browser states it',
  message: msg('Notifications are on'),
  body: z.object({
    endpoint: z.url({ error: () => t('This address is not valid') }).max(longestPushEndpoint, {
      error: () => t('At most {maximum} characters', { maximum: longestPushEndpoint }),
    }),
    keys: z.object({ p256dh: publicKey, auth: authSecret }),
  }),
  data: devices,
  refusals: ['wrong_state'],
})

export const removePushDevice = defineCall({
  id: 'notification.removeDevice',
  method: 'DELETE',
  path: '/notification/devices/:id',
  permission: 'account',
  summary: "Shows no more notifications in one of the caller's browsers",
  message: msg('Device removed'),
  params: idParams,
  data: nothing,
  refusals: ['forbidden'],
})
