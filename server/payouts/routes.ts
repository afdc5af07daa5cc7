import { act, type Binding, query } from '#server/context.ts'
import { beat } from '#server/restores/beat.ts'
import * as call from '#shared/contract/payouts.ts'
import { cancelBatch, raiseFee } from './cancel.ts'
import { createBatch } from './create.ts'
import { exportFile } from './files.ts'
import { confirmOutgoing, explainOutgoing, outgoingList } from './outgoing.ts'
import { payoutList } from './queries.ts'
import { acknowledgeAlerts } from './review.ts'
import { payoutOf, previewOf, readyFor } from './service.ts'
import { signBatch } from './sign.ts'

export const routes: Binding[] = [
  query(call.listPayouts, ({ query: filter }, { services }) => payoutList.page(services, filter)),

  query(call.getPayout, ({ params: { id } }, ctx) => payoutOf(ctx.services.db, ctx, id)),

  query(call.readyForPayout, ({ query: { wallet } }, ctx) => readyFor(ctx, wallet)),

  query(call.previewPayout, ({ query: asked }, ctx) => previewOf(ctx, asked)),

  act(call.newPayout, async ({ body }, ctx, tx) => payoutOf(tx, ctx, await createBatch(tx, ctx, body))),

  query(call.payoutFile, async ({ params: { id }, query: { version } }, ctx) => {
    const file = await ctx.services.db.transaction().execute(tx => exportFile(tx, ctx, id, version))
    // A database that forgets this download is then behind this machine's mark.
    await beat(ctx.services)
    return file
  }),

  act(call.signPayout, async ({ params: { id }, body: { signed } }, ctx, tx) => {
    await signBatch(tx, ctx, id, signed)
    return payoutOf(tx, ctx, id)
  }),

  act(call.raisePayoutFee, async ({ params: { id }, body }, ctx, tx) => {
    await raiseFee(tx, ctx, id, body)
    return payoutOf(tx, ctx, id)
  }),

  act(call.acknowledgePayout, async ({ params: { id }, body }, ctx, tx) => {
    await acknowledgeAlerts(tx, ctx, id, body)
    return payoutOf(tx, ctx, id)
  }),

  act(call.cancelPayout, async ({ params: { id }, body }, ctx, tx) => {
    await cancelBatch(tx, ctx, id, body)
    return payoutOf(tx, ctx, id)
  }),

  query(call.listOutgoing, (_, { services }) => outgoingList(services.db)),

  act(call.explainOutgoing, async ({ body }, ctx, tx) => {
    await explainOutgoing(tx, ctx, body)
    return outgoingList(tx)
  }),

  act(call.confirmOutgoing, async ({ body }, ctx, tx) => {
    await confirmOutgoing(tx, ctx, body)
    return outgoingList(tx)
  }),
]
