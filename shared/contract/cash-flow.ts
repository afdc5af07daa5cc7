import { z } from 'zod'
import { msg } from '#shared/i18n/t.ts'
import { defineCall, fileContent } from './define.ts'
import { cryptoText, timestamp, usd } from './fields.ts'

/** What falls due beside what the firm holds, and where its money came from and went (decision 153). */

/** A day of UTC, YYYY-MM-DD, or a month, YYYY-MM. */
const period = z.string()
const principal = z.object({ investments: z.int(), amount: usd })

const heldCoin = z.object({
  asset: z.string(),
  /** On the watched addresses; null without a reading. */
  amountCrypto: cryptoText.nullable(),
  /** The oldest reading of it. */
  at: timestamp.nullable(),
  /** At most what the books hold of it; null if `unknown` says why. */
  amount: usd.nullable(),
  unknown: z.enum(['no_reading', 'old_reading', 'no_rate', 'old_rate']).nullable(),
})

/** When the sum exceeds the known coins: at once, in the week that begins on `week`, or not in these weeks (null). */
const excess = z.object({ now: z.boolean(), week: period, missing: usd }).nullable()

export const getCashFlow = defineCall({
  id: 'console.cashFlow',
  method: 'GET',
  path: '/console/cash-flow',
  permission: 'console',
  summary:
    'Principal and withdrawals due in the coming 26 weeks beside the coins held, money in and out by month, and how what is owed is distributed',
  message: msg('Cash flow'),
  data: z.object({
    held: z.object({
      coins: z.array(heldCoin),
      known: usd.describe('Sum of the coins whose amount is known'),
    }),
    /** Requested, but not paid yet. */
    withdrawals: z.object({ pending: usd, approved: usd }),
    /** What investors can withdraw at any time. */
    available: usd,
    /** On hold for pending investments, which investors can cancel at any time. */
    onHold: usd,
    /** Recorded returns that have not been paid out: the only source of earnings. */
    returnsLeft: usd,
    /** Plans that have ended and are not closed. */
    ended: principal,
    weeks: z.array(
      principal.extend({
        from: period,
        /** Withdrawals, ended plans and the principal up to the end of this week. */
        due: usd,
      }),
    ),
    /** Principal that falls due after these weeks. */
    later: principal,
    exceeds: z.object({
      due: excess,
      /** The same if investors also cancel pending investments and withdraw all that is available. */
      withAvailable: excess,
    }),
    /** The newest twelve months, this one included, by UTC days. */
    months: z.array(
      z.object({
        month: period,
        deposits: usd.describe('Credited, less reversals'),
        withdrawals: usd,
        earnings: usd,
        returns: usd.describe('Recorded, less voided'),
      }),
    ),
    /** Investors by the month of their first credited deposit, the newest first. */
    cohorts: z.array(
      z.object({
        month: period,
        investors: z.int(),
        paidIn: usd,
        earned: usd,
        withdrawn: usd,
        available: usd.describe('On hold included'),
        invested: usd,
      }),
    ),
    /** When the cohorts were measured: up to ten minutes before the rest. */
    cohortsAsOf: timestamp,
    concentration: z.object({
      owed: usd,
      investors: z.int(),
      /** What we owe to so many investors, those to whom we owe most. */
      largest: z.array(z.object({ investors: z.int(), amount: usd })),
      plans: z.array(principal.extend({ plan: z.string() })),
    }),
    asOf: timestamp,
  }),
})
export type CashFlow = z.output<typeof getCashFlow.data>

export const cashFlowCsv = defineCall({
  id: 'console.cashFlowCsv',
  method: 'GET',
  path: '/console/cash-flow.csv',
  permission: 'console',
  file: 'text/csv',
  summary: 'The figures of the cash flow as CSV (RFC 4180, UTF-8 with a byte order mark), one figure a line',
  message: msg('Cash flow as CSV'),
  data: fileContent,
})
