import { act, type Binding, bulk, query } from '#server/context.ts'
import { planFor } from '#server/plans/terms.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import * as cancel from '#shared/contract/cancelling.ts'
import * as call from '#shared/contract/deposits.ts'
import { parseUsd, usdFromJson } from '#shared/money.ts'
import { reserveAddress } from './addresses.ts'
import { cancelDeposit } from './cancel.ts'
import { depositColumns } from './csv.ts'
import { depositDetail } from './detail.ts'
import { depositById, depositList, presentDeposit } from './queries.ts'
import {
  approveDeposit,
  creditDeposit,
  creditOwnDeposit,
  declineDeposit,
  newDeposit,
  previewReceipt,
  quoteDeposit,
  reviewDeposit,
} from './service.ts'

const approve = act(call.approveDeposit, async ({ params: { id }, body }, ctx, tx) => {
  await approveDeposit(tx, ctx, id, body)
  return presentDeposit(await depositById(tx, id), ctx.services.clock.now())
})

const credit = act(call.creditDeposit, async ({ params: { id }, body }, ctx, tx) => {
  await creditDeposit(tx, ctx, id, body)
  return presentDeposit(await depositById(tx, id), ctx.services.clock.now())
})

const decline = act(call.declineDeposit, async ({ params: { id }, body: { reason } }, ctx, tx) => {
  await declineDeposit(tx, ctx, id, reason)
  return presentDeposit(await depositById(tx, id), ctx.services.clock.now())
})

export const routes: Binding[] = [
  query(call.quoteDeposit, async ({ query: { method, amount, ...of } }, ctx) => {
    const amountCents = parseUsd(amount)!
    const plan =
      of.plan === undefined
        ? undefined
        : await planFor(ctx.services.db, { ...of, plan: of.plan, amountCents })
    return quoteDeposit(ctx, { method, amountCents, plan })
  }),

  act(
    call.newDeposit,
    async ({ body: { method, amount, quote } }, ctx, tx) => {
      const id = await newDeposit(tx, ctx, { method, amountCents: usdFromJson(amount)!, quote })
      return presentDeposit(await depositById(tx, id), ctx.services.clock.now())
    },
    async ({ body: { method, quote } }, { services, caller }) => {
      if (quote === undefined) await reserveAddress(services, method, caller.userId)
    },
  ),

  query(call.previewReceipt, ({ params: { id }, query: receipt }, ctx) => previewReceipt(ctx, id, receipt)),

  act(call.reviewDeposit, async ({ params: { id }, body }, ctx, tx) => {
    await reviewDeposit(tx, ctx, id, body)
    return presentDeposit(await depositById(tx, id), ctx.services.clock.now())
  }),

  approve,
  bulk(call.approveDeposits, approve),
  act(call.creditOwnDeposit, async ({ params: { id } }, ctx, tx) => {
    await creditOwnDeposit(tx, ctx, id)
    return presentDeposit(await depositById(tx, id), ctx.services.clock.now())
  }),

  act(cancel.cancelDeposit, async ({ params: { id } }, ctx, tx) => {
    await cancelDeposit(tx, ctx, id)
    return presentDeposit(await depositById(tx, id), ctx.services.clock.now())
  }),

  credit,
  bulk(call.creditDeposits, credit),
  decline,
  bulk(call.declineDeposits, decline),
  query(call.listOwnDeposits, ({ query: filter }, { services, caller }) =>
    depositList.page(services, { ...filter, userId: caller.userId }),
  ),

  query(call.listDeposits, ({ query: filter }, { services }) => depositList.page(services, filter)),

  query(call.depositsCsv, ({ query: filter }, ctx) =>
    tableAsCsv(ctx, {
      name: 'deposits',
      filter,
      rows: depositList.all(ctx.services, filter),
      items: rows => rows,
      columns: depositColumns(ctx.services.clock.now()),
    }),
  ),

  query(call.getDeposit, ({ params: { id } }, ctx) => depositDetail(ctx, id)),
]
