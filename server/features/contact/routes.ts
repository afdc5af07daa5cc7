import { act, type Binding, query } from '#server/context.ts'
import { allMessages, listMessages, presentMessage } from '#server/records/contact.ts'
import { tableAsCsv } from '#server/records/table-csv.ts'
import * as call from '#shared/contract/site.ts'
import { messageColumns } from './csv.ts'
import { receiveMessage } from './service.ts'

export const routes: Binding[] = [
  act(call.newContactMessage, async ({ body }, ctx, tx) => {
    await receiveMessage(tx, ctx, body)
    return {}
  }),

  query(call.listContactMessages, async ({ query: filter }, { services }) => {
    const { rows, page } = await listMessages(services.db, filter)
    return { data: rows.map(presentMessage), page }
  }),

  query(call.contactMessagesCsv, ({ query: filter }, ctx) =>
    tableAsCsv(ctx, {
      name: 'messages',
      filter,
      rows: allMessages(ctx.services.db, filter),
      items: rows => rows,
      columns: messageColumns,
    }),
  ),
]
