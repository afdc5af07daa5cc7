import { act, type Binding, query } from '#server/context.ts'
import { chooseAlerts, getAlertChoices } from '#shared/contract/alerts.ts'
import * as call from '#shared/contract/notifications.ts'
import { addPushDevice, listPushDevices, removePushDevice } from '#shared/contract/push.ts'
import { choicesOf, keepChoices } from './alerts/choices.ts'
import { addDevice, pushDevicesOf, removeDevice } from './push/devices.ts'
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

  query(listPushDevices, (_input, ctx) => pushDevicesOf(ctx.services.db, ctx)),

  act(addPushDevice, async ({ body }, ctx, tx) => {
    await addDevice(tx, ctx, body)
    return pushDevicesOf(tx, ctx)
  }),

  act(removePushDevice, async ({ params: { id } }, ctx, tx) => {
    await removeDevice(tx, ctx, id)
    return {}
  }),

  query(getAlertChoices, async (_input, { services, caller }) => ({
    choices: await choicesOf(services.db, caller),
  })),

  act(chooseAlerts, async ({ body: { choices } }, ctx, tx) => {
    await keepChoices(tx, ctx, choices)
    return { choices: await choicesOf(tx, ctx.caller) }
  }),
]
