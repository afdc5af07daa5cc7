import { act, actTogether, type Binding, bulk, command, query } from '#server/context.ts'
import { moneyWriter } from '#server/ledger/batch.ts'
import type { Sifted } from '#server/queries/sift.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import { settingsNow } from '#server/staff/settings-queries.ts'
import * as book from '#shared/contract/addresses.ts'
import * as cancel from '#shared/contract/cancelling.ts'
import type { Withdrawal } from '#shared/contract/entities.ts'
import * as call from '#shared/contract/withdrawals.ts'
import type { AppError } from '#shared/errors.ts'
import { parseUsd, usdFromJson } from '#shared/money.ts'
import { addAddress, removeAddress, renameAddress } from './address-book.ts'
import { addressList, presentAddress } from './address-queries.ts'
import { approveWithdrawals } from './approve.ts'
import { cancelWithdrawal } from './cancel.ts'
import { withdrawalColumns } from './csv.ts'
import { declineWithdrawals } from './decline.ts'
import { withdrawalDetail } from './detail.ts'
import { payWithdrawals } from './mark-paid.ts'
import { estimateOf, timesOfWithdrawals } from './outlook.ts'
import { presentWithdrawal, type WithdrawalRow, withdrawalById, withdrawalList } from './queries.ts'
import { requestWithdrawal } from './request.ts'

/** The withdrawals as they are now; of refused ones, why. */
function answers(
  asked: readonly { input: { params: { id: string } } }[],
  { decided, refused }: Sifted<WithdrawalRow>,
): (Withdrawal | AppError)[] {
  const byId = new Map(decided.map(row => [row.id, row]))
  return asked.map(({ input }) => {
    const { id } = input.params
    return refused.get(id) ?? presentWithdrawal(byId.get(id)!)
  })
}

const approve = actTogether(call.approveWithdrawal, async (asked, services, tx) => {
  const approvals = asked.map(({ input, ctx }) => ({ id: input.params.id, by: ctx }))
  return answers(asked, await approveWithdrawals(tx, services, approvals))
})

const decline = actTogether(call.declineWithdrawal, async (asked, services, tx) => {
  const declines = asked.map(({ input, ctx }) => ({ id: input.params.id, by: ctx, ...input.body }))
  return answers(asked, await declineWithdrawals(tx, services, declines))
})

const pay = actTogether(call.payWithdrawal, async (asked, services, tx) => {
  const payments = asked.map(({ input, ctx }) => ({ id: input.params.id, by: ctx, ...input.body }))
  return answers(asked, await payWithdrawals(tx, services, payments))
})

export const routes: Binding[] = [
  command(call.newWithdrawal, async ({ body: { amount, ...body } }, ctx) => {
    const writer = moneyWriter(ctx.services.pool)
    const settings = await settingsNow(ctx.services)
    const wanted = { ...body, amountCents: usdFromJson(amount)! }
    return requestWithdrawal(ctx, wanted, of => writer.execute(of), settings)
  }),

  approve,
  bulk(call.approveWithdrawals, approve),
  decline,
  bulk(call.declineWithdrawals, decline),
  pay,
  bulk(call.payWithdrawals, pay),
  act(cancel.cancelWithdrawal, async ({ params: { id } }, ctx, tx) => {
    await cancelWithdrawal(tx, ctx, id)
    return presentWithdrawal(await withdrawalById(tx, id))
  }),

  query(call.estimateWithdrawal, ({ query: { wallet, amount } }, ctx) =>
    estimateOf(ctx, { wallet, amountCents: parseUsd(amount)! }),
  ),

  query(call.withdrawalTimes, (_, { services }) => timesOfWithdrawals(services)),

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
