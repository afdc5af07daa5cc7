import { z } from 'zod'
import { payoutWallets } from '#shared/coins.ts'
import { feeRateWords, highestFeeRate, lowestFeeRate, maximumPayouts } from '#shared/limits.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { payoutStatuses } from './entities.ts'
import {
  coinAmountText,
  cryptoText,
  id,
  idParams,
  optionalReasonBody,
  reason,
  reasonBody,
  recordId,
  timestamp,
  usd,
} from './fields.ts'

/** Batches of withdrawals: signed with an offline or hardware wallet, and recognised on the chain. */

const wallet = z.enum(payoutWallets, { error: `Choose one of ${payoutWallets.join(', ')}` })
const who = z.object({ _id: recordId, name: z.string() })

/** Problems with a transfer that pays a withdrawal. */
export const payoutAlerts = ['wrong_amount', 'dropped', 'paid_after_cancel', 'paid_twice'] as const

const payoutItem = z.object({
  withdrawal: recordId,
  invoiceId: z.string(),
  user: recordId,
  userName: z.string().nullable(),
  amount: usd,
  address: z.string(),
  amountCrypto: cryptoText,
  /** released: paid manually, or to be paid by another batch. */
  state: z.enum(['open', 'paid', 'released']),
  transactionId: z.string().nullable(),
  /** Once its transaction is in a block. */
  confirmations: z.object({ have: z.int(), needed: z.int() }).nullable(),
  /** Its transaction is confirmed, but the investor's account is frozen: we mark it as paid after the freeze. */
  frozen: z.boolean(),
  alert: z
    .object({
      kind: z.enum(payoutAlerts),
      transactionId: z.string(),
      token: z.string(),
      amountCrypto: cryptoText,
      at: timestamp,
      /** The network no longer shows that transaction. */
      dropped: z.boolean(),
      /** null until staff have reviewed it. */
      reviewed: z.object({ at: timestamp, by: z.string(), note: z.string() }).nullable(),
    })
    .nullable(),
  /** Ethereum. */
  nonce: z.int().nullable(),
})
export type PayoutItem = z.output<typeof payoutItem>

const payoutBatch = z.object({
  _id: recordId,
  number: z.string(),
  wallet,
  asset: z.enum(['BTC', 'USDT', 'ETH']),
  network: z.string(),
  status: z.enum(payoutStatuses),
  /** Number of its withdrawals, and of the paid ones. */
  count: z.int(),
  paid: z.int(),
  /** Withdrawals with an alert that staff have not reviewed. */
  alerts: z.int(),
  amount: usd,
  amountCrypto: cryptoText,
  /** Bitcoin: the network fee, per virtual byte in satoshi and in total. Elsewhere the signing wallet sets it. */
  fee: z.object({ rate: z.int(), amountCrypto: cryptoText }).nullable(),
  change: z.object({ address: z.string(), amountCrypto: cryptoText }).nullable(),
  /** The paying address; null on Bitcoin, where `inputs` pay. */
  sender: z.string().nullable(),
  file: z.object({ name: z.string(), sha256: z.string(), size: z.int() }),
  createdBy: who,
  /** The only person who can download the file, sign it and broadcast it. */
  assignee: who,
  exportedAt: timestamp.nullable(),
  createdAt: timestamp,
  seenAt: timestamp.nullable(),
  paidAt: timestamp.nullable(),
  cancelledAt: timestamp.nullable(),
  cancelledBy: z.string().nullable(),
  cancelReason: z.string().nullable(),
  /** TRON: after this, no block takes the transactions of its file. */
  expiresAt: timestamp.nullable(),
})
export type PayoutBatch = z.output<typeof payoutBatch>

const payoutDetail = payoutBatch.extend({
  items: z.array(payoutItem),
  inputs: z.array(z.object({ outpoint: z.string(), amountCrypto: cryptoText })),
  /** Why the caller cannot cancel or take over an open batch; null if they can, or once a due sync is done. */
  refusals: z.object({ cancel: z.string().nullable(), takeOver: z.string().nullable() }),
})
export type PayoutDetail = z.output<typeof payoutDetail>

export const listPayouts = defineCall({
  id: 'payout.list',
  method: 'GET',
  path: '/payout/get-all',
  permission: 'console',
  list: true,
  summary: 'Payout batches, the newest first; by status, or `faulty` for those with an alert to review',
  message: 'Payout batches',
  query: listQuery,
  data: z.array(payoutBatch),
})

export const getPayout = defineCall({
  id: 'payout.getOne',
  method: 'GET',
  path: '/payout/get-one/:id',
  permission: 'console',
  summary: 'A payout batch with its withdrawals, their transfers on the network, and its inputs',
  message: 'Payout batch',
  params: idParams,
  data: payoutDetail,
  refusals: ['not_found'],
})

export const readyForPayout = defineCall({
  id: 'payout.ready',
  method: 'GET',
  path: '/payout/ready',
  permission: 'console',
  summary: 'Approved withdrawals in a coin that are in no open batch, the longest approved first',
  message: 'Withdrawals to pay out',
  query: z.object({
    wallet: wallet
      .optional()
      .describe('Default: the coin whose withdrawal has waited longest, if batches of it are available'),
  }),
  data: z.object({
    wallet,
    /** Why batches of this coin are unavailable, in words for staff, or null. */
    unavailable: z.string().nullable(),
    /** True if a batch needs a fee rate. */
    asksFeeRate: z.boolean(),
    withdrawals: z.array(
      z.object({
        _id: recordId,
        invoiceId: z.string(),
        user: recordId,
        userName: z.string().nullable(),
        amount: usd,
        walletAddress: z.string(),
        /** null if it is locked with the batch. */
        amountCrypto: cryptoText.nullable(),
        frozen: z.boolean(),
        /** Number of a batch with an alert for it, to be reviewed before it is paid. */
        flagged: z.string().nullable(),
        /** Why no batch can pay it, or null. */
        unpayable: z.string().nullable(),
        approvedAt: timestamp,
      }),
    ),
    /** True if there are more. */
    more: z.boolean(),
  }),
})

const feeRate = z
  .number(feeRateWords)
  .int(feeRateWords)
  .min(lowestFeeRate, feeRateWords)
  .max(highestFeeRate, feeRateWords)

const tooMany = `A batch can pay at most ${maximumPayouts} withdrawals`
const chosen = z
  .array(id, 'Choose the withdrawals to pay')
  .min(1, 'Choose the withdrawals to pay')
  .max(maximumPayouts, tooMany)
  .refine(ids => new Set(ids).size === ids.length, 'You chose a withdrawal twice')

export const previewPayout = defineCall({
  id: 'payout.preview',
  method: 'GET',
  path: '/payout/preview',
  permission: 'decide',
  summary: 'Previews a payout batch of these withdrawals: amounts, fee and inputs',
  message: 'Payout batch',
  query: z.object({
    wallet,
    /** Ids, separated by commas. */
    withdrawals: z
      .string({ error: 'Choose the withdrawals to pay' })
      .max(maximumPayouts * 37, tooMany)
      .transform(text => text.split(','))
      .pipe(chosen),
    feeRate: z
      .string()
      .regex(/^\d{1,4}$/, feeRateWords)
      .transform(Number)
      .pipe(feeRate)
      .optional(),
  }),
  data: z.object({
    count: z.int(),
    amount: usd,
    amountCrypto: cryptoText,
    /** Withdrawals whose coin amount the batch would lock at this rate; null if all are locked. */
    fixedNow: z
      .object({ count: z.int(), rate: z.string(), rateAt: timestamp, rateSource: z.string() })
      .nullable(),
    fee: payoutBatch.shape.fee,
    change: payoutBatch.shape.change,
    sender: z.string().nullable(),
    inputs: z.int(),
    /** The fee in percent of the amount paid, if it is so high that the caller must accept it. */
    highFee: z.string().nullable(),
  }),
  refusals: ['account_frozen', 'not_found', 'wrong_state', 'own_request', 'rate_unavailable'],
})

export const newPayout = defineCall({
  id: 'payout.new',
  method: 'POST',
  path: '/payout/new',
  permission: 'decide',
  money: true,
  summary:
    'Creates a payout batch of approved withdrawals in one coin: an unsigned file for an offline or hardware wallet. The caller becomes its assignee',
  message: 'Payout batch created',
  body: optionalReasonBody.extend({
    wallet,
    withdrawals: chosen,
    feeRate: feeRate.optional(),
    /** The network fee as the preview showed it, if it must be accepted: the batch spends no more. */
    acceptedFee: coinAmountText('Accepted fee').optional(),
  }),
  data: payoutDetail,
  refusals: ['account_frozen', 'not_found', 'wrong_state', 'own_request', 'rate_unavailable'],
})

export const payoutFile = defineCall({
  id: 'payout.file',
  method: 'GET',
  path: '/payout/file/:id',
  permission: 'decide',
  file: ['application/octet-stream', 'application/json'],
  summary:
    "A batch's unsigned file for its assignee, the same bytes at every download: a PSBT (BIP-174) for Bitcoin, else JSON with EIP-681 links or TRON transfers",
  message: 'Payout file',
  params: idParams,
  data: fileContent,
  refusals: ['not_found', 'wrong_state'],
})

export const takeOverPayout = defineCall({
  id: 'payout.takeOver',
  method: 'POST',
  path: '/payout/take-over/:id',
  permission: 'decide',
  summary: "Makes the caller a batch's assignee, once the previous one will not broadcast it",
  message: 'You are now responsible for this batch',
  params: idParams,
  body: reasonBody,
  data: payoutDetail,
  refusals: ['not_found', 'wrong_state', 'own_request'],
})

export const acknowledgePayout = defineCall({
  id: 'payout.acknowledge',
  method: 'POST',
  path: '/payout/acknowledge/:id',
  permission: 'decide',
  summary: 'Marks the alerts of a batch as reviewed. No money moves, and new problems raise new alerts',
  message: 'Marked as reviewed',
  params: idParams,
  body: z.object({
    reason,
    /** The transactions whose alerts the caller saw, so that no later alert is cleared unseen. */
    transactions: z
      .array(z.string().max(200), 'List the transactions that you reviewed')
      .min(1, 'List the transactions that you reviewed')
      .max(maximumPayouts, 'List the transactions that you reviewed'),
  }),
  data: payoutDetail,
  refusals: ['not_found', 'wrong_state'],
})

export const cancelPayout = defineCall({
  id: 'payout.cancel',
  method: 'POST',
  path: '/payout/cancel/:id',
  permission: 'decide',
  money: true,
  summary: 'Cancels a batch that was not and will not be broadcast, and releases its unpaid withdrawals',
  message: 'Payout batch cancelled',
  params: idParams,
  body: z.object({
    reason,
    notBroadcast: z.literal(true, 'Confirm that the file has not been and will not be broadcast'),
  }),
  data: payoutDetail,
  refusals: ['not_found', 'wrong_state'],
})
