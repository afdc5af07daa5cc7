import { z } from 'zod'
import { maximumPdfLines } from '#shared/limits.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { statementAccounts, statementKinds, statementLine } from './entities.ts'
import { day, id, timestamp, timeZone, usd } from './fields.ts'

/** Which part of whose statement. Days are whole days of the zone, the last one included. */
const statementFilter = z.object({
  /** Another's than the caller's own: for admins. */
  userId: id.optional(),
  account: z
    .enum(statementAccounts, { error: `Account must be one of ${statementAccounts.join(', ')}` })
    .optional(),
  kind: z.enum(statementKinds, { error: `Kind must be one of ${statementKinds.join(', ')}` }).optional(),
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
    "One's own postings, the newest first, narrowed to an account, a kind and a period; an admin may name a user",
  message: 'Statement',
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
    'What a period comes to: opening balance, what came in and went out and for what, closing balance. Of one account, or of all together; then moves between them are neither in nor out',
  message: 'Summary of the statement',
  query: statementFilter.omit({ kind: true }),
  data: z.object({
    opening: usd,
    in: usd,
    out: usd,
    /** opening + in - out, to the cent. */
    closing: usd,
    /** Postings of each kind, and its part of `in` and `out`. */
    kinds: z.array(z.object({ kind: z.enum(statementKinds), lines: z.int(), in: usd, out: usd })),
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
    'The statement as CSV (RFC 4180, UTF-8 with a byte order mark), the newest first: every posting of the period, however many',
  message: 'Statement as CSV',
  query: statementFilter,
  data: fileContent,
  refusals: ['forbidden'],
})

export const statementPdf = defineCall({
  id: 'ledger.statementPdf',
  method: 'GET',
  path: '/ledger/statement.pdf',
  permission: 'account',
  file: 'application/pdf',
  summary: `The account statement as PDF, each account by itself, the oldest first; ${maximumPdfLines} postings at most`,
  message: 'Statement as PDF',
  query: statementFilter,
  data: fileContent,
  refusals: ['forbidden', 'not_found'],
})
