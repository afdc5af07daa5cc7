import { act, type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/reserves.ts'
import { usdFromJson } from '#shared/money.ts'
import { confirmAsset, stateAsset, withdrawAsset } from './assets.ts'
import { prepareReserves } from './prepare.ts'
import { publishReserves } from './publish.ts'
import { listReserves } from './queries.ts'
import { addSignature, askContract } from './sign.ts'

export const routes: Binding[] = [
  query(call.listReserves, (_input, { services }) => listReserves(services)),

  act(call.prepareReserves, async ({ body: { addresses } }, ctx, tx) => ({
    id: await prepareReserves(tx, ctx, addresses),
  })),

  act(
    call.signReserves,
    async ({ params: { id }, body }, ctx, tx) => ({ signed: await addSignature(tx, ctx, { id, ...body }) }),
    ({ params: { id }, body }, ctx) => askContract(ctx, { id, ...body }),
  ),

  act(call.publishReserves, async ({ params: { id } }, ctx, tx) => {
    await publishReserves(tx, ctx, id)
    return {}
  }),

  act(call.stateAsset, async ({ body: { amount, ...body } }, ctx, tx) => ({
    id: await stateAsset(tx, ctx, { ...body, amountCents: usdFromJson(amount)! }),
  })),

  act(call.confirmAsset, async ({ params: { id } }, ctx, tx) => {
    await confirmAsset(tx, ctx, id)
    return {}
  }),

  act(call.withdrawAsset, async ({ params: { id } }, ctx, tx) => {
    await withdrawAsset(tx, ctx, id)
    return {}
  }),
]
