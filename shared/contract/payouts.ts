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

/** Batches of withdrawals that somebody signs with an offline or hardware wallet, and that the chain is watched for. */

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
  /** released: paid by another way, or to be paid by another batch. */
  state: z.enum(['open', 'paid', 'released']),
  transactionId: z.string().nullable(),
  /** Of its transaction, once that is in a block. */
  confirmations: z.object({ have: z.int(), needed: z.int() }).nullable(),
  /** Its transaction counts, and its owner's account is frozen: it is marked as paid once that ends. */
  frozen: z.boolean(),
  alert: z
    .object({
      kind: z.enum(payoutAlerts),
      transactionId: z.string(),
      token: z.string(),
      amountCrypto: cryptoText,
      at: timestamp,
      /** The network does not show that transaction now. */
      dropped: z.boolean(),
      /** Who reviewed it, and what came of it; null where nobody has. */
      reviewed: z.object({ at: timestamp, by: z.string(), note: z.string() }).nullable(),
    })
    .nullable(),
  /** Ethereum: which transaction of the sender it is. */
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
  /** Withdrawals in it, and those that are paid. */
  count: z.int(),
  paid: z.int(),
  /** Withdrawals with an alert that staff have not reviewed. */
  alerts: z.int(),
  amount: usd,
  amountCrypto: cryptoText,
  /** Bitcoin: the network's fee, in satoshi for a virtual byte and as a whole. Elsewhere the signing wallet sets it. */
  fee: z.object({ rate: z.int(), amountCrypto: cryptoText }).nullable(),
  change: z.object({ address: z.string(), amountCrypto: cryptoText }).nullable(),
  /** The address that it is paid from; null: from outpoints. */
  sender: z.string().nullable(),
  file: z.object({ name: z.string(), sha256: z.string(), size: z.int() }),
  createdBy: who,
  /** Who alone can download the file: one person signs and broadcasts it. */
  assignee: who,
  exportedAt: timestamp.nullable(),
  createdAt: timestamp,
  seenAt: timestamp.nullable(),
  paidAt: timestamp.nullable(),
  cancelledAt: timestamp.nullable(),
  cancelledBy: z.string().nullable(),
  cancelReason: z.string().nullable(),
  /** TRON: after this the transactions of its file are taken into no block. */
  expiresAt: timestamp.nullable(),
})
export type PayoutBatch = z.output<typeof payoutBatch>

const payoutDetail = payoutBatch.extend({
  items: z.array(payoutItem),
  inputs: z.array(z.object({ outpoint: z.string(), amountCrypto: cryptoText })),
  /** Of a batch under way: why the caller cannot do it, where that lasts; null where he can. */
  refusals: z.object({ cancel: z.string().nullable(), takeOver: z.string().nullable() }),
})
export type PayoutDetail = z.output<typeof payoutDetail>

export const listPayouts = defineCall({
  id: 'payout.list',
  method: 'GET',
  path: '/payout/get-all',
  permission: 'console',
  list: true,
  summary: 'Payout batches, the newest first; by status, also `faulty` for those with something to look at',
  message: 'Payout batches',
  query: listQuery,
  data: z.array(payoutBatch),
})

export const getPayout = defineCall({
  id: 'payout.getOne',
  method: 'GET',
  path: '/payout/get-one/:id',
  permission: 'console',
  summary: 'A payout batch with its withdrawals, what was seen of each on the chain, and what it spends',
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
      .describe(
        'Without one: the coin whose withdrawal has waited longest, where one is of which a batch can be made',
      ),
  }),
  data: z.object({
    wallet,
    /** Why no batch can be made of this coin, as staff read it; null where one can. */
    unavailable: z.string().nullable(),
    /** Whether the fee rate is entered with the batch. */
    asksFeeRate: z.boolean(),
    withdrawals: z.array(
      z.object({
        _id: recordId,
        invoiceId: z.string(),
        user: recordId,
        userName: z.string().nullable(),
        amount: usd,
        walletAddress: z.string(),
        /** null: is fixed with the batch. */
        amountCrypto: cryptoText.nullable(),
        frozen: z.boolean(),
        /** The number of an ended batch that something has come by for it: to be looked at before it is paid. */
        flagged: z.string().nullable(),
        /** Why no batch can pay it; null where one can. */
        unpayable: z.string().nullable(),
        approvedAt: timestamp,
      }),
    ),
    /** There are more than are shown. */
    more: z.boolean(),
  }),
})

const feeRate = z
  .number(feeRateWords)
  .int(feeRateWords)
  .min(lowestFeeRate, feeRateWords)
  .max(highestFeeRate, feeRateWords)

const tooMany = `A batch pays at most ${maximumPayouts} withdrawals`
const chosen = z
  .array(id, 'Choose the withdrawals to pay')
  .min(1, 'Choose the withdrawals to pay')
  .max(maximumPayouts, tooMany)
  .refine(ids => new Set(ids).size === ids.length, 'A withdrawal is chosen twice')

export const previewPayout = defineCall({
  id: 'payout.preview',
  method: 'GET',
  path: '/payout/preview',
  permission: 'decide',
  summary: 'What a payout batch of these withdrawals would pay and spend; nothing is made',
  message: 'Payout batch',
  query: z.object({
    wallet,
    /** Ids with commas between them. */
    withdrawals: z
      .string({ error: 'Choose the withdrawals to pay' })
      .max(maximumPayouts * 37, tooMany)
      .transform(text => text.split(','))
      .pipe(chosen),
    /** Digits, as every query is text. */
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
    /** Withdrawals whose coin amount would be fixed with the batch, at this rate; null where all are fixed. */
    fixedNow: z
      .object({ count: z.int(), rate: z.string(), rateAt: timestamp, rateSource: z.string() })
      .nullable(),
    fee: payoutBatch.shape.fee,
    change: payoutBatch.shape.change,
    sender: z.string().nullable(),
    inputs: z.int(),
    /** The fee in percent of what is paid, where that is so much that it has to be accepted with the batch. */
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
    'Makes a payout batch of approved withdrawals in one coin: an unsigned file for an offline or hardware wallet. The caller holds the file',
  message: 'Payout batch made',
  body: optionalReasonBody.extend({
    wallet,
    withdrawals: chosen,
    feeRate: feeRate.optional(),
    /** The network's fee as it was shown, where it is more than a small share of what is paid: no more than that is spent. */
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
    "A batch's unsigned file, the same bytes at every download, for its holder alone: a PSBT (BIP-174) of Bitcoin, else JSON with EIP-681 links or TRON transfers",
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
  summary: "Makes the caller a batch's holder, once the holder before will not broadcast it",
  message: 'You hold this batch now',
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
  summary:
    'Says what came of everything in a batch that is not as it should be: it is not listed as a thing to look at any more. What may not be paid stays so',
  message: 'Looked at',
  params: idParams,
  body: z.object({
    reason,
    /** The transactions that are shown as wrong: what comes in between is not passed over. */
    transactions: z
      .array(z.string().max(200), 'Name the transactions that were looked at')
      .min(1, 'Name the transactions that were looked at')
      .max(maximumPayouts, 'Name the transactions that were looked at'),
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
  summary:
    'Cancels a batch that was not and will not be broadcast: what it has not paid can be paid otherwise',
  message: 'Payout batch cancelled',
  params: idParams,
  body: z.object({
    reason,
    notBroadcast: z.literal(true, 'Confirm that it was not broadcast and will not be'),
  }),
  data: payoutDetail,
  refusals: ['not_found', 'wrong_state'],
})
