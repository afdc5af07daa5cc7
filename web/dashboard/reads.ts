import { listReferred, me, summary } from '#shared/contract/accounts.ts'
import { listOwnConversations } from '#shared/contract/conversations.ts'
import { listOwnDeposits } from '#shared/contract/deposits.ts'
import { listOwnEarnings } from '#shared/contract/earnings.ts'
import { listGoals } from '#shared/contract/goals.ts'
import { ownIdentity } from '#shared/contract/identity.ts'
import { listOwnInvestments } from '#shared/contract/investments.ts'
import { statement } from '#shared/contract/ledger.ts'
import { listPlans } from '#shared/contract/plans.ts'
import { ownTerms } from '#shared/contract/policies.ts'
import { listOwnWithdrawals } from '#shared/contract/withdrawals.ts'
import { prefetchList } from '#web/api/list.ts'
import { prefetchRead } from '#web/api/read.ts'
import { filterOf, queryOf } from '#web/components/statement/filter.ts'
import { paths } from '#web/paths.ts'
import { latestInvestments, latestWithdrawals, openPayments } from './home/latest.ts'

const sums = () => prefetchRead(summary, {})

/** First reads of each menu page, with the page's exact inputs. */
const reads: Record<string, () => void> = {
  [paths.dashboard.home]() {
    sums()
    prefetchRead(listOwnDeposits, { query: openPayments })
    prefetchList(listOwnInvestments, { limit: latestInvestments })
    prefetchList(listOwnWithdrawals, { limit: latestWithdrawals })
  },
  [paths.dashboard.profile]() {
    prefetchRead(me, {})
    prefetchRead(ownIdentity, {})
  },
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
  [paths.dashboard.goals]: () => prefetchRead(listGoals, {}),
  [paths.dashboard.messages]: () => prefetchList(listOwnConversations),
  [paths.dashboard.referrals]() {
    prefetchRead(me, {})
    prefetchList(listReferred)
  },
  [paths.dashboard.identity]: () => prefetchRead(ownIdentity, {}),
  [paths.dashboard.terms]: () => prefetchRead(ownTerms, {}),
  [paths.dashboard.statement]() {
    const today = new Date().toISOString().slice(0, 10)
    sums()
    prefetchList(statement, queryOf(filterOf(new URLSearchParams(), today)))
  },
}

/** Prefetches the reads of a menu page. */
export function readPage(path: string) {
  reads[path]?.()
}
