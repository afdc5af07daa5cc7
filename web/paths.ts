import type { DepositMethod, InvestmentMethod } from '#shared/coins.ts'

/** Dashboard page that lists a kind of record. */
const listOf = {
  deposit: 'deposit',
  investment: 'investments',
  withdrawal: 'withdrawals',
  earning: 'history',
  message: 'messages',
  goal: 'goals',
}

/** The form to register, with a referral code. */
export const registerWith = (code: string) => `/register${query({ ref: code })}`

/**
 * Every link of the app; `pages.ts` and `site/pages.ts` define the pages. Every page of the app loads these: what only the
 * server needs is in server/paths.ts and shared/policies.ts.
 */
export const paths = {
  home: '/',
  about: '/about',
  plans: '/investment-plans',
  services: '/services',
  contact: '/contact',
  proof: '/proof',
  faq: '/faq',
  login: '/login',
  loginAfterClosing: '/login#closed=1',
  register: '/register',
  /** An email address is legal in a path, except for characters that end the segment. */
  verify: (email: string) => `/verify/${encodeURIComponent(email).replaceAll('%40', '@')}`,
  forgotPassword: '/forgot-password',
  // Email addresses stand in the fragment, which reaches no server and no log (decision 92).
  mailbox: (to?: string) => `/mailbox${fragment({ to })}`,
  dashboard: {
    home: '/dashboard/home',
    profile: '/dashboard/profile',
    security: '/dashboard/security',
    referrals: '/dashboard/referrals',
    closeAccount: '/dashboard/close-account',
    investments: '/dashboard/investments',
    newInvestment: '/dashboard/new-investment',
    /** With what was chosen before. */
    changeInvestment: (from: { plan: string; amount: string; method: InvestmentMethod }) =>
      `/dashboard/new-investment${query(from)}`,
    withdrawals: '/dashboard/withdrawals',
    history: '/dashboard/history',
    statement: '/dashboard/statement',
    deposit: '/dashboard/deposit',
    announcements: '/dashboard/announcements',
    messages: '/dashboard/messages',
    terms: '/dashboard/terms',
    goals: '/dashboard/goals',
    /** A new message, about one of the investor's records or about none. */
    ask: (about = '', record = '') => `/dashboard/messages?new=${about}&record=${record}`,
    /** A record opened over its list (dashboard/record). */
    record: (kind: keyof typeof listOf, id: string) => `/dashboard/${listOf[kind]}${query({ [kind]: id })}`,
    /** Confirms a deposit or, with a plan, an investment (D6). The amount is a plain decimal text. */
    confirmDeposit: (to: { method: DepositMethod | InvestmentMethod; amount: string; plan?: string }) =>
      `/dashboard/confirm-deposit${query(to)}`,
  },
  admin: {
    home: '/admin/home',
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
    prices: '/admin/prices',
    cashFlow: '/admin/cash-flow',
    reserves: '/admin/reserves',
    publicProof: '/admin/public-proof',
    plans: '/admin/plans',
    /** Earnings for all active investments of a plan, or a choice of plans. */
    planEarnings: (plan?: string) => `/admin/plan-earnings${query({ plan })}`,
    announcements: '/admin/announcements',
    policies: '/admin/policies',
    messages: '/admin/messages',
    foundMessage: (id: string) => `/admin/messages${query({ q: id })}`,
    openMessages: '/admin/messages?status=open',
    firm: '/admin/firm',
    statistics: '/admin/statistics',
    audit: '/admin/audit',
    staff: '/admin/staff',
    integrations: '/admin/integrations',
    settings: '/admin/settings',
    profile: '/admin/profile',
    security: '/admin/security',
  },
} as const

function query(values: Record<string, string | undefined>): string {
  return encoded('?', values)
}

function fragment(values: Record<string, string | undefined>): string {
  return encoded('#', values)
}

function encoded(start: '?' | '#', values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `${start}${new URLSearchParams(given)}`
}
