import { me, summary } from '#shared/contract/accounts.ts'
import { listOwnDeposits } from '#shared/contract/deposits.ts'
import { listOwnEarnings } from '#shared/contract/earnings.ts'
import { listOwnInvestments } from '#shared/contract/investments.ts'
import { statement } from '#shared/contract/ledger.ts'
import { listPlans } from '#shared/contract/plans.ts'
import { listOwnWithdrawals } from '#shared/contract/withdrawals.ts'
import { prefetchList, prefetchRead } from '#web/api/read.ts'
import { filterOf, queryOf } from '#web/components/statement/filter.ts'
import { paths } from '#web/paths.ts'
import { latestInvestments, latestWithdrawals } from './home/latest.ts'

const sums = () => prefetchRead(summary, {})

/** What each page of the menu shows first, as the page itself asks for it. */
const reads: Record<string, () => void> = {
  [paths.dashboard.home]() {
    sums()
    prefetchList(listOwnInvestments, { limit: latestInvestments })
    prefetchList(listOwnWithdrawals, { limit: latestWithdrawals })
  },
  [paths.dashboard.profile]: () => prefetchRead(me, {}),
  [paths.dashboard.investments]() {
    sums()
    prefetchList(listOwnInvestments)
  },
  [paths.dashboard.newInvestment]: () => prefetchRead(listPlans, {}),
  [paths.dashboard.deposit]: () => prefetchList(listOwnDeposits),
  [paths.dashboard.withdrawals]() {
    sums()
    prefetchList(listOwnWithdrawals)
  },
  [paths.dashboard.history]: () => prefetchList(listOwnEarnings),
  [paths.dashboard.statement]() {
    const today = new Date().toISOString().slice(0, 10)
    sums()
    prefetchList(statement, queryOf(filterOf(new URLSearchParams(), today)))
  },
}

/** Reads beforehand what the page with this path shows; of other pages, nothing. */
export function readPage(path: string) {
  reads[path]?.()
}
