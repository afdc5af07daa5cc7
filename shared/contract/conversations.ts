import { z } from 'zod'
import { aboutKinds, conversationStatuses } from '#shared/conversations.ts'
import { attachmentTypes } from '#shared/evidence.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { longestMessage, longestSubject, maximumAttachmentBytes, maximumAttachments } from '#shared/limits.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { id, idParams, nothing, recordId, textBlock, textLine, timestamp } from './fields.ts'

export const about = z.object({
  kind: z.enum(aboutKinds),
  id: recordId,
  /** The record's number; for an earning, its plan and its investment's number. */
  label: z.string(),
})

export const attachment = z.object({
  _id: recordId,
  name: z.string(),
  type: z.enum(attachmentTypes),
  /** In bytes. */
  size: z.int(),
})
export type Attachment = z.output<typeof attachment>

export const tooManyFiles = () =>
  t('A message can have at most {most, number} files', { most: maximumAttachments })

/** Files that were uploaded for a message, by their ids. */
export const attachments = z.array(id).max(maximumAttachments, { error: tooManyFiles }).default([])

const conversation = z.object({
  _id: recordId,
  subject: z.string(),
  about: about.nullable(),
  status: z.enum(conversationStatuses),
  /** True if we have replied since its owner last read it. */
  unread: z.boolean(),
  createdAt: timestamp,
  /** The newest message, theirs or ours. */
  lastAt: timestamp,
})
export type Conversation = z.output<typeof conversation>

const thread = conversation.extend({
  messages: z.array(
    z.object({
      _id: recordId,
      from: z.enum(['you', 'us']),
      text: z.string(),
      at: timestamp,
      files: z.array(attachment),
    }),
  ),
})
export type ConversationThread = z.output<typeof thread>

const text = textBlock(msg('Message'), longestMessage)

export const newConversation = defineCall({
  id: 'message.new',
  method: 'POST',
  path: '/message/new',
  permission: 'account',
  // Needs an idempotency key: a message cannot be unsent.
  money: true,
  summary: 'Begins a conversation with the firm, optionally about one of the caller’s records',
  message: msg('Message sent'),
  body: z.object({
    subject: textLine(msg('Subject'), longestSubject),
    text,
    about: z.object({ kind: z.enum(aboutKinds), id }).optional(),
    files: attachments,
  }),
  data: conversation,
  refusals: ['forbidden'],
})

export const listOwnConversations = defineCall({
  id: 'message.listOwn',
  method: 'GET',
  path: '/message/get-all-user',
  permission: 'account',
  list: true,
  summary: `The caller's conversations with the firm, the latest activity first; 'status' is ${conversationStatuses.join(', ')}`,
  message: msg('Your messages'),
  query: listQuery,
  data: z.array(conversation),
})

export const getConversation = defineCall({
  id: 'message.getOne',
  method: 'GET',
  path: '/message/get-one/:id',
  permission: 'account',
  summary: "One of the caller's conversations with its messages, oldest first",
  message: msg('Your conversation'),
  params: idParams,
  data: thread,
  refusals: ['forbidden'],
})

export const writeMessage = defineCall({
  id: 'message.write',
  method: 'POST',
  path: '/message/write/:id',
  permission: 'account',
  money: true,
  summary: "Writes a message in one of the caller's conversations, which reopens it",
  message: msg('Message sent'),
  params: idParams,
  body: z.object({ text, files: attachments }),
  data: conversation,
  refusals: ['forbidden', 'wrong_state'],
})

export const readConversation = defineCall({
  id: 'message.read',
  method: 'POST',
  path: '/message/read/:id',
  permission: 'account',
  summary: "Marks one of the caller's conversations as read",
  message: msg('Marked as read'),
  params: idParams,
  data: nothing,
  refusals: ['forbidden'],
})

const megabytes = maximumAttachmentBytes / 1024 / 1024

export const uploadAttachment = defineCall({
  id: 'message.upload',
  method: 'POST',
  path: '/message/file',
  permission: 'account',
  upload: { field: 'file', types: attachmentTypes, maximumBytes: maximumAttachmentBytes },
  summary: `Uploads a PDF, PNG or JPEG of at most ${megabytes} MB for a message about to be sent; the request's body is the file itself. It is removed unless a message names it within a day`,
  message: msg('File uploaded'),
  query: z.object({ name: textLine(msg('Name of the file'), 255) }),
  data: attachment,
  refusals: ['payload_too_large', 'unsupported_media_type', 'wrong_state'],
})

export const getAttachment = defineCall({
  id: 'message.file',
  method: 'GET',
  path: '/message/file/:id',
  permission: 'account',
  file: attachmentTypes,
  summary: 'A file of a conversation, for its owner and for staff who answer messages',
  message: msg('File'),
  params: idParams,
  data: fileContent,
  refusals: ['forbidden'],
})
