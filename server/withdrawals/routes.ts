import { act, type Binding, command, query, type Tx } from '#server/context.ts'
import { moneyWriter } from '#server/ledger/batch.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import { settingsNow } from '#server/staff/settings-queries.ts'
import * as book from '#shared/contract/addresses.ts'
import type { Withdrawal } from '#shared/contract/entities.ts'
import * as call from '#shared/contract/withdrawals.ts'
import { usdFromJson } from '#shared/money.ts'
import { addAddress, removeAddress, renameAddress } from './address-book.ts'
import { addressList, presentAddress } from './address-queries.ts'
import { withdrawalColumns } from './csv.ts'
import { withdrawalDetail } from './detail.ts'
import { presentWithdrawal, withdrawalById, withdrawalList } from './queries.ts'
import { requestWithdrawal } from './request.ts'
import { approveWithdrawal, declineWithdrawal, payWithdrawal } from './service.ts'

async function answer(tx: Tx, id: string): Promise<Withdrawal> {
  return presentWithdrawal(await withdrawalById(tx, id))
}

export const routes: Binding[] = [
  command(call.newWithdrawal, async ({ body: { amount, ...body } }, ctx) => {
    const writer = moneyWriter(ctx.services.pool)
    const settings = await settingsNow(ctx.services)
    const wanted = { ...body, amountCents: usdFromJson(amount)! }
    return requestWithdrawal(ctx, wanted, of => writer.execute(of), settings)
  }),

  act(call.approveWithdrawal, async ({ params: { id } }, ctx, tx) => {
    await approveWithdrawal(tx, ctx, id)
    return answer(tx, id)
  }),

  act(call.declineWithdrawal, async ({ params: { id }, body }, ctx, tx) => {
    await declineWithdrawal(tx, ctx, id, body)
    return answer(tx, id)
  }),

  act(call.payWithdrawal, async ({ params: { id }, body }, ctx, tx) => {
    await payWithdrawal(tx, ctx, id, body)
    return answer(tx, id)
  }),

  query(call.listOwnWithdrawals, ({ query: filter }, { services, caller }) =>
    withdrawalList.page(services, { ...filter, userId: caller.userId }),
  ),

  query(call.listWithdrawals, ({ query: filter }, { services }) => withdrawalList.page(services, filter)),

  query(call.withdrawalsCsv, ({ query: filter }, ctx) =>
    tableAsCsv(ctx, {
      name: 'withdrawals',
      filter,
      rows: withdrawalList.all(ctx.services, filter),
      items: rows => rows,
      columns: withdrawalColumns,
    }),
  ),

  act(book.newAddress, async ({ body }, ctx, tx) => presentAddress(await addAddress(tx, ctx, body))),

  query(book.listOwnAddresses, ({ query: filter }, { services, caller }) =>
    addressList(caller.userId).page(services, filter),
  ),

  act(book.renameAddress, async ({ params: { id }, body: { label } }, ctx, tx) =>
    presentAddress(await renameAddress(tx, ctx, id, label)),
  ),

  act(book.removeAddress, async ({ params: { id } }, ctx, tx) => {
    await removeAddress(tx, ctx, id)
    return {}
  }),

  query(call.getWithdrawal, ({ params: { id } }, ctx) => withdrawalDetail(ctx, id)),
]
