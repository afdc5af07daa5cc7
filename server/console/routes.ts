import { reopenAccount } from '#server/accounts/closing.ts'
import { freezeAccount, unfreezeAccount } from '#server/accounts/freeze.ts'
import { addNote, noteList } from '#server/accounts/notes.ts'
import { requireUser, userDetail } from '#server/accounts/user-detail.ts'
import { overviewOfChains } from '#server/chain/overview.ts'
import { act, type Binding, query } from '#server/context.ts'
import { depositList } from '#server/deposits/queries.ts'
import { earningList } from '#server/earnings/queries.ts'
import { investmentList } from '#server/investments/queries.ts'
import { eraseProofSecret } from '#server/proof/erase.ts'
import { addressList } from '#server/withdrawals/address-queries.ts'
import { withdrawalList } from '#server/withdrawals/queries.ts'
import { cashFlowCsv, getCashFlow } from '#shared/contract/cash-flow.ts'
import { reopenUser } from '#shared/contract/closing.ts'
import * as call from '#shared/contract/console.ts'
import { listFilters, removeFilter, saveFilter } from '#shared/contract/filters.ts'
import { getJournal, journalFile } from '#shared/contract/journal.ts'
import { search } from '#shared/contract/search.ts'
import { cashFlowAsCsv } from './cash-flow/csv.ts'
import { cashFlowOf } from './cash-flow/service.ts'
import { deleteFilter, filtersOf, keepFilter } from './filters.ts'
import { daysOfJournal, journalAsFile } from './journal/service.ts'
import { listHistory, referralList } from './people.ts'
import { postingsOf } from './postings.ts'
import { searchConsole } from './search.ts'
import { summaryOfFirm } from './summary.ts'

export const routes: Binding[] = [
  query(call.consoleSummary, (_input, { services, caller }) => summaryOfFirm(services, caller.userId)),

  query(call.chainOverview, (_input, { services }) => overviewOfChains(services)),

  query(getCashFlow, (_input, { services }) => cashFlowOf(services)),

  query(cashFlowCsv, (_input, ctx) => cashFlowAsCsv(ctx)),

  query(getJournal, (_input, { services }) => daysOfJournal(services)),

  query(journalFile, ({ query }, ctx) => journalAsFile(ctx, query)),

  query(search, ({ query: { q } }, ctx) => searchConsole(ctx, q)),

  query(listFilters, ({ query: { list } }, { services, caller }) =>
    filtersOf(services.db, caller.userId, list),
  ),

  act(saveFilter, ({ body }, ctx, tx) => keepFilter(tx, ctx, body)),

  act(removeFilter, async ({ params: { id } }, ctx, tx) => {
    await deleteFilter(tx, ctx, id)
    return {}
  }),

  query(call.getUser, ({ params: { id } }, ctx) => userDetail(ctx, id)),

  query(call.listUserDeposits, async ({ query: { user, ...filter } }, { services }) => {
    await requireUser(services.db, user)
    return depositList.page(services, { ...filter, userId: user })
  }),

  query(call.listUserInvestments, async ({ query: { user, ...filter } }, { services }) => {
    await requireUser(services.db, user)
    return investmentList.page(services, { ...filter, userId: user })
  }),

  query(call.listUserWithdrawals, async ({ query: { user, ...filter } }, { services }) => {
    await requireUser(services.db, user)
    return withdrawalList.page(services, { ...filter, userId: user })
  }),

  query(call.listUserEarnings, async ({ query: { user, ...filter } }, { services }) => {
    await requireUser(services.db, user)
    return earningList.page(services, { ...filter, userId: user })
  }),

  query(call.listUserAddresses, async ({ query: { user, ...filter } }, { services }) => {
    await requireUser(services.db, user)
    return addressList(user).page(services, filter)
  }),

  query(call.listUserReferrals, async ({ query: { user, ...filter } }, { services }) => {
    await requireUser(services.db, user)
    return referralList(user).page(services, filter)
  }),

  query(call.listUserNotes, async ({ query: { user, ...filter } }, { services }) => {
    await requireUser(services.db, user)
    return noteList(user).page(services, filter)
  }),

  query(call.listUserHistory, async ({ query: filter }, { services }) => {
    await requireUser(services.db, filter.user)
    return listHistory(services, filter)
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

  act(reopenUser, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await reopenAccount(tx, ctx, id, reason)
    return {}
  }),

  act(call.eraseProofSecret, async ({ params: { id }, body }, ctx, tx) => {
    await eraseProofSecret(tx, ctx, id, body)
    return {}
  }),

  query(call.listPostings, ({ params: { id } }, { services: { db } }) => postingsOf(db, id)),
]
