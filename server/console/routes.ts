import { freezeAccount, unfreezeAccount } from '#server/accounts/freeze.ts'
import { addNote, listNotes } from '#server/accounts/notes.ts'
import { requireUser, userDetail } from '#server/accounts/user-detail.ts'
import { overviewOfChains } from '#server/chain/overview.ts'
import { act, type Binding, query } from '#server/context.ts'
import { listDeposits, presentDeposit } from '#server/deposits/queries.ts'
import { listEarnings, presentEarning } from '#server/earnings/queries.ts'
import { listInvestments, presentInvestment } from '#server/investments/queries.ts'
import { listAddresses, presentAddress } from '#server/withdrawals/address-queries.ts'
import { listWithdrawals, presentWithdrawal } from '#server/withdrawals/queries.ts'
import * as call from '#shared/contract/console.ts'
import { listHistory, listReferrals } from './people.ts'
import { postingsOf } from './postings.ts'
import { summaryOfFirm } from './summary.ts'

export const routes: Binding[] = [
  query(call.consoleSummary, (_input, { services }) => summaryOfFirm(services)),

  query(call.chainOverview, (_input, { services }) => overviewOfChains(services)),

  query(call.getUser, ({ params: { id } }, ctx) => userDetail(ctx, id)),

  query(call.listUserDeposits, async ({ query: { user, ...filter } }, { services: { db, clock } }) => {
    await requireUser(db, user)
    const { rows, page } = await listDeposits(db, { ...filter, userId: user })
    const now = clock.now()
    return { data: rows.map(row => presentDeposit(row, now)), page }
  }),

  query(call.listUserInvestments, async ({ query: { user, ...filter } }, { services: { db, clock } }) => {
    await requireUser(db, user)
    const now = clock.now()
    const { rows, page } = await listInvestments(db, { ...filter, userId: user }, now)
    return { data: rows.map(row => presentInvestment(row, now)), page }
  }),

  query(call.listUserWithdrawals, async ({ query: { user, ...filter } }, { services: { db } }) => {
    await requireUser(db, user)
    const { rows, page } = await listWithdrawals(db, { ...filter, userId: user })
    return { data: rows.map(presentWithdrawal), page }
  }),

  query(call.listUserEarnings, async ({ query: { user, ...filter } }, { services: { db } }) => {
    await requireUser(db, user)
    const { rows, page } = await listEarnings(db, { ...filter, userId: user })
    return { data: rows.map(presentEarning), page }
  }),

  query(call.listUserAddresses, async ({ query: { user, ...filter } }, { services: { db } }) => {
    await requireUser(db, user)
    const { rows, page } = await listAddresses(db, { ...filter, userId: user })
    return { data: rows.map(presentAddress), page }
  }),

  query(call.listUserReferrals, async ({ query: filter }, { services: { db } }) => {
    await requireUser(db, filter.user)
    return listReferrals(db, filter)
  }),

  query(call.listUserNotes, async ({ query: filter }, { services: { db } }) => {
    await requireUser(db, filter.user)
    return listNotes(db, filter)
  }),

  query(call.listUserHistory, async ({ query: filter }, { services: { db } }) => {
    await requireUser(db, filter.user)
    return listHistory(db, filter)
  }),

  act(call.addUserNote, async ({ params: { id }, body: { note } }, ctx, tx) => {
    await requireUser(tx, id)
    return addNote(tx, ctx, id, note)
  }),

  act(call.freezeUser, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await freezeAccount(tx, ctx, id, reason)
    return {}
  }),

  act(call.unfreezeUser, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await unfreezeAccount(tx, ctx, id, reason)
    return {}
  }),

  query(call.listPostings, ({ params: { id } }, { services: { db } }) => postingsOf(db, id)),
]
