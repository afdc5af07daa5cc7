import { z } from 'zod'
import { depositMethods } from '#shared/coins.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { deposit, depositFlags, depositTransfer, deviations, paymentRequest, trail } from './entities.ts'
import {
  coinAmountText,
  cryptoText,
  idParams,
  moment,
  optionalReasonBody,
  quoteToken,
  reasonBody,
  textLine,
  usd,
  usdAmount,
  usdAmountText,
} from './fields.ts'
import { depositFile, depositTable } from './tables.ts'

const depositMethod = z.enum(depositMethods, {
  error: 'Choose a payment method from the list',
})

export const quoteDeposit = defineCall({
  id: 'deposit.quote',
  method: 'GET',
  path: '/deposit/quote',
  permission: 'account',
  verified: true,
  summary:
    'The payment request that a deposit or an investment of this amount would get now, good for 15 minutes; nothing is created (D-18)',
  message: 'Quote',
  query: z.object({ method: depositMethod, amount: usdAmountText }),
  /** `quote` is signed by the server: sent with the request, it locks the figures that were shown, until `expiresAt`. */
  data: paymentRequest.extend({ quote: z.string() }),
  refusals: ['account_frozen', 'email_not_verified', 'rate_unavailable'],
})

export const newDeposit = defineCall({
  id: 'deposit.new',
  method: 'POST',
  path: '/deposit/new',
  permission: 'account',
  verified: true,
  money: true,
  summary: 'Asks for a deposit; answers with the payment request, its rate locked for 15 minutes (D5)',
  message: 'Deposit plan created, your deposit is currently being processed',
  body: z.object({ method: depositMethod, amount: usdAmount, quote: quoteToken.optional() }),
  data: deposit,
  refusals: ['account_frozen', 'email_not_verified', 'rate_unavailable', 'quote_expired'],
})

/** USD for one unit, and where that is from: of a late payment whose moment the price feed has no rate of. */
const toldRate = {
  rate: coinAmountText('The rate').optional(),
  rateSource: textLine('Source of the rate', 120).optional(),
}

/** What has come of a payment, where that is not exactly what was asked for, in time (D5). */
export const arrivedPayment = z.object({
  /** In the payment's coin; exactly what was asked for where it is left out. */
  received: coinAmountText('What arrived').optional(),
  /** When it arrived; in time where it is left out. */
  arrivedAt: moment('The arrival').optional(),
  ...toldRate,
})
/** The same with the transaction that brought it. */
export const arrivedBody = arrivedPayment.extend({
  ...optionalReasonBody.shape,
  transactionId: textLine('Transaction id', 200).optional(),
})

export const weighDeposit = defineCall({
  id: 'deposit.weigh',
  method: 'GET',
  path: '/deposit/weigh/:id',
  permission: 'decide',
  summary: 'What a payment would be credited with if this had arrived, and what became of its investment',
  message: 'What it is credited with',
  params: idParams,
  query: arrivedPayment,
  data: z.object({
    credited: usd,
    deviation: z.enum(deviations).nullable(),
    received: cryptoText,
    /** USD for one unit that it is credited at, as text with thousands commas, and where it is from. */
    rate: z.string(),
    rateSource: z.string(),
    /** The pending investment that it pays: `kept` for it, or `declined` because it does not cover it. */
    investment: z.enum(['kept', 'declined']).nullable(),
  }),
  refusals: ['not_found', 'wrong_state'],
})

export const lookAtDeposit = defineCall({
  id: 'deposit.lookAt',
  method: 'POST',
  path: '/deposit/look-at/:id',
  permission: 'decide',
  summary:
    'Notes that somebody has looked at a payment that came short, over or late, or has a flag: it waits no longer. Where it says what was looked at, that has to be what is there now',
  message: 'Noted',
  params: idParams,
  /** Of the deposit as whoever looked at it was shown it. */
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
    "Settles a deposit that is pending, or paid after all when it was unpaid or, with the moment of its arrival, declined: what arrived goes to the investor's balance, or is kept for the investment that it covers; without a body, exactly what was asked for (D5)",
  message: 'Deposit approved',
  params: idParams,
  body: arrivedBody,
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
    "Has what came of one's own payment credited now, although it is less than was asked for; nothing more of it is waited for. What is so large, or has no rate, that somebody of the firm looks first is flagged for that instead and stays pending",
  message: 'What came is credited, or somebody of the firm looks at it first',
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
    'Credits what its network shows of a payment that came short, without waiting for the rest; of one that is so large that somebody of the firm looks first, where `seen` says what was looked at; or of one that came while no rate was recorded, at the rate that is told',
  message: 'What came is credited',
  params: idParams,
  body: optionalReasonBody.extend({
    ...toldRate,
    /** `seen` of the deposit as whoever credits it was shown it: what is large is credited only where that is what is there now. */
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
  message: 'Deposit declined',
  params: idParams,
  body: reasonBody,
  data: deposit,
  refusals: ['not_found', 'wrong_state'],
})

export const listOwnDeposits = defineCall({
  id: 'deposit.listOwn',
  method: 'GET',
  path: '/deposit/get-all-user',
  permission: 'account',
  list: true,
  summary: "One's own deposits, the newest first",
  message: 'Your deposits',
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
    "All deposits, the newest first unless sorted; 'status' also takes 'differing' (short, over or late, or with a flag, not looked at yet)",
  message: 'Deposits',
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
    'Deposits as CSV (RFC 4180, UTF-8 with a byte order mark), narrowed and sorted as the list: every row, however many',
  message: 'Deposits as CSV',
  query: depositFile,
  data: fileContent,
})

export const getDeposit = defineCall({
  id: 'deposit.getOne',
  method: 'GET',
  path: '/deposit/get-one/:id',
  permission: 'account',
  summary: "One of one's own deposits with its postings and history; staff may ask for any",
  message: 'Deposit',
  params: idParams,
  data: deposit.extend({
    ...trail.shape,
    /** Number of the investment that it funds. */
    investmentInvoiceId: z.string().nullable(),
    /**
     * What its network has shown at its address: first what counts, last what is too little to count, each in the order in which it came;
     * of a shared address nothing.
     */
    transfers: z.array(depositTransfer),
    /** How many more there are than these. */
    moreTransfers: z.int().min(0),
  }),
  refusals: ['forbidden', 'not_found'],
})
