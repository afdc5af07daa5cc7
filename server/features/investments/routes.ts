import { act, type Binding, query, type SignedInContext, type Tx } from '#server/context.ts'
import { depositOfInvestment, presentDeposit } from '#server/records/deposits.ts'
import { findInvestment, listInvestments, presentInvestment } from '#server/records/investments.ts'
import type { Investment } from '#shared/contract/entities.ts'
import * as call from '#shared/contract/investments.ts'
import { usdFromJson } from '#shared/money.ts'
import { investmentDetail } from './detail.ts'
import {
  approveInvestment,
  closeInvestment,
  declineInvestment,
  investByCoin,
  investFromBalance,
} from './service.ts'

async function answer(tx: Tx, { services }: SignedInContext, id: string): Promise<Investment> {
  return presentInvestment((await findInvestment(tx, id))!, services.clock.now())
}

export const routes: Binding[] = [
  act(call.newInvestment, async ({ body: { method, plan, amount, quote } }, ctx, tx) => {
    const asked = { plan, amountCents: usdFromJson(amount)! }
    const id =
      method === 'balance'
        ? await investFromBalance(tx, ctx, asked)
        : await investByCoin(tx, ctx, { ...asked, method, quote })
    const deposit = await depositOfInvestment(tx, id)
    const now = ctx.services.clock.now()
    return { ...(await answer(tx, ctx, id)), deposit: deposit ? presentDeposit(deposit, now) : null }
  }),

  act(call.approveInvestment, async ({ params: { id } }, ctx, tx) => {
    await approveInvestment(tx, ctx, id)
    return answer(tx, ctx, id)
  }),

  act(call.closeInvestment, async ({ params: { id } }, ctx, tx) => {
    await closeInvestment(tx, ctx, id)
    return answer(tx, ctx, id)
  }),

  act(call.declineInvestment, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await declineInvestment(tx, ctx, id, reason)
    return answer(tx, ctx, id)
  }),

  query(call.listOwnInvestments, async ({ query: filter }, { services, caller }) => {
    const now = services.clock.now()
    const { rows, page } = await listInvestments(services.db, { ...filter, userId: caller.userId }, now)
    return { data: rows.map(row => presentInvestment(row, now)), page }
  }),

  query(call.listInvestments, async ({ query: filter }, { services }) => {
    const now = services.clock.now()
    const { rows, page } = await listInvestments(services.db, filter, now)
    return { data: rows.map(row => presentInvestment(row, now)), page }
  }),

  query(call.getInvestment, ({ params: { id } }, ctx) => investmentDetail(ctx, id)),
]
