import { z } from 'zod'
import { msg } from '#shared/i18n/t.ts'
import { longestAnnouncement, longestAnnouncementTitle } from '#shared/limits.ts'
import { defineCall, listQuery } from './define.ts'
import { day, id, idParams, nothing, reasonBody, recordId, textBlock, textLine, timestamp } from './fields.ts'

/** By the day in UTC. */
export const announcementStatuses = ['scheduled', 'current', 'ended', 'withdrawn'] as const

const announcement = z.object({
  _id: recordId,
  title: z.string(),
  text: z.string(),
  /** First and last day on which it is shown, in UTC. */
  from: z.string(),
  until: z.string(),
  withdrawnAt: timestamp.nullable(),
  status: z.enum(announcementStatuses),
})

const written = announcement.extend({
  createdAt: timestamp,
  createdBy: z.string(),
  /** How many investors have marked it as read. */
  readers: z.int(),
})
export type WrittenAnnouncement = z.output<typeof written>

const published = announcement.extend({ read: z.boolean() })
export type Announcement = z.output<typeof published>

export const newAnnouncement = defineCall({
  id: 'announcement.new',
  method: 'POST',
  path: '/announcement/new',
  permission: 'manage',
  // Needs an idempotency key: a second one would be shown beside the first.
  money: true,
  summary: 'Announces something to all investors, on their dashboards, from one day to another (UTC)',
  message: msg('Announcement published'),
  body: z.object({
    title: textLine(msg('Title'), longestAnnouncementTitle),
    text: textBlock(msg('Text'), longestAnnouncement),
    from: day,
    until: day,
  }),
  data: written,
})

export const withdrawAnnouncement = defineCall({
  id: 'announcement.withdraw',
  method: 'POST',
  path: '/announcement/withdraw/:id',
  permission: 'manage',
  summary:
    'Withdraws an announcement: it leaves the dashboards, and investors read on the page of past ones that it was withdrawn',
  message: msg('Announcement withdrawn'),
  params: idParams,
  body: reasonBody,
  data: written,
  refusals: ['not_found', 'wrong_state'],
})

export const listAnnouncements = defineCall({
  id: 'announcement.list',
  method: 'GET',
  path: '/announcement/get-all',
  permission: 'manage',
  list: true,
  summary: `All announcements, newest first; 'status' is ${announcementStatuses.join(', ')}`,
  message: msg('Announcements'),
  query: listQuery,
  data: z.array(written),
})

export const listOwnAnnouncements = defineCall({
  id: 'announcement.listOwn',
  method: 'GET',
  path: '/announcement/get-all-user',
  permission: 'account',
  list: true,
  summary: "Published announcements, newest first; 'status' is current, ended or withdrawn",
  message: msg('Announcements'),
  query: listQuery,
  data: z.array(published),
})

export const readAnnouncement = defineCall({
  id: 'announcement.read',
  method: 'POST',
  path: '/announcement/read',
  permission: 'account',
  summary: 'Marks a published announcement as read by the caller',
  message: msg('Marked as read'),
  body: z.object({ id }),
  data: nothing,
  refusals: ['not_found'],
})
