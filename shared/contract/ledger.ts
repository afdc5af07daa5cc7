import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { maximumPdfLines, mostEndings, seriesPoints } from '#shared/limits.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { statementAccounts, statementKinds, statementLine } from './entities.ts'
import { day, id, timestamp, timeZone, usd } from './fields.ts'

/** Whose statement, and which part of it: whole days of the zone, both included. */
const statementFilter = z.object({
  /** Another account than the caller's own, for staff who may read the books. */
  userId: id.optional(),
  account: z
    .enum(statementAccounts, {
      error: () => t('Account must be one of {choices}', { choices: statementAccounts.join(', ') }),
    })
    .optional(),
  kind: z
    .enum(statementKinds, {
      error: () => t('Kind must be one of {choices}', { choices: statementKinds.join(', ') }),
    })
    .optional(),
  from: day.optional(),
  to: day.optional(),
  zone: timeZone.default('UTC'),
})
export type StatementFilter = z.output<typeof statementFilter>

export const statement = defineCall({
  id: 'ledger.statement',
  method: 'GET',
  path: '/ledger/statement',
  permission: 'account',
  list: true,
  summary:
    "The caller's postings, newest first, filtered by account, kind and period; staff who may read the books can name a user",
  message: msg('Statement'),
  query: listQuery.pick({ limit: true, cursor: true }).extend(statementFilter.shape),
  data: z.array(statementLine),
  refusals: ['forbidden'],
})

export const statementSummary = defineCall({
  id: 'ledger.summary',
  method: 'GET',
  path: '/ledger/summary',
  permission: 'account',
  summary:
    'Totals of a period: opening balance, money in and out by purpose, closing balance. For one account, or for all together without transfers between them',
  message: msg('Summary of the statement'),
  query: statementFilter.omit({ kind: true }),
  data: z.object({
    opening: usd,
    in: usd,
    out: usd,
    /** opening + in - out, to the cent. */
    closing: usd,
    /** Postings of each kind, with its parts of `in` and `out`. */
    kinds: z.array(z.object({ kind: z.enum(statementKinds), lines: z.int(), in: usd, out: usd })),
    asOf: timestamp,
  }),
  refusals: ['forbidden'],
})

const period = statementFilter.pick({ userId: true, from: true, to: true, zone: true })

/** The interval between the points of a series. */
export const seriesSteps = ['day', 'week', 'month'] as const
export type SeriesStep = (typeof seriesSteps)[number]

export const balanceSeries = defineCall({
  id: 'ledger.balances',
  method: 'GET',
  path: '/ledger/balances',
  permission: 'account',
  summary: `Closing balances over a period: of each day, or of each week (to Sunday) or month where that would be more than ${seriesPoints} points; what others paid in and were paid in it, and the return`,
  message: msg('Balances over time'),
  query: period,
  data: z.object({
    step: z.enum(seriesSteps).describe('The interval between two points; the last one may be shorter'),
    points: z
      .array(
        z.object({
          /** YYYY-MM-DD: balances at the end of the day, or now for today. */
          day: z.string(),
          available: usd,
          invested: usd,
          held: usd,
          /** available + invested + held */
          total: usd,
          /** All that was paid in by then, less all that was withdrawn: total less all earnings. Negative if more was withdrawn. */
          netPaidIn: usd,
        }),
      )
      .describe(
        'The first point is the balance before the period; no points if no money had moved by its end',
      ),
    /** Deposits, and payments for investments. */
    paidIn: usd,
    earned: usd,
    paidOut: usd.describe('The first total + paidIn + earned - paidOut is the last total, to the cent'),
    returns: z
      .object({
        timeWeighted: z
          .number()
          .nullable()
          .describe("Chains each step's earnings ÷ the funds before it and all that was paid in during it"),
        moneyWeighted: z
          .number()
          .nullable()
          .describe(
            'The rate at which the opening funds, and what was paid in and out, each for the time that was left, grow to the closing funds',
          ),
      })
      .describe('Returns over the whole period in percent, not annualised; null without funds to earn'),
    asOf: timestamp,
  }),
  refusals: ['forbidden'],
})

export const earningsByMonth = defineCall({
  id: 'ledger.earnings',
  method: 'GET',
  path: '/ledger/earnings',
  permission: 'account',
  summary: 'Earnings in each month of a period, including months without any',
  message: msg('Earnings by month'),
  query: period,
  data: z.object({
    months: z.array(
      z.object({
        /** YYYY-MM; the first and the last month count only as far as they are in the period. */
        month: z.string(),
        earned: usd,
      }),
    ),
    total: usd,
    asOf: timestamp,
  }),
  refusals: ['forbidden'],
})

export const allocation = defineCall({
  id: 'ledger.allocation',
  method: 'GET',
  path: '/ledger/allocation',
  permission: 'account',
  summary: "Where the caller's money is now: in each plan, available, and on hold",
  message: msg('Allocation'),
  query: statementFilter.pick({ userId: true }),
  data: z.object({
    plans: z.array(z.object({ plan: z.string(), investments: z.int(), amount: usd })),
    available: usd,
    held: usd,
    /** All of them together. */
    total: usd,
    next: z
      .object({ investments: z.int(), endingDate: timestamp, amount: usd })
      .nullable()
      .describe(
        'The active investments that have ended, or else those that end on the first day (UTC), with the first ending date: their principal returns next',
      ),
    endings: z
      .array(
        z.object({
          /** YYYY-MM-DD in UTC. */
          day: z.string(),
          investments: z.int(),
          amount: usd,
          reinvested: usd.describe('The part that its owner wants to invest again'),
          returned: usd.describe('amount - reinvested'),
        }),
      )
      .describe(
        `Principal of active investments by the day on which they end, the first ${mostEndings} days`,
      ),
    asOf: timestamp,
  }),
  refusals: ['forbidden'],
})

export const statementCsv = defineCall({
  id: 'ledger.statementCsv',
  method: 'GET',
  path: '/ledger/statement.csv',
  permission: 'account',
  file: 'text/csv',
  summary:
    'The statement as CSV (RFC 4180, UTF-8 with a byte order mark), newest first: every posting of the period, without a limit',
  message: msg('Statement as CSV'),
  query: statementFilter,
  data: fileContent,
  refusals: ['forbidden'],
})

/** A calendar year of the zone; the current one until today. */
const yearFilter = statementFilter.pick({ userId: true, zone: true }).extend({
  year: z.coerce
    .number({ error: () => t('Choose a year, such as 2026') })
    .int({ error: () => t('Choose a year, such as 2026') })
    .min(2000, { error: () => t('Choose a year from 2000 on') })
    .max(2199, { error: () => t('Choose an earlier year') }),
})
export type YearFilter = z.output<typeof yearFilter>

export const yearCsv = defineCall({
  id: 'ledger.yearCsv',
  method: 'GET',
  path: '/ledger/year.csv',
  permission: 'account',
  file: 'text/csv',
  summary: `A calendar year as CSV: opening balance, each payment in, earning and paid withdrawal, closing balance; of ${maximumPdfLines} postings at most`,
  message: msg('Yearly statement as CSV'),
  query: yearFilter,
  data: fileContent,
  refusals: ['forbidden'],
})

export const yearPdf = defineCall({
  id: 'ledger.yearPdf',
  method: 'GET',
  path: '/ledger/year.pdf',
  permission: 'account',
  file: 'application/pdf',
  summary: `A calendar year as PDF: balances at both ends, payments in, earnings by day and source, paid withdrawals; of ${maximumPdfLines} postings at most`,
  message: msg('Yearly statement as PDF'),
  query: yearFilter,
  data: fileContent,
  refusals: ['forbidden', 'not_found'],
})

export const statementPdf = defineCall({
  id: 'ledger.statementPdf',
  method: 'GET',
  path: '/ledger/statement.pdf',
  permission: 'account',
  file: 'application/pdf',
  summary: `The account statement as PDF, each account separately, oldest first; ${maximumPdfLines} postings at most`,
  message: msg('Statement as PDF'),
  query: statementFilter,
  data: fileContent,
  refusals: ['forbidden', 'not_found'],
})
