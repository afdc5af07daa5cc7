import { z } from 'zod'
import { defineCall, listQuery } from './define.ts'
import { realisedReturn } from './entities.ts'
import { textLine, usd, usdAmount } from './fields.ts'

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
  summary: 'All recorded returns, the newest first',
  message: 'Recorded returns',
  query: listQuery,
  data: z.array(realisedReturn),
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
