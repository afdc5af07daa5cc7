import { act, type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/payouts.ts'
import { cancelBatch, takeOver } from './batch.ts'
import { createBatch } from './create.ts'
import { payoutList } from './queries.ts'
import { acknowledgeAlerts } from './review.ts'
import { exportFile, payoutOf, previewOf, readyFor } from './service.ts'

export const routes: Binding[] = [
  query(call.listPayouts, ({ query: filter }, { services }) => payoutList.page(services, filter)),

  query(call.getPayout, ({ params: { id } }, ctx) => payoutOf(ctx.services.db, ctx, id)),

  query(call.readyForPayout, ({ query: { wallet } }, ctx) => readyFor(ctx, wallet)),

  query(call.previewPayout, ({ query: asked }, ctx) => previewOf(ctx, asked)),

  act(call.newPayout, async ({ body }, ctx, tx) => payoutOf(tx, ctx, await createBatch(tx, ctx, body))),

  query(call.payoutFile, ({ params: { id } }, ctx) =>
    ctx.services.db.transaction().execute(tx => exportFile(tx, ctx, id)),
  ),

  act(call.takeOverPayout, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await takeOver(tx, ctx, id, reason)
    return payoutOf(tx, ctx, id)
  }),

  act(call.acknowledgePayout, async ({ params: { id }, body }, ctx, tx) => {
    await acknowledgeAlerts(tx, ctx, id, body)
    return payoutOf(tx, ctx, id)
  }),

  act(call.cancelPayout, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await cancelBatch(tx, ctx, id, reason)
    return payoutOf(tx, ctx, id)
  }),
]
