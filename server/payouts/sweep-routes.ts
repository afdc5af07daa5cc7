import { act, type Binding, query } from '#server/context.ts'
import { sweepRails } from '#shared/batch-coins.ts'
import * as call from '#shared/contract/sweeps.ts'
import { askForHoldings } from './holdings.ts'
import { payoutOf } from './service.ts'
import { createSweep, holdingsOf, sweepPreview } from './sweep.ts'

export const routes: Binding[] = [
  query(call.depositHoldings, (_, { services }) => holdingsOf(services)),

  act(call.readHoldings, async ({ body: { wallet } }, ctx, tx) => {
    await askForHoldings(tx, ctx, sweepRails[wallet].rail)
    return holdingsOf({ ...ctx.services, db: tx })
  }),

  query(call.previewSweep, ({ query: { wallet } }, ctx) => sweepPreview(ctx, wallet)),

  act(call.newSweep, async ({ body: { wallet } }, ctx, tx) =>
    payoutOf(tx, ctx, await createSweep(tx, ctx, wallet)),
  ),
]
