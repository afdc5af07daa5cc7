import { act, type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/announcements.ts'
import { announcementById, announcementList, publishedList } from './queries.ts'
import { announce, markAnnouncementRead, withdraw } from './service.ts'

export const routes: Binding[] = [
  act(call.newAnnouncement, async ({ body }, ctx, tx) => {
    const id = await announce(tx, ctx, body)
    return announcementById(tx, id, ctx.services.clock.now())
  }),

  act(call.withdrawAnnouncement, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await withdraw(tx, ctx, id, reason)
    return announcementById(tx, id, ctx.services.clock.now())
  }),

  query(call.listAnnouncements, ({ query: filter }, { services }) => announcementList.page(services, filter)),

  query(call.listOwnAnnouncements, ({ query: filter }, { services, caller }) =>
    publishedList(caller.userId).page(services, filter),
  ),

  act(call.readAnnouncement, async ({ body: { id } }, ctx, tx) => {
    await markAnnouncementRead(tx, ctx, id)
    return {}
  }),
]
