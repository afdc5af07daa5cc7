import {
  act,
  type Binding,
  bulk,
  command,
  either,
  query,
  type SignedInContext,
  type Tx,
} from '#server/context.ts'
import { reserveAddress } from '#server/deposits/addresses.ts'
import { depositOfInvestment, presentDeposit } from '#server/deposits/queries.ts'
import { moneyWriter } from '#server/ledger/batch.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import * as cancel from '#shared/contract/cancelling.ts'
import type { Investment } from '#shared/contract/entities.ts'
import * as call from '#shared/contract/investments.ts'
import { usdFromJson } from '#shared/money.ts'
import { investmentColumns } from './csv.ts'
import { investmentDetail } from './detail.ts'
import { findInvestment, investmentList, presentInvestment } from './queries.ts'
import { setReinvestment } from './reinvest.ts'
import { investByCoin, investFromBalance } from './request.ts'
import { approveInvestment, cancelInvestment, closeInvestment, declineInvestment } from './service.ts'

async function answer(tx: Tx, { services }: SignedInContext, id: string): Promise<Investment> {
  return presentInvestment((await findInvestment(tx, id))!, services.clock.now())
}

/** The hot path: one prepared statement. */
const fromBalance = command(call.newInvestment, ({ body: { plan, planVersion, amount } }, ctx) => {
  const writer = moneyWriter(ctx.services.pool)
  const asked = { plan, planVersion, amountCents: usdFromJson(amount)! }
  return investFromBalance(ctx, asked, of => writer.execute(of))
})

const byCoin = act(
  call.newInvestment,
  async ({ body: { method, plan, planVersion, amount, quote } }, ctx, tx) => {
    if (method === 'balance') throw new Error('the balance needs no payment')
    const asked = { plan, planVersion, amountCents: usdFromJson(amount)!, method, quote }
    const id = await investByCoin(tx, ctx, asked)
    const deposit = await depositOfInvestment(tx, id)
    return { ...(await answer(tx, ctx, id)), deposit: presentDeposit(deposit!, ctx.services.clock.now()) }
  },
  async ({ body: { method, quote } }, { services, caller }) => {
    if (method !== 'balance' && quote === undefined) await reserveAddress(services, method, caller.userId)
  },
)

const approve = act(call.approveInvestment, async ({ params: { id }, body }, ctx, tx) => {
  await approveInvestment(tx, ctx, id, body)
  return answer(tx, ctx, id)
})

const close = act(call.closeInvestment, async ({ params: { id }, body: { reason } }, ctx, tx) => {
  await closeInvestment(tx, ctx, id, reason)
  return answer(tx, ctx, id)
})

const decline = act(call.declineInvestment, async ({ params: { id }, body: { reason } }, ctx, tx) => {
  await declineInvestment(tx, ctx, id, reason)
  return answer(tx, ctx, id)
})

export const routes: Binding[] = [
  either(call.newInvestment, ({ body }) => (body.method === 'balance' ? fromBalance : byCoin)),

  approve,
  bulk(call.approveInvestments, approve),
  close,
  bulk(call.closeInvestments, close),
  decline,
  bulk(call.declineInvestments, decline),
  act(cancel.cancelInvestment, async ({ params: { id } }, ctx, tx) => {
    await cancelInvestment(tx, ctx, id)
    return answer(tx, ctx, id)
  }),
  act(call.reinvestInvestment, async ({ params: { id }, body: { reinvest } }, ctx, tx) => {
    await setReinvestment(tx, ctx, id, reinvest)
    return answer(tx, ctx, id)
  }),
  query(call.listOwnInvestments, ({ query: filter }, { services, caller }) =>
    investmentList.page(services, { ...filter, userId: caller.userId }),
  ),

  query(call.listInvestments, ({ query: filter }, { services }) => investmentList.page(services, filter)),

  query(call.investmentsCsv, ({ query: filter }, ctx) =>
    tableAsCsv(ctx, {
      name: 'investments',
      filter,
      rows: investmentList.all(ctx.services, filter),
      items: rows => rows,
      columns: investmentColumns(ctx.services.clock.now()),
    }),
  ),

  query(call.getInvestment, ({ params: { id } }, ctx) => investmentDetail(ctx, id)),
]
