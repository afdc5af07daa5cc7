import { z } from 'zod'
import { moneyNoticeKinds, notificationKinds } from '#shared/notifications.ts'
import { defineCall, listQuery } from './define.ts'
import { id, idParams, nothing, recordId, timestamp } from './fields.ts'

export const notification = z.object({
  _id: recordId,
  kind: z.enum(notificationKinds),
  /** What has happened, in a sentence, with the exact amount. */
  text: z.string(),
  /** What else there is to know: a reason, a source, what to do. */
  details: z.array(z.string()),
  /** Id of the deposit, investment, withdrawal or earning that it is about; null where it is about the account. */
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
  summary: "What has happened to one's account, the newest first; 'status' is read or unread",
  message: 'Your notifications',
  query: listQuery.omit({ q: true }),
  data: z.array(notification),
})

export const unreadNotifications = defineCall({
  id: 'notification.unread',
  method: 'GET',
  path: '/notification/unread',
  permission: 'account',
  summary: "How many of one's notifications are not read yet",
  message: 'Your unread notifications',
  data: z.object({ unread: z.int() }),
})

export const readNotification = defineCall({
  id: 'notification.read',
  method: 'POST',
  path: '/notification/read/:id',
  permission: 'account',
  summary: "Marks one of one's own notifications as read",
  message: 'Marked as read',
  params: idParams,
  data: nothing,
  refusals: ['forbidden'],
})

export const readAllNotifications = defineCall({
  id: 'notification.readAll',
  method: 'POST',
  path: '/notification/read-all',
  permission: 'account',
  summary: "Marks all of one's notifications as read, up to the newest that one has seen",
  message: 'All marked as read',
  body: z.object({ until: id }),
  data: nothing,
  refusals: ['forbidden'],
})

const mutedLetters = z.object({
  /** Kinds whose letters are turned off. */
  muted: z
    .array(z.enum(moneyNoticeKinds, { error: 'This letter cannot be turned off' }))
    .max(moneyNoticeKinds.length, 'There are not so many kinds of letters'),
})

export const letterChoice = defineCall({
  id: 'notification.letters',
  method: 'GET',
  path: '/notification/letters',
  permission: 'account',
  summary: 'Which e-mails about money one has turned off',
  message: 'Your choice of emails',
  data: mutedLetters,
})

export const chooseLetters = defineCall({
  id: 'notification.chooseLetters',
  method: 'PUT',
  path: '/notification/letters',
  permission: 'account',
  summary: 'Turns e-mails about money off; those about the security of the account cannot be',
  message: 'Your choice of emails is saved',
  body: mutedLetters,
  data: mutedLetters,
})
