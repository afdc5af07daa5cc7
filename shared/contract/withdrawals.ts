import { z } from 'zod'
import { withdrawalWallets } from '#shared/coins.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { checkKinds } from '#shared/identity.ts'
import { bulkCall, bulkRecords, bulkSummary } from './bulk.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { fixedPayout, trail, type Withdrawal, withdrawal } from './entities.ts'
import {
  idParams,
  optionalReasonBody,
  reason,
  reasonBody,
  textLine,
  timestamp,
  usd,
  usdAmount,
  usdAmountText,
} from './fields.ts'
import { withdrawalFile, withdrawalTable } from './tables.ts'

const withdrawalWallet = z.enum(withdrawalWallets, { error: () => t('Choose a wallet from the list') })

export const newWithdrawal = defineCall({
  id: 'withdrawal.new',
  method: 'POST',
  path: '/withdrawal/new',
  permission: 'account',
  verified: true,
  money: true,
  summary: 'Requests a withdrawal and holds its amount (D7). A new address needs a recent reauthentication',
  message: msg('Withdrawal initiated successfully'),
  body: z.object({
    amount: usdAmount,
    wallet: withdrawalWallet,
    /** `address` and `walletAddress` are the same value: one is enough, and two must agree. */
    address: textLine(msg('Wallet address'), 120).optional(),
    walletAddress: textLine(msg('Wallet address'), 120).optional(),
  }),
  data: withdrawal,
  refusals: [
    'account_frozen',
    'email_not_verified',
    'proof_required',
    'address_waiting',
    'wrong_state',
    'insufficient_funds',
  ],
})

export const estimateWithdrawal = defineCall({
  id: 'withdrawal.estimate',
  method: 'GET',
  path: '/withdrawal/estimate',
  permission: 'account',
  summary:
    'What an amount would be in its coin at the current rate; null without a fresh rate, or for a coin that we pay by hand',
  message: msg('Estimate'),
  query: z.object({ wallet: withdrawalWallet, amount: usdAmountText }),
  data: fixedPayout
    .extend({
      /** The rate is locked at the approval; else when it is paid. */
      lockedAtApproval: z.boolean(),
    })
    .nullable(),
})

export const withdrawalTimes = defineCall({
  id: 'withdrawal.times',
  method: 'GET',
  path: '/withdrawal/times',
  permission: 'account',
  summary:
    'How long withdrawals took from their request to their payment, measured over those that we paid; null if too few to say',
  message: msg('Times of withdrawals'),
  data: z
    .object({
      /** Paid in the last so many days. */
      days: z.int(),
      paid: z.int(),
      /** Half of them, and `share` percent of them, took at most so many seconds. */
      half: z.int(),
      share: z.int(),
      most: z.int(),
      /** Not paid yet, and since how many seconds the first of them waits. */
      waiting: z.int(),
      longestWait: z.int(),
    })
    .nullable(),
})

export const approveWithdrawal = defineCall({
  id: 'withdrawal.approve',
  method: 'POST',
  path: '/withdrawal/approve/:id',
  permission: 'decide',
  money: true,
  summary:
    'Approves a pending withdrawal; two people must above the limit, which counts the investor’s requests and what the approver alone approved in 24 hours (D7)',
  message: msg('Withdrawal approved'),
  messageFor: ({ status, secondApproval }: Withdrawal) => {
    if (status !== 'pending') return undefined
    return secondApproval === 'approver_day'
      ? t(
          'First approval recorded. You have reached your limit for 24 hours, so a second person must approve it',
        )
      : t('First approval recorded')
  },
  needsSecondApproval: ({ status }: Withdrawal) => status === 'pending',
  params: idParams,
  body: optionalReasonBody,
  data: withdrawal,
  refusals: ['account_frozen', 'not_found', 'wrong_state', 'same_approver', 'own_request'],
})

export const declineWithdrawal = defineCall({
  id: 'withdrawal.decline',
  method: 'POST',
  path: '/withdrawal/decline/:id',
  permission: 'decide',
  money: true,
  summary:
    'Declines a pending withdrawal with a reason that the investor sees, and releases the hold. Also an approved one that was not paid, if the investor has a debt or no payout batch can pay it; the caller attests that nobody has paid it',
  message: msg('Withdrawal declined'),
  params: idParams,
  body: reasonBody.extend({
    /** Attests, of an approved one, that nobody has paid it manually and nobody will. */
    notPaid: z.boolean().optional(),
  }),
  data: withdrawal,
  refusals: ['not_found', 'wrong_state'],
})

export const payWithdrawal = defineCall({
  id: 'withdrawal.paid',
  method: 'POST',
  path: '/withdrawal/paid/:id',
  permission: 'decide',
  money: true,
  summary: 'approved → paid, with the id of the transaction that paid it, by a person who did not approve it',
  message: msg('Withdrawal marked as paid'),
  params: idParams,
  /** In the form of the wallet's coin (shared/transactions.ts). */
  body: optionalReasonBody.extend({
    transactionId: textLine(msg('Transaction id'), 120),
    /** Attests that its coins have already been sent, although the investor has a debt, or its address or their name is on a sanctions list. */
    sent: z.boolean().optional(),
  }),
  data: withdrawal,
  refusals: [
    'account_frozen',
    'not_found',
    'wrong_state',
    'own_request',
    'same_approver',
    'transaction_reused',
  ],
})

export const approveWithdrawals = defineCall({
  ...bulkCall,
  id: 'withdrawal.approveMany',
  path: '/withdrawal/approve-many',
  summary: bulkSummary('withdrawal.approve'),
  message: msg('Withdrawals processed'),
  body: z.strictObject({ records: bulkRecords({}), reason: reason.optional() }),
})

export const declineWithdrawals = defineCall({
  ...bulkCall,
  id: 'withdrawal.declineMany',
  path: '/withdrawal/decline-many',
  summary: bulkSummary('withdrawal.decline'),
  message: msg('Withdrawals processed'),
  body: z.strictObject({ records: bulkRecords({ notPaid: z.boolean().optional() }), reason }),
})

export const payWithdrawals = defineCall({
  ...bulkCall,
  id: 'withdrawal.paidMany',
  path: '/withdrawal/paid-many',
  summary: bulkSummary('withdrawal.paid'),
  message: msg('Withdrawals processed'),
  body: z.strictObject({
    records: bulkRecords({
      transactionId: textLine(msg('Transaction id'), 120),
      sent: z.boolean().optional(),
    }),
    reason: reason.optional(),
  }),
})

export const listOwnWithdrawals = defineCall({
  id: 'withdrawal.listOwn',
  method: 'GET',
  path: '/withdrawal/get-all-user',
  permission: 'account',
  list: true,
  summary: "The caller's withdrawals, newest first",
  message: msg('Your withdrawals'),
  query: listQuery,
  data: z.array(withdrawal),
})

export const listWithdrawals = defineCall({
  id: 'withdrawal.list',
  method: 'GET',
  path: '/withdrawal/get-all',
  permission: 'console',
  list: true,
  summary:
    "All withdrawals, the newest first unless sorted; 'status' also takes 'cancelled' (by the investor)",
  message: msg('Withdrawals'),
  query: withdrawalTable,
  data: z.array(withdrawal),
})

export const withdrawalsCsv = defineCall({
  id: 'withdrawal.csv',
  method: 'GET',
  path: '/withdrawal/get-all.csv',
  permission: 'console',
  file: 'text/csv',
  summary:
    'All matching withdrawals as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list',
  message: msg('Withdrawals as CSV'),
  query: withdrawalFile,
  data: fileContent,
})

export const getWithdrawal = defineCall({
  id: 'withdrawal.getOne',
  method: 'GET',
  path: '/withdrawal/get-one/:id',
  permission: 'account',
  summary: "One of the caller's withdrawals with its postings and history; staff may read any",
  message: msg('Withdrawal'),
  params: idParams,
  data: withdrawal.extend({
    ...trail.shape,
    /** The investor's debt from reversed deposits; while there is any, we do not pay. */
    debt: usd,
    /** Of a pending one: what its owner must prove before it goes on, or null. */
    waitsFor: z.enum(checkKinds).nullable(),
    /** For staff: true if the caller approved it, who then cannot mark it as paid; and the people who did, in order. */
    approvedByCaller: z.boolean(),
    approvers: z.array(z.object({ name: z.string(), at: timestamp })),
    /** For staff, of an open one: where its address is on a sanctions list, so that it is not paid in any way, or null. */
    listed: z.string().nullable(),
    /** For staff, of an open one: why its owner's name, which may be on a sanctions list, stops its approval and its payment in a batch, or null. */
    matched: z.string().nullable(),
    /** The same as a code; 'same': staff decided that the owner is on the list, so that it can be declined once approved. */
    ownerStop: z.enum(['open', 'same', 'uncompared']).nullable(),
    /** For staff, of another approved one: why no payout batch can pay it, so that it can be declined, or null. */
    unpayable: z.string().nullable(),
  }),
  refusals: ['forbidden', 'not_found'],
})
