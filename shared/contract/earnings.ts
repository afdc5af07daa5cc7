import { z } from 'zod'
import { defineCall, fileContent, listQuery } from './define.ts'
import { earning, earningReturn, trail } from './entities.ts'
import { id, idParams, reasonBody, textLine, usdAmount } from './fields.ts'
import { earningFile, earningTable } from './tables.ts'

export const addEarning = defineCall({
  id: 'earning.add',
  method: 'POST',
  path: '/earning/add/:userId',
  permission: 'decide',
  money: true,
  summary:
    'Pays earnings out of the recorded returns to a user with an active investment; without an amount, what his active investments have accrued (D7)',
  message: 'Earnings added',
  params: z.object({ userId: id }),
  /** Strict: without an amount all that has accrued is paid, so a misspelt `amount` must not pass as none. */
  body: z.strictObject({
    amount: usdAmount.optional(),
    investmentId: id.optional(),
    note: textLine('Note', 300).optional(),
  }),
  data: z.array(earning),
  refusals: ['not_found', 'no_active_investment', 'nothing_accrued', 'insufficient_returns', 'own_request'],
})

export const approveEarning = defineCall({
  id: 'earning.approve',
  method: 'POST',
  path: '/earning/approve/:id',
  permission: 'decide',
  money: true,
  summary: "The second admin's approval where it is configured: pending → paid (D7)",
  message: 'Earning approved',
  params: idParams,
  data: earning,
  refusals: ['not_found', 'wrong_state', 'same_approver', 'own_request', 'insufficient_returns'],
})

export const declineEarning = defineCall({
  id: 'earning.decline',
  method: 'POST',
  path: '/earning/decline/:id',
  permission: 'decide',
  money: true,
  summary:
    'pending → declined with a reason that the investor sees, also by the admin who added it; what it would have paid accrues again (D7)',
  message: 'Earning declined',
  params: idParams,
  body: reasonBody,
  data: earning,
  refusals: ['not_found', 'wrong_state'],
})

export const listOwnEarnings = defineCall({
  id: 'earning.listOwn',
  method: 'GET',
  path: '/earning/get-all-user',
  permission: 'account',
  list: true,
  summary: "One's own earnings, the newest first",
  message: 'Your earnings',
  query: listQuery,
  data: z.array(earning),
})

export const listEarnings = defineCall({
  id: 'earning.list',
  method: 'GET',
  path: '/earning/get-all',
  permission: 'console',
  list: true,
  summary: 'All earnings, the newest first unless sorted',
  message: 'Earnings',
  query: earningTable,
  data: z.array(earning),
})

export const earningsCsv = defineCall({
  id: 'earning.csv',
  method: 'GET',
  path: '/earning/get-all.csv',
  permission: 'console',
  file: 'text/csv',
  summary:
    'Earnings as CSV (RFC 4180, UTF-8 with a byte order mark), narrowed and sorted as the list: every row, however many',
  message: 'Earnings as CSV',
  query: earningFile,
  data: fileContent,
})

export const getEarning = defineCall({
  id: 'earning.getOne',
  method: 'GET',
  path: '/earning/get-one/:id',
  permission: 'account',
  summary:
    "One of one's own earnings with the recorded returns that paid it, its postings and history; an admin may ask for any",
  message: 'Earning',
  params: idParams,
  data: earning.extend({ ...trail.shape, returns: z.array(earningReturn) }),
  refusals: ['forbidden', 'not_found'],
})
