import { z } from 'zod'
import { evidenceTypes } from '#shared/evidence.ts'
import { maximumEvidenceBytes } from '#shared/limits.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { evidenceFile, historyEntry, realisedReturn } from './entities.ts'
import { id, idParams, recordId, textLine, timestamp, usd, usdAmount } from './fields.ts'
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
    /** The deal or asset that earned it. */
    source: textLine('Source', 200),
    /** The day it was realised, not in the future. */
    realisedAt: z.iso.date('Enter the date as YYYY-MM-DD'),
    /** An http(s) link or a transaction id; omitted if a file is the evidence. */
    evidence: textLine('Evidence', 500).optional(),
    /** The id from `return.uploadEvidence`, instead. */
    evidenceFile: id.optional(),
  }),
  data: realisedReturn,
})

export const uploadEvidence = defineCall({
  id: 'return.uploadEvidence',
  method: 'POST',
  path: '/return/evidence',
  permission: 'decide',
  upload: { types: evidenceTypes, maximumBytes: maximumEvidenceBytes },
  summary: `Uploads a PDF or PNG of at most ${maximumEvidenceBytes / 1024 / 1024} MB as evidence for a return about to be recorded; the request's body is the file itself. It is removed unless a return names it within a day (D1.2)`,
  message: 'File uploaded',
  query: z.object({ name: textLine('Name of the file', 255) }),
  data: evidenceFile.extend({ _id: recordId }),
  refusals: ['payload_too_large', 'unsupported_media_type'],
})

export const returnEvidence = defineCall({
  id: 'return.evidence',
  method: 'GET',
  path: '/return/evidence/:id',
  permission: 'account',
  file: evidenceTypes,
  summary: 'The evidence file of a return, for staff and for investors whose earnings it has paid (D1.2)',
  message: 'Evidence',
  params: idParams,
  data: fileContent,
  refusals: ['forbidden', 'not_found'],
})

export const listReturns = defineCall({
  id: 'return.list',
  method: 'GET',
  path: '/return/get-all',
  permission: 'console',
  list: true,
  summary: 'All recorded returns, the newest first unless sorted; the period filters by the day realised',
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
    'Recorded returns as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows',
  message: 'Recorded returns as CSV',
  query: returnFile,
  data: fileContent,
})

export const returnSummary = defineCall({
  id: 'return.summary',
  method: 'GET',
  path: '/return/summary',
  permission: 'account',
  summary: 'Totals recorded, paid out and left, from the ledger (D1.2)',
  message: 'Recorded returns',
  data: z.object({
    recorded: usd,
    paidOut: usd,
    left: usd,
    asOf: z.string(),
    /** For staff: the oldest return with money left, which pays the next earning first. */
    next: realisedReturn.pick({ source: true, realisedAt: true }).nullable(),
  }),
})

export const getReturn = defineCall({
  id: 'return.getOne',
  method: 'GET',
  path: '/return/get-one/:id',
  permission: 'console',
  summary: 'One recorded return with the amount left and its history',
  message: 'Recorded return',
  params: idParams,
  data: realisedReturn.extend({
    left: usd,
    history: z.array(historyEntry),
  }),
  refusals: ['not_found'],
})

export const listReturnPayments = defineCall({
  id: 'return.payments',
  method: 'GET',
  path: '/return/payments',
  permission: 'console',
  list: true,
  summary: 'The earnings that a recorded return paid, each with its part, the newest first',
  message: 'Paid out of this return',
  query: listQuery.omit({ status: true }).extend({ returnId: id }),
  data: z.array(
    z.object({
      /** The earning's id. */
      _id: recordId,
      user: recordId,
      userName: z.string().nullable(),
      investment: recordId,
      investmentLabel: z.string(),
      /** The part of the earning that this return paid. */
      amount: usd,
      /** The whole earning. */
      earning: usd,
      paidAt: timestamp.nullable(),
    }),
  ),
  refusals: ['not_found'],
})
