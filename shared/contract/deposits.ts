import { z } from 'zod'
import { depositMethods } from '#shared/coins.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { bulkCall, bulkRecords, bulkSummary } from './bulk.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { deposit, depositFlags, depositTransfer, deviations, paymentRequest, trail } from './entities.ts'
import {
  coinAmountText,
  cryptoText,
  idParams,
  moment,
  optionalReasonBody,
  planVersion,
  quoteToken,
  reason,
  reasonBody,
  textLine,
  usd,
  usdAmount,
  usdAmountText,
} from './fields.ts'
import { depositFile, depositTable } from './tables.ts'

const depositMethod = z.enum(depositMethods, {
  error: () => t('Choose a payment method from the list'),
})

export const quoteDeposit = defineCall({
  id: 'deposit.quote',
  method: 'GET',
  path: '/deposit/quote',
  permission: 'account',
  verified: true,
  summary:
    'Quotes a deposit or an investment of this amount for the payment window; nothing is created (D-18)',
  message: msg('Quote'),
  query: z.object({
    method: depositMethod,
    amount: usdAmountText,
    /** For an investment: the plan's name or id, and the version that was shown. The quote is valid for that version only. */
    plan: textLine(msg('Plan'), 60).optional(),
    planVersion: planVersion.optional(),
  }),
  /** `quote` is signed: sent with the request, it locks the figures shown until `expiresAt`. */
  data: paymentRequest.extend({ quote: z.string() }),
  refusals: [
    'account_frozen',
    'email_not_verified',
    'rate_unavailable',
    'method_paused',
    'not_found',
    'wrong_state',
  ],
})

export const newDeposit = defineCall({
  id: 'deposit.new',
  method: 'POST',
  path: '/deposit/new',
  permission: 'account',
  verified: true,
  money: true,
  summary: 'Requests a deposit; returns the payment request, its rate locked for the payment window (D5)',
  message: msg('Deposit plan created, your deposit is currently being processed'),
  body: z.object({ method: depositMethod, amount: usdAmount, quote: quoteToken.optional() }),
  data: deposit,
  refusals: [
    'account_frozen',
    'email_not_verified',
    'wrong_state',
    'rate_unavailable',
    'method_paused',
    'quote_expired',
  ],
})

/** USD for one unit and its source, for a late payment without a recorded rate. */
const manualRate = {
  rate: coinAmountText(msg('The rate')).optional(),
  rateSource: textLine(msg('Source of the rate'), 120).optional(),
}

/** What arrived, if not exactly the requested amount in time (D5). */
export const manualReceipt = z.object({
  /** In the payment's coin; the requested amount if omitted. */
  received: coinAmountText(msg('The amount received')).optional(),
  /** In time if omitted. */
  arrivedAt: moment(msg('The arrival time')).optional(),
  ...manualRate,
})
/** The same with its transaction. */
export const manualReceiptBody = manualReceipt.extend({
  ...optionalReasonBody.shape,
  transactionId: textLine(msg('Transaction id'), 200).optional(),
})

export const previewReceipt = defineCall({
  id: 'deposit.weigh',
  method: 'GET',
  path: '/deposit/weigh/:id',
  permission: 'decide',
  summary: 'Previews what a payment would be credited with, and the outcome for its investment',
  message: msg('Preview of the credit'),
  params: idParams,
  query: manualReceipt,
  data: z.object({
    credited: usd,
    deviation: z.enum(deviations).nullable(),
    received: cryptoText,
    /** USD for one unit, as text with thousands commas, and the rate's source. */
    rate: z.string(),
    rateSource: z.string(),
    /** The pending investment that it pays: `kept`, or `declined` if not covered. */
    investment: z.enum(['kept', 'declined']).nullable(),
  }),
  refusals: ['not_found', 'wrong_state'],
})

export const reviewDeposit = defineCall({
  id: 'deposit.lookAt',
  method: 'POST',
  path: '/deposit/look-at/:id',
  permission: 'decide',
  summary:
    'Marks a payment with a deviation or a flag as reviewed; refused if it has changed from the state given',
  message: msg('Marked as reviewed'),
  params: idParams,
  /** The deposit's state as the reviewer saw it. */
  body: optionalReasonBody.extend({
    status: deposit.shape.status.optional(),
    deviation: deposit.shape.deviation.optional(),
    seen: cryptoText.max(40).nullable().optional(),
    flags: deposit.shape.flags.max(depositFlags.length).optional(),
    wrongAssetTransfers: deposit.shape.wrongAssetTransfers.optional(),
  }),
  data: deposit,
  refusals: ['not_found', 'wrong_state', 'own_request'],
})

export const approveDeposit = defineCall({
  id: 'deposit.approve',
  method: 'POST',
  path: '/deposit/approve/:id',
  permission: 'decide',
  money: true,
  summary:
    "Settles a pending or unpaid deposit or, with an arrival time, a declined one: what arrived goes to the investor's balance, or is kept for the investment that it covers; without a body, exactly the requested amount (D5)",
  message: msg('Deposit approved'),
  params: idParams,
  body: manualReceiptBody,
  data: deposit,
  refusals: ['account_frozen', 'not_found', 'wrong_state', 'own_request', 'transaction_reused'],
})

export const creditOwnDeposit = defineCall({
  id: 'deposit.creditOwn',
  method: 'POST',
  path: '/deposit/credit-own/:id',
  permission: 'account',
  money: true,
  summary:
    "Credits the caller's underpaid payment of an investment to the balance, without waiting for the rest. A large one, or one without a rate, is flagged for review instead and stays pending",
  message: msg('Credited, or sent to our team for review'),
  params: idParams,
  data: deposit,
  refusals: ['account_frozen', 'forbidden', 'wrong_state'],
})

export const creditDeposit = defineCall({
  id: 'deposit.credit',
  method: 'POST',
  path: '/deposit/credit/:id',
  permission: 'decide',
  money: true,
  summary:
    'Credits what the network shows: an underpaid payment of an investment without waiting for the rest; a large one if `seen` is the current amount; one without a recorded rate at the given rate',
  message: msg('Payment credited'),
  params: idParams,
  body: optionalReasonBody.extend({
    ...manualRate,
    /** The deposit's `seen` as staff saw it: a large payment is credited only if that is still the amount. */
    seen: cryptoText.max(40).nullable().optional(),
  }),
  data: deposit,
  refusals: ['account_frozen', 'not_found', 'wrong_state', 'own_request'],
})

export const declineDeposit = defineCall({
  id: 'deposit.decline',
  method: 'POST',
  path: '/deposit/decline/:id',
  permission: 'decide',
  money: true,
  summary: 'Declines a pending deposit with a reason that the investor sees',
  message: msg('Deposit declined'),
  params: idParams,
  body: reasonBody,
  data: deposit,
  refusals: ['not_found', 'wrong_state'],
})

export const approveDeposits = defineCall({
  ...bulkCall,
  id: 'deposit.approveMany',
  path: '/deposit/approve-many',
  summary: bulkSummary('deposit.approve'),
  message: msg('Deposits processed'),
  body: z.strictObject({ records: bulkRecords({}), reason: reason.optional() }),
})

export const creditDeposits = defineCall({
  ...bulkCall,
  id: 'deposit.creditMany',
  path: '/deposit/credit-many',
  summary: bulkSummary('deposit.credit'),
  message: msg('Deposits processed'),
  body: z.strictObject({
    records: bulkRecords({ seen: cryptoText.max(40).nullable().optional() }),
    reason: reason.optional(),
  }),
})

export const declineDeposits = defineCall({
  ...bulkCall,
  id: 'deposit.declineMany',
  path: '/deposit/decline-many',
  summary: bulkSummary('deposit.decline'),
  message: msg('Deposits processed'),
  body: z.strictObject({ records: bulkRecords({}), reason }),
})

export const listOwnDeposits = defineCall({
  id: 'deposit.listOwn',
  method: 'GET',
  path: '/deposit/get-all-user',
  permission: 'account',
  list: true,
  summary:
    "The caller's deposits, the newest first; 'status' also takes 'open' (pending, credited in part, or settled within the last hour)",
  message: msg('Your deposits'),
  query: listQuery,
  data: z.array(deposit),
})

export const listDeposits = defineCall({
  id: 'deposit.list',
  method: 'GET',
  path: '/deposit/get-all',
  permission: 'console',
  list: true,
  summary:
    "All deposits, the newest first unless sorted; 'status' also takes 'differing' (with a deviation or a flag, not reviewed yet) and 'cancelled' (by the investor)",
  message: msg('Deposits'),
  query: depositTable,
  data: z.array(deposit),
})

export const depositsCsv = defineCall({
  id: 'deposit.csv',
  method: 'GET',
  path: '/deposit/get-all.csv',
  permission: 'console',
  file: 'text/csv',
  summary:
    'Deposits as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows',
  message: msg('Deposits as CSV'),
  query: depositFile,
  data: fileContent,
})

export const getDeposit = defineCall({
  id: 'deposit.getOne',
  method: 'GET',
  path: '/deposit/get-one/:id',
  permission: 'account',
  summary: "One of the caller's deposits with its postings and history; staff may read any",
  message: msg('Deposit'),
  params: idParams,
  data: deposit.extend({
    ...trail.shape,
    /** Number of the investment that it funds. */
    investmentInvoiceId: z.string().nullable(),
    /**
     * Transfers at its address: payments first, dust last, each in order of arrival;
     * none for a shared address.
     */
    transfers: z.array(depositTransfer),
    /** How many more there are. */
    moreTransfers: z.int().min(0),
  }),
  refusals: ['forbidden', 'not_found'],
})
