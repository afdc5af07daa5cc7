import { act, type Binding, query } from '#server/context.ts'
import { listMessages, presentMessage } from '#server/records/contact.ts'
import * as call from '#shared/contract/site.ts'
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
]
