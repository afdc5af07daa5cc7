import { act, type Binding, query } from '#server/context.ts'
import { chooseAlerts, getAlertChoices } from '#shared/contract/alerts.ts'
import * as call from '#shared/contract/notifications.ts'
import { choicesOf, keepChoices } from './alerts/choices.ts'
import { mutedBy, notificationList, unreadOf } from './queries.ts'
import { markAllRead, markRead, muteEmails } from './service.ts'

export const routes: Binding[] = [
  query(call.listNotifications, async ({ query: filter }, { services, caller }) => {
    const list = await notificationList(services.db, caller)
    return list.page(services, filter)
  }),

  query(call.unreadNotifications, async (_input, { services, caller }) => ({
    unread: await unreadOf(services.db, caller),
  })),

  act(call.readNotification, async ({ params: { id } }, ctx, tx) => {
    await markRead(tx, ctx, id)
    return {}
  }),

  act(call.readAllNotifications, async ({ body: { until } }, ctx, tx) => {
    await markAllRead(tx, ctx, until)
    return {}
  }),

  query(call.emailChoice, async (_input, { services, caller }) => ({
    muted: await mutedBy(services.db, caller.userId),
  })),

  act(call.chooseEmails, async ({ body: { muted } }, ctx, tx) => {
    await muteEmails(tx, ctx, muted)
    return { muted: await mutedBy(tx, ctx.caller.userId) }
  }),

  query(getAlertChoices, async (_input, { services, caller }) => ({
    choices: await choicesOf(services.db, caller),
  })),

  act(chooseAlerts, async ({ body: { choices } }, ctx, tx) => {
    await keepChoices(tx, ctx, choices)
    return { choices: await choicesOf(tx, ctx.caller) }
  }),
]
