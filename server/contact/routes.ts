import type { Kysely } from 'kysely'
import { act, type Binding, query } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import * as call from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { markAnswered, reopen, reply } from './answers.ts'
import { messageColumns } from './csv.ts'
import { type ContactRow, findMessage, messageList, presentMessage, threadOf } from './queries.ts'
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
    return { ...presentMessage(message), thread }
  }),

  act(call.replyToMessage, async ({ params: { id }, body: { text } }, ctx, tx) => {
    await reply(tx, ctx, id, text)
    return presentMessage(await messageOf(tx, id))
  }),

  act(call.answerMessage, async ({ params: { id }, body: { note } }, ctx, tx) => {
    await markAnswered(tx, ctx, id, note)
    return presentMessage(await messageOf(tx, id))
  }),

  act(call.reopenMessage, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await reopen(tx, ctx, id, reason)
    return presentMessage(await messageOf(tx, id))
  }),
]

async function messageOf(db: Kysely<Schema>, id: string): Promise<ContactRow> {
  const message = await findMessage(db, id)
  if (!message) throw new AppError('not_found', 'Message not found')
  return message
}
