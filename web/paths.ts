import type { DepositMethod, InvestmentMethod } from '#shared/coins.ts'
import { publicPath } from './language.ts'

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
  /** The public pages have the language in their address. */
  get home() {
    return publicPath('/')
  },
  get about() {
    return publicPath('/about')
  },
  get plans() {
    return publicPath('/investment-plans')
  },
  get services() {
    return publicPath('/services')
  },
  get contact() {
    return publicPath('/contact')
  },
  get proof() {
    return publicPath('/proof')
  },
  get faq() {
    return publicPath('/faq')
  },
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
    identity: '/dashboard/identity',
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
  /** The rest of the console's are in console-paths.ts, which investors need not load. */
  admin: { home: '/admin/home', profile: '/admin/profile', security: '/admin/security' },
} as const

export function query(values: Record<string, string | undefined>): string {
  return encoded('?', values)
}

function fragment(values: Record<string, string | undefined>): string {
  return encoded('#', values)
}

function encoded(start: '?' | '#', values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `${start}${new URLSearchParams(given)}`
}
