import { query } from './paths.ts'

/** The links of the admin console, besides those of paths.ts. */
export const consolePaths = {
  users: '/admin/users',
  deposits: '/admin/deposits',
  withdrawals: '/admin/withdrawals',
  investments: '/admin/investments',
  earnings: '/admin/earnings',
  /** A list filtered to the rows that need a decision; the focus moves to it. */
  waiting: (list: 'deposits' | 'investments' | 'withdrawals' | 'earnings', status: string) =>
    `/admin/${list}${query({ status })}#${list}`,
  /** A list filtered by a search: a number, a name or an id. */
  found: (list: 'users' | 'deposits' | 'withdrawals' | 'earnings', q: string) =>
    `/admin/${list}${query({ q })}#${list}`,
  user: (id: string) => `/admin/user${query({ id })}`,
  deposit: (id: string) => `/admin/deposit${query({ id })}`,
  investment: (id: string) => `/admin/investment${query({ id })}`,
  withdrawal: (id: string) => `/admin/withdrawal${query({ id })}`,
  payouts: '/admin/payouts',
  /** Batches with alerts. */
  payoutsToReview: '/admin/payouts?payouts=faulty#payouts',
  outgoing: '/admin/payouts#outgoing',
  payout: (id: string) => `/admin/payout${query({ id })}`,
  recordedReturn: (id: string) => `/admin/return${query({ id })}`,
  returns: '/admin/returns',
  returnsToDecide: '/admin/returns?returns=undecided#returns',
  screening: '/admin/screening',
  nameMatch: (id: string) => `/admin/match${query({ id })}`,
  /** Matches that staff have not decided. */
  matchesToDecide: '/admin/screening?matches=open#matches',
  /** The matches of a user. */
  matchesOf: (id: string) => `/admin/screening?matches-q=${id}#matches`,
  monitoring: '/admin/monitoring',
  monitoringCase: (id: string) => `/admin/case${query({ id })}`,
  /** Cases that staff have not decided. */
  casesToDecide: '/admin/monitoring?cases=open#cases',
  /** The cases of a user. */
  casesOf: (id: string) => `/admin/monitoring?cases-q=${id}#cases`,
  identity: '/admin/identity',
  identityCheck: (id: string) => `/admin/check${query({ id })}`,
  /** Checks that staff have not decided. */
  checksToDecide: '/admin/identity?checks=waiting#checks',
  /** The checks of a user. */
  checksOf: (id: string) => `/admin/identity?checks-q=${id}#checks`,
  prices: '/admin/prices',
  cashFlow: '/admin/cash-flow',
  journal: '/admin/journal',
  reserves: '/admin/reserves',
  publicProof: '/admin/public-proof',
  plans: '/admin/plans',
  /** Earnings for all active investments of a plan, or a choice of plans. */
  planEarnings: (plan?: string) => `/admin/plan-earnings${query({ plan })}`,
  announcements: '/admin/announcements',
  policies: '/admin/policies',
  messages: '/admin/messages',
  answers: '/admin/answers',
  foundMessage: (id: string) => `/admin/messages${query({ q: id })}`,
  openMessages: '/admin/messages?status=open',
  firm: '/admin/firm',
  statistics: '/admin/statistics',
  audit: '/admin/audit',
  staff: '/admin/staff',
  integrations: '/admin/integrations',
  brand: '/admin/brand',
  settings: '/admin/settings',
} as const

/** The page that shows a record, by its kind: its own, or the list in which it is found. */
const pages = {
  user: consolePaths.user,
  deposit: consolePaths.deposit,
  investment: consolePaths.investment,
  withdrawal: consolePaths.withdrawal,
  earning: id => consolePaths.found('earnings', id),
  payout: consolePaths.payout,
  return: consolePaths.recordedReturn,
  match: consolePaths.nameMatch,
  case: consolePaths.monitoringCase,
  check: consolePaths.identityCheck,
  message: consolePaths.foundMessage,
} satisfies Record<string, (id: string) => string>

export type RecordKind = keyof typeof pages

export function recordPage(kind: RecordKind, id: string): string {
  return pages[kind](id)
}

/** Undefined for what is no record, or has no page. */
export function pageOfAny(kind: string, id: string): string | undefined {
  return Object.hasOwn(pages, kind) ? recordPage(kind as RecordKind, id) : undefined
}
