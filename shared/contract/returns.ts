import { z } from 'zod'
import { evidenceTypes } from '#shared/evidence.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { maximumEvidenceBytes } from '#shared/limits.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { evidenceFile, historyEntry, type RealisedReturn, realisedReturn } from './entities.ts'
import {
  id,
  idParams,
  optionalReasonBody,
  reasonBody,
  recordId,
  textLine,
  timestamp,
  usd,
  usdAmount,
} from './fields.ts'
import { returnFile, returnTable } from './tables.ts'

export const newReturn = defineCall({
  id: 'return.new',
  method: 'POST',
  path: '/return/new',
  permission: 'decide',
  money: true,
  summary:
    'Records a return that the firm has realised, with its source and evidence. Beyond what one person may record alone in 24 hours, it is pending until a second person approves it (D1.2)',
  message: msg('Return recorded'),
  messageFor: ({ status }: RealisedReturn) =>
    status === 'pending' ? t('Return submitted. A second person must approve it') : undefined,
  body: z.object({
    amount: usdAmount,
    /** The deal or asset that earned it. */
    source: textLine(msg('Source'), 200),
    /** The day it was realised, not in the future. */
    realisedAt: z.iso.date({ error: () => t('Enter the date as YYYY-MM-DD') }),
    /** An http(s) link or a transaction id; omitted if a file is the evidence. */
    evidence: textLine(msg('Evidence'), 500).optional(),
    /** The id from `return.uploadEvidence`, instead. */
    evidenceFile: id.optional(),
  }),
  data: realisedReturn,
})

export const approveReturn = defineCall({
  id: 'return.approve',
  method: 'POST',
  path: '/return/approve/:id',
  permission: 'decide',
  money: true,
  summary:
    "The second person's approval of a large return: pending → recorded. Earnings can then be paid from it",
  message: msg('Return approved'),
  params: idParams,
  body: optionalReasonBody,
  data: realisedReturn,
  refusals: ['not_found', 'wrong_state', 'same_approver'],
})

export const declineReturn = defineCall({
  id: 'return.decline',
  method: 'POST',
  path: '/return/decline/:id',
  permission: 'decide',
  money: true,
  summary:
    'Declines a pending return, with a reason; the person who submitted it may do so too. It never pays anything',
  message: msg('Return declined'),
  params: idParams,
  body: reasonBody,
  data: realisedReturn,
  refusals: ['not_found', 'wrong_state'],
})

export const proposeVoid = defineCall({
  id: 'return.proposeVoid',
  method: 'POST',
  path: '/return/propose-void/:id',
  permission: 'decide',
  money: true,
  summary:
    'Proposes to void a return that is wrong, as far as it is not paid out. Until the decision it pays nothing',
  message: msg('Proposed. A second person must decide whether this return is voided'),
  params: idParams,
  body: reasonBody,
  data: realisedReturn,
  refusals: ['not_found', 'wrong_state'],
})

export const voidReturn = defineCall({
  id: 'return.void',
  method: 'POST',
  path: '/return/void/:id',
  permission: 'decide',
  money: true,
  summary:
    "The second person's approval of a proposed void: what the return has not paid leaves the recorded returns",
  message: msg('Return voided'),
  params: idParams,
  body: optionalReasonBody,
  data: realisedReturn,
  refusals: ['not_found', 'wrong_state', 'same_approver'],
})

export const rejectVoid = defineCall({
  id: 'return.rejectVoid',
  method: 'POST',
  path: '/return/reject-void/:id',
  permission: 'decide',
  money: true,
  summary:
    'Rejects a proposed void, so that the return pays earnings again: by the person who proposed it, or by one who neither recorded nor approved the return',
  message: msg('Void rejected. Earnings can be paid from this return again'),
  params: idParams,
  body: reasonBody,
  data: realisedReturn,
  refusals: ['not_found', 'wrong_state', 'same_approver'],
})

export const uploadEvidence = defineCall({
  id: 'return.uploadEvidence',
  method: 'POST',
  path: '/return/evidence',
  permission: 'decide',
  upload: { field: 'evidence', types: evidenceTypes, maximumBytes: maximumEvidenceBytes },
  summary: `Uploads a PDF or PNG of at most ${maximumEvidenceBytes / 1024 / 1024} MB as evidence for a return about to be recorded; the request's body is the file itself. It is removed unless a return names it within a day (D1.2)`,
  message: msg('File uploaded'),
  query: z.object({ name: textLine(msg('Name of the file'), 255) }),
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
  message: msg('Evidence'),
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
  summary:
    "All returns, the newest first unless sorted; the period filters by the day realised; 'status' is a return's status or 'undecided'",
  message: msg('Recorded returns'),
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
  message: msg('Recorded returns as CSV'),
  query: returnFile,
  data: fileContent,
})

export const returnSummary = defineCall({
  id: 'return.summary',
  method: 'GET',
  path: '/return/summary',
  permission: 'account',
  summary: 'Totals recorded and not voided, paid out, and left to pay out, from the ledger (D1.2)',
  message: msg('Recorded returns'),
  data: z.object({
    recorded: usd,
    paidOut: usd,
    /** Recorded − paid out − `voidProposed`. */
    left: usd,
    /** What someone proposes to void. It pays nothing until the decision. */
    voidProposed: usd,
    asOf: z.string(),
    /** For those who decide: the most that one person records alone in 24 hours, and how much of it the caller has left. */
    alone: z.object({ limit: usd, left: usd }).nullable(),
    /** For staff: the oldest return with money left, which pays the next earning first. */
    next: realisedReturn.pick({ source: true, realisedAt: true }).nullable(),
  }),
})

export const getReturn = defineCall({
  id: 'return.getOne',
  method: 'GET',
  path: '/return/get-one/:id',
  permission: 'console',
  summary: 'One return with its history',
  message: msg('Recorded return'),
  params: idParams,
  data: realisedReturn.extend({
    history: z.array(historyEntry),
    sealedInEpoch: z
      .int()
      .nullable()
      .describe(
        'The epoch of the public proof that has it, with the hash of its file; null until it has ended',
      ),
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
  message: msg('Paid out of this return'),
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
