import { z } from 'zod'
import { defineCall, fileContent } from './define.ts'
import { realisedReturn } from './entities.ts'
import { textLine, usd, usdAmount } from './fields.ts'
import { returnFile, returnTable } from './tables.ts'

export const newReturn = defineCall({
  id: 'return.new',
  method: 'POST',
  path: '/return/new',
  permission: 'decide',
  money: true,
  summary: 'Records a return that the firm has realised, with its source and evidence (D1.2)',
  message: 'Return recorded',
  body: z.object({
    amount: usdAmount,
    /** What the firm earned it on. */
    source: textLine('Source', 200),
    /** The day it was realised, not in the future. */
    realisedAt: z.iso.date('Enter the date as YYYY-MM-DD'),
    /** An http(s) link or a transaction id. */
    evidence: textLine('Evidence', 500),
  }),
  data: realisedReturn,
  refusals: ['idempotency_key_reused'],
})

export const listReturns = defineCall({
  id: 'return.list',
  method: 'GET',
  path: '/return/get-all',
  permission: 'console',
  list: true,
  summary:
    'All recorded returns, the newest first unless sorted; its period is of the days they were realised',
  message: 'Recorded returns',
  query: returnTable,
  data: z.array(realisedReturn),
})

export const returnsCsv = defineCall({
  id: 'return.csv',
  method: 'GET',
  path: '/return/get-all.csv',
  permission: 'console',
  file: 'text/csv',
  summary:
    'Recorded returns as CSV (RFC 4180, UTF-8 with a byte order mark), narrowed and sorted as the list: every row, however many',
  message: 'Recorded returns as CSV',
  query: returnFile,
  data: fileContent,
})

export const returnSummary = defineCall({
  id: 'return.summary',
  method: 'GET',
  path: '/return/summary',
  permission: 'account',
  summary: 'What is recorded, paid out and left, from the ledger (D1.2)',
  message: 'Recorded returns',
  data: z.object({
    recorded: usd,
    paidOut: usd,
    left: usd,
    asOf: z.string(),
    /** For admins: the oldest return of which something is left, which the next earning is paid out of first. */
    next: realisedReturn.pick({ source: true, realisedAt: true }).nullable(),
  }),
})
