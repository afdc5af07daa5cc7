import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import { act, type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/firm.ts'
import { firmVersions } from './queries.ts'
import { translateFirm, updateFirm } from './service.ts'
import {
  addStatistic,
  orderStatistics,
  restoreStatistic,
  retireStatistic,
  updateStatistic,
} from './statistics.ts'
import { listMeasured, statisticVersions, writtenStatistics } from './statistics-queries.ts'

export const routes: Binding[] = [
  query(call.listFirmVersions, ({ query: filter }, { services }) =>
    firmVersions(services.config).page(services, filter),
  ),

  act(call.updateFirm, async ({ body: { version, reason, ...profile } }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return updateFirm(tx, ctx, profile, { version, reason })
  }),

  act(call.translateFirm, async ({ body: { version, reason, ...translation } }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return translateFirm(tx, ctx, translation, { version, reason })
  }),

  query(call.listStatistics, async (_input, { services }) => {
    const [measured, written] = await Promise.all([
      listMeasured(services),
      writtenStatistics(services.db, services.config),
    ])
    return { measured, written }
  }),

  act(call.newStatistic, ({ body: { reason, ...figure } }, ctx, tx) => addStatistic(tx, ctx, figure, reason)),

  act(call.updateStatistic, ({ params: { id }, body: { version, reason, ...figure } }, ctx, tx) =>
    updateStatistic(tx, ctx, id, figure, { version, reason }),
  ),

  act(call.retireStatistic, ({ params: { id }, body: { reason } }, ctx, tx) =>
    retireStatistic(tx, ctx, id, reason),
  ),

  act(call.restoreStatistic, ({ params: { id }, body: { reason } }, ctx, tx) =>
    restoreStatistic(tx, ctx, id, reason),
  ),

  act(call.orderStatistics, async ({ body: { ids } }, ctx, tx) => {
    await orderStatistics(tx, ctx, ids)
    return {}
  }),

  query(call.listStatisticVersions, ({ params: { id }, query: filter }, { services }) =>
    statisticVersions(services, id, filter),
  ),
]
