import type { Kysely } from 'kysely'
import { act, type Binding, query } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import * as answers from '#shared/contract/canned-answers.ts'
import * as own from '#shared/contract/conversations.ts'
import type { ContactMessage } from '#shared/contract/site.ts'
import * as call from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { assign, close, comment, markAnswered, reopen, reply } from './answers.ts'
import { fileOf, storeAttachment } from './attachments.ts'
import { addAnswer, cannedAnswers, changeAnswer, deleteAnswer } from './canned-answers.ts'
import { beginConversation, markConversationRead, writeInConversation } from './conversations.ts'
import { messageColumns } from './csv.ts'
import { ownConversation, ownConversations, ownThread } from './own.ts'
import { findMessage, messageList, presentMessages, teamOf, threadOf } from './queries.ts'
import { receiveMessage } from './service.ts'

export const routes: Binding[] = [
  act(call.newContactMessage, async ({ body }, ctx, tx) => {
    await receiveMessage(tx, ctx, body)
    return {}
  }),

  query(call.listContactMessages, ({ query: filter }, { services }) => messageList.page(services, filter)),

  query(call.contactMessagesCsv, ({ query: filter }, ctx) =>
    tableAsCsv(ctx, {
      name: 'messages',
      filter,
      rows: messageList.all(ctx.services, filter),
      items: rows => rows,
      columns: messageColumns,
    }),
  ),

  query(call.getContactMessage, async ({ params: { id } }, { services: { db } }) => {
    const [message, thread] = await Promise.all([messageOf(db, id), threadOf(db, id)])
    return { ...message, ...thread }
  }),

  act(call.replyToMessage, async ({ params: { id }, body }, ctx, tx) => {
    await reply(tx, ctx, id, body)
    return messageOf(tx, id)
  }),

  act(call.answerMessage, async ({ params: { id }, body: { note } }, ctx, tx) => {
    await markAnswered(tx, ctx, id, note)
    return messageOf(tx, id)
  }),

  act(call.reopenMessage, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await reopen(tx, ctx, id, reason)
    return messageOf(tx, id)
  }),

  act(call.closeMessage, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await close(tx, ctx, id, reason)
    return messageOf(tx, id)
  }),

  act(call.commentMessage, async ({ params: { id }, body: { text } }, ctx, tx) => {
    await comment(tx, ctx, id, text)
    return messageOf(tx, id)
  }),

  act(call.assignMessage, async ({ params: { id }, body: { to } }, ctx, tx) => {
    await assign(tx, ctx, id, to)
    return messageOf(tx, id)
  }),

  query(call.listTeam, (_input, { services }) => teamOf(services.db)),

  query(answers.listAnswers, (_input, { services }) => cannedAnswers(services.db)),

  act(answers.newAnswer, async ({ body }, ctx, tx) => {
    const id = await addAnswer(tx, ctx, body)
    return (await cannedAnswers(tx, id))[0]!
  }),

  act(answers.changeAnswer, async ({ params: { id }, body }, ctx, tx) => {
    await changeAnswer(tx, ctx, id, body)
    return (await cannedAnswers(tx, id))[0]!
  }),

  act(answers.deleteAnswer, async ({ params: { id }, body: { version } }, ctx, tx) => {
    await deleteAnswer(tx, ctx, id, version)
    return {}
  }),

  act(own.newConversation, async ({ body }, ctx, tx) => {
    const id = await beginConversation(tx, ctx, body)
    return ownConversation(tx, id)
  }),

  query(own.listOwnConversations, ({ query: filter }, { services, caller }) =>
    ownConversations(caller.userId).page(services, filter),
  ),

  query(own.getConversation, ({ params: { id } }, ctx) => ownThread(ctx, id)),

  act(own.writeMessage, async ({ params: { id }, body }, ctx, tx) => {
    await writeInConversation(tx, ctx, id, body)
    return ownConversation(tx, id)
  }),

  act(own.readConversation, async ({ params: { id } }, ctx, tx) => {
    await markConversationRead(tx, ctx, id)
    return {}
  }),

  act(own.uploadAttachment, ({ query: { name }, body }, ctx, tx) => storeAttachment(tx, ctx, name, body)),

  query(own.getAttachment, ({ params: { id } }, ctx) => fileOf(ctx, id)),
]

async function messageOf(db: Kysely<Schema>, id: string): Promise<ContactMessage> {
  const message = await findMessage(db, id)
  if (!message) throw new AppError('not_found', t('Message not found'))
  return (await presentMessages(db, [message]))[0]!
}
