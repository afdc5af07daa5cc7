import { listUsers, me } from '#shared/contract/accounts.ts'
import { listAnnouncements } from '#shared/contract/announcements.ts'
import { listApiKeys } from '#shared/contract/api-keys.ts'
import { getBrand } from '#shared/contract/brand.ts'
import { listAnswers } from '#shared/contract/canned-answers.ts'
import { getCashFlow } from '#shared/contract/cash-flow.ts'
import { consoleSummary } from '#shared/contract/console.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { listDeposits } from '#shared/contract/deposits.ts'
import { listEarnings } from '#shared/contract/earnings.ts'
import { type FilteredList, listFilters } from '#shared/contract/filters.ts'
import { listFirmVersions, listStatistics } from '#shared/contract/firm.ts'
import { listChecks } from '#shared/contract/identity.ts'
import { listInvestments } from '#shared/contract/investments.ts'
import { getJournal } from '#shared/contract/journal.ts'
import { listCases } from '#shared/contract/monitoring.ts'
import { listPayouts } from '#shared/contract/payouts.ts'
import { listCatalogue } from '#shared/contract/plans.ts'
import { listPolicies } from '#shared/contract/policies.ts'
import { proofStatus } from '#shared/contract/proof-status.ts'
import { listReserves } from '#shared/contract/reserves.ts'
import { listReturns, returnSummary } from '#shared/contract/returns.ts'
import { listMatches, listSanctionsLists } from '#shared/contract/screening.ts'
import { getSettings } from '#shared/contract/settings.ts'
import { listContactMessages, listPriceSources, listTeam } from '#shared/contract/site.ts'
import { listStaff } from '#shared/contract/staff.ts'
import { listDeliveries, listWebhooks } from '#shared/contract/webhooks.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { prefetchList } from '#web/api/list.ts'
import { prefetchRead } from '#web/api/read.ts'
import { consolePaths } from '#web/console-paths.ts'
import { paths } from '#web/paths.ts'
import { ownPageSize, pageSize, versionsAtOnce } from './tables/list-body.tsx'

/** A list without search. */
const whole = { q: '', status: '', limit: pageSize }

/** A list on its own page, and the user's saved filters of it. */
function readOwnPage(list: FilteredList, call: CallDefinition & { list: true }) {
  prefetchList(call, { ...whole, limit: ownPageSize })
  prefetchRead(listFilters, { query: { list } })
}

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
  [consolePaths.users]: () => readOwnPage('users', listUsers),
  [consolePaths.deposits]: () => readOwnPage('deposits', listDeposits),
  [consolePaths.withdrawals]: () => readOwnPage('withdrawals', listWithdrawals),
  [consolePaths.investments]() {
    readOwnPage('investments', listInvestments)
    prefetchRead(listCatalogue, {})
  },
  [consolePaths.earnings]: () => readOwnPage('earnings', listEarnings),
  [consolePaths.payouts]: () => prefetchList(listPayouts, whole),
  [consolePaths.returns]() {
    prefetchRead(returnSummary, {})
    prefetchList(listReturns, whole)
  },
  [consolePaths.monitoring]() {
    prefetchList(listCases, whole)
  },
  [consolePaths.identity]() {
    prefetchList(listChecks, whole)
  },
  [consolePaths.screening]() {
    prefetchRead(listSanctionsLists, {})
    prefetchList(listMatches, whole)
  },
  [consolePaths.cashFlow]: () => prefetchRead(getCashFlow, {}),
  [consolePaths.journal]: () => prefetchRead(getJournal, {}),
  [consolePaths.reserves]: () => prefetchRead(listReserves, {}),
  [consolePaths.publicProof]: () => prefetchRead(proofStatus, {}),
  [consolePaths.prices]: () => prefetchRead(listPriceSources, {}),
  [consolePaths.planEarnings()]: () => prefetchRead(listCatalogue, {}),
  [consolePaths.plans]: () => prefetchRead(listCatalogue, {}),
  [consolePaths.firm]: () => prefetchList(listFirmVersions, { limit: versionsAtOnce }),
  [consolePaths.statistics]: () => prefetchRead(listStatistics, {}),
  [consolePaths.policies]: () => prefetchList(listPolicies, whole),
  [consolePaths.announcements]: () => prefetchList(listAnnouncements, whole),
  [consolePaths.messages]() {
    prefetchList(listContactMessages, whole)
    prefetchRead(listTeam, {})
  },
  [consolePaths.answers]: () => prefetchRead(listAnswers, {}),
  [consolePaths.staff]() {
    prefetchList(listStaff, whole)
    prefetchRead(getSettings, {})
  },
  [consolePaths.integrations]() {
    prefetchList(listApiKeys, whole)
    prefetchList(listWebhooks, whole)
    prefetchList(listDeliveries, whole)
    prefetchRead(getSettings, {})
  },
  [consolePaths.brand]() {
    prefetchRead(getBrand, {})
    prefetchRead(getSettings, {})
  },
  [consolePaths.settings]: () => prefetchRead(getSettings, {}),
  [paths.admin.profile]: () => prefetchRead(me, {}),
}

/** Prefetches the reads of a menu page. */
export function readPage(path: string) {
  reads[path]?.()
}
