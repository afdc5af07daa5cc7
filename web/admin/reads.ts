import { listUsers, me } from '#shared/contract/accounts.ts'
import { consoleSummary } from '#shared/contract/console.ts'
import { listDeposits } from '#shared/contract/deposits.ts'
import { listEarnings } from '#shared/contract/earnings.ts'
import { listFirmVersions, listStatistics } from '#shared/contract/firm.ts'
import { listInvestments } from '#shared/contract/investments.ts'
import { listPayouts } from '#shared/contract/payouts.ts'
import { listCatalogue } from '#shared/contract/plans.ts'
import { proofStatus } from '#shared/contract/proof-status.ts'
import { listReserves } from '#shared/contract/reserves.ts'
import { listReturns, returnSummary } from '#shared/contract/returns.ts'
import { getSettings } from '#shared/contract/settings.ts'
import { listContactMessages, listPriceSources } from '#shared/contract/site.ts'
import { listStaff } from '#shared/contract/staff.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { prefetchList, prefetchRead } from '#web/api/read.ts'
import { paths } from '#web/paths.ts'
import { ownPageSize, pageSize, versionsAtOnce } from './tables/list-body.tsx'

/** A list without search. */
const whole = { q: '', status: '', limit: pageSize }
const ownPage = { ...whole, limit: ownPageSize }

/** First reads of each menu page, with the page's exact inputs. */
const reads: Record<string, () => void> = {
  [paths.admin.home]() {
    prefetchRead(consoleSummary, {})
    prefetchRead(returnSummary, {})
    prefetchRead(listCatalogue, {})
    for (const call of [listUsers, listWithdrawals, listInvestments, listEarnings, listDeposits]) {
      prefetchList(call, whole)
    }
  },
  [paths.admin.users]: () => prefetchList(listUsers, ownPage),
  [paths.admin.deposits]: () => prefetchList(listDeposits, ownPage),
  [paths.admin.withdrawals]: () => prefetchList(listWithdrawals, ownPage),
  [paths.admin.investments]() {
    prefetchList(listInvestments, ownPage)
    prefetchRead(listCatalogue, {})
  },
  [paths.admin.earnings]: () => prefetchList(listEarnings, ownPage),
  [paths.admin.payouts]: () => prefetchList(listPayouts, whole),
  [paths.admin.returns]() {
    prefetchRead(returnSummary, {})
    prefetchList(listReturns, whole)
  },
  [paths.admin.reserves]: () => prefetchRead(listReserves, {}),
  [paths.admin.publicProof]: () => prefetchRead(proofStatus, {}),
  [paths.admin.prices]: () => prefetchRead(listPriceSources, {}),
  [paths.admin.planEarnings()]: () => prefetchRead(listCatalogue, {}),
  [paths.admin.plans]: () => prefetchRead(listCatalogue, {}),
  [paths.admin.firm]: () => prefetchList(listFirmVersions, { limit: versionsAtOnce }),
  [paths.admin.statistics]: () => prefetchRead(listStatistics, {}),
  [paths.admin.messages]: () => prefetchList(listContactMessages, whole),
  [paths.admin.staff]() {
    prefetchList(listStaff, whole)
    prefetchRead(getSettings, {})
  },
  [paths.admin.settings]: () => prefetchRead(getSettings, {}),
  [paths.admin.profile]: () => prefetchRead(me, {}),
}

/** Prefetches the reads of a menu page. */
export function readPage(path: string) {
  reads[path]?.()
}
