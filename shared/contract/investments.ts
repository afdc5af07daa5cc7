import { z } from 'zod'
import { investmentMethods } from '#shared/coins.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { checkKinds } from '#shared/identity.ts'
import { bulkCall, bulkRecords, bulkSummary } from './bulk.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { manualReceiptBody } from './deposits.ts'
import { deposit, earning, investment, trail } from './entities.ts'
import {
  idParams,
  optionalReasonBody,
  planVersion,
  quoteToken,
  reason,
  reasonBody,
  textLine,
  timeZone,
  usdAmount,
} from './fields.ts'
import { investmentFile, investmentTable } from './tables.ts'

export const newInvestment = defineCall({
  id: 'investment.new',
  method: 'POST',
  path: '/investment/new',
  permission: 'account',
  verified: true,
  money: true,
  summary:
    'Requests an investment: in crypto it comes with a payment request; from the balance the money is held',
  message: msg('Investment initiated successfully'),
  body: z.object({
    method: z.enum(investmentMethods, { error: () => t('Choose a payment method from the list') }),
    /** A plan's name ('Beginner') or its id. */
    plan: textLine(msg('Plan'), 60),
    /** The version of the plan that was shown: another one is refused, with both terms in the message. */
    planVersion: planVersion.optional(),
    amount: usdAmount,
    /** From `deposit.quote` for this plan, if paid in crypto. */
    quote: quoteToken.optional(),
  }),
  data: investment.extend({ deposit: deposit.nullable() }),
  refusals: [
    'account_frozen',
    'email_not_verified',
    'insufficient_funds',
    'rate_unavailable',
    'method_paused',
    'quote_expired',
    'not_found',
    'wrong_state',
  ],
})

export const approveInvestment = defineCall({
  id: 'investment.approve',
  method: 'POST',
  path: '/investment/approve/:id',
  permission: 'decide',
  money: true,
  summary: 'pending → active: settles its payment or posts its hold, and locks the money in the plan (D6)',
  message: msg('Investment approved'),
  params: idParams,
  /** If paid in crypto. Refused if it does not cover the investment: approve its deposit then. */
  body: manualReceiptBody,
  data: investment,
  refusals: ['account_frozen', 'not_found', 'wrong_state', 'own_request', 'transaction_reused'],
})

export const closeInvestment = defineCall({
  id: 'investment.close',
  method: 'POST',
  path: '/investment/close/:id',
  permission: 'decide',
  money: true,
  summary:
    'active → inactive: the principal goes back to the available balance (D6). The investor reads the reason, required before the ending date',
  message: msg('Investment closed'),
  params: idParams,
  body: optionalReasonBody,
  data: investment,
  refusals: ['account_frozen', 'not_found', 'wrong_state', 'own_request'],
})

export const reinvestInvestment = defineCall({
  id: 'investment.reinvest',
  method: 'POST',
  path: '/investment/reinvest/:id',
  permission: 'account',
  verified: true,
  money: true,
  summary:
    "Sets whether the principal of the caller's active investment is invested again when we close it after its ending date: as a new pending investment of the same amount in the same plan, if its terms are the same then. Off by default, and can be changed until then",
  message: msg('Reinvestment changed'),
  messageFor: ({ reinvestment }: { reinvestment: string | null }) =>
    reinvestment === null
      ? t('Your principal returns to your balance at the end')
      : t('At the end, we request a new investment of your principal'),
  params: idParams,
  body: z.strictObject({ reinvest: z.boolean({ error: () => t('Say whether to reinvest') }) }),
  data: investment,
  refusals: ['forbidden', 'invalid_input', 'wrong_state'],
})

export const declineInvestment = defineCall({
  id: 'investment.decline',
  method: 'POST',
  path: '/investment/decline/:id',
  permission: 'decide',
  money: true,
  summary:
    'pending → declined with a reason that the investor reads; held or received money is available again',
  message: msg('Investment declined'),
  params: idParams,
  body: reasonBody,
  data: investment,
  refusals: ['not_found', 'wrong_state'],
})

export const approveInvestments = defineCall({
  ...bulkCall,
  id: 'investment.approveMany',
  path: '/investment/approve-many',
  summary: bulkSummary('investment.approve'),
  message: msg('Investments processed'),
  body: z.strictObject({ records: bulkRecords({}), reason: reason.optional() }),
})

export const closeInvestments = defineCall({
  ...bulkCall,
  id: 'investment.closeMany',
  path: '/investment/close-many',
  summary: bulkSummary('investment.close'),
  message: msg('Investments processed'),
  body: z.strictObject({ records: bulkRecords({}), reason: reason.optional() }),
})

export const declineInvestments = defineCall({
  ...bulkCall,
  id: 'investment.declineMany',
  path: '/investment/decline-many',
  summary: bulkSummary('investment.decline'),
  message: msg('Investments processed'),
  body: z.strictObject({ records: bulkRecords({}), reason }),
})

export const listOwnInvestments = defineCall({
  id: 'investment.listOwn',
  method: 'GET',
  path: '/investment/get-all-user',
  permission: 'account',
  list: true,
  summary: "The caller's investments, the newest first",
  message: msg('Your investments'),
  query: listQuery,
  data: z.array(investment),
})

export const listInvestments = defineCall({
  id: 'investment.list',
  method: 'GET',
  path: '/investment/get-all',
  permission: 'console',
  list: true,
  summary:
    "All investments, the newest first unless sorted; 'status' also takes 'matured' (active, past its ending date) and 'cancelled' (by the investor), 'q' also an id",
  message: msg('Investments'),
  query: investmentTable,
  data: z.array(investment),
})

export const investmentsCsv = defineCall({
  id: 'investment.csv',
  method: 'GET',
  path: '/investment/get-all.csv',
  permission: 'console',
  file: 'text/csv',
  summary:
    'Investments as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows',
  message: msg('Investments as CSV'),
  query: investmentFile,
  data: fileContent,
})

export const investmentLetter = defineCall({
  id: 'investment.letter',
  method: 'GET',
  path: '/investment/letter/:id',
  permission: 'account',
  file: 'application/pdf',
  summary:
    "A letter as PDF that confirms one of the caller's approved investments: plan, version, amount, dates, state and target; staff may read any",
  message: msg('Confirmation letter'),
  params: idParams,
  query: z.object({ zone: timeZone.default('UTC') }),
  data: fileContent,
  refusals: ['forbidden', 'not_found', 'wrong_state'],
})

export const getInvestment = defineCall({
  id: 'investment.getOne',
  method: 'GET',
  path: '/investment/get-one/:id',
  permission: 'account',
  summary:
    "One of the caller's investments with its payment, earnings, postings and history; staff may read any",
  message: msg('Investment'),
  params: idParams,
  data: investment.extend({
    deposit: deposit.nullable(),
    earnings: z.array(earning),
    /** Of a pending one: what its owner must prove before it goes on, or null. */
    waitsFor: z.enum(checkKinds).nullable(),
    ...trail.shape,
  }),
  refusals: ['forbidden', 'not_found'],
})
