import { z } from 'zod'
import { alertKinds } from '#shared/alerts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { moneyNoticeKinds, notificationKinds } from '#shared/notifications.ts'
import { defineCall, listQuery } from './define.ts'
import { id, idParams, nothing, recordId, timestamp } from './fields.ts'

export const notification = z.object({
  _id: recordId,
  kind: z.enum([...notificationKinds, ...alertKinds]),
  /** What happened, in a sentence, with the exact amount. */
  text: z.string(),
  /** A reason, a source, or what to do. */
  details: z.array(z.string()),
  /** Id of the record; null for the account itself, and for an alert about the whole installation. */
  subject: recordId.nullable(),
  read: z.boolean(),
  createdAt: timestamp,
})
export type Notification = z.output<typeof notification>

export const listNotifications = defineCall({
  id: 'notification.listOwn',
  method: 'GET',
  path: '/notification/get-all-user',
  permission: 'account',
  list: true,
  summary:
    "The caller's notifications, newest first, and to staff the alerts that they have chosen; 'status' is read or unread",
  message: msg('Your notifications'),
  query: listQuery.omit({ q: true }),
  data: z.array(notification),
})

export const unreadNotifications = defineCall({
  id: 'notification.unread',
  method: 'GET',
  path: '/notification/unread',
  permission: 'account',
  summary: "How many of the caller's notifications are unread",
  message: msg('Your unread notifications'),
  data: z.object({ unread: z.int() }),
})

export const readNotification = defineCall({
  id: 'notification.read',
  method: 'POST',
  path: '/notification/read/:id',
  permission: 'account',
  summary: "Marks one of the caller's notifications or alerts as read",
  message: msg('Marked as read'),
  params: idParams,
  data: nothing,
  refusals: ['forbidden'],
})

export const readAllNotifications = defineCall({
  id: 'notification.readAll',
  method: 'POST',
  path: '/notification/read-all',
  permission: 'account',
  summary: "Marks the caller's notifications as read, up to the newest one they have seen",
  message: msg('All marked as read'),
  body: z.object({ until: id }),
  data: nothing,
  refusals: ['forbidden'],
})

const mutedEmails = z.object({
  /** Kinds whose emails are turned off. */
  muted: z
    .array(z.enum(moneyNoticeKinds, { error: () => t('This email cannot be turned off') }))
    .max(moneyNoticeKinds.length, { error: () => t('Too many kinds of emails') }),
})

export const emailChoice = defineCall({
  id: 'notification.letters',
  method: 'GET',
  path: '/notification/letters',
  permission: 'account',
  summary: 'Which emails about money the caller has turned off',
  message: msg('Your email preferences'),
  data: mutedEmails,
})

export const chooseEmails = defineCall({
  id: 'notification.chooseLetters',
  method: 'PUT',
  path: '/notification/letters',
  permission: 'account',
  summary: 'Turns off emails about money; emails about account security are always sent',
  message: msg('Email preferences saved'),
  body: mutedEmails,
  data: mutedEmails,
})
