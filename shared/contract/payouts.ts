import { z } from 'zod'
import { batchWallets, payoutWallets } from '#shared/batch-coins.ts'
import { railNames } from '#shared/coins.ts'
import { msg, t } from '#shared/i18n/t.ts'
import {
  highestFeeRate,
  longestSigned,
  longestSignedBody,
  lowestFeeRate,
  maximumPayouts,
} from '#shared/limits.ts'
import { feeRateWords } from '#shared/payout-fee-rate.ts'
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

const wallet = z.enum(payoutWallets, {
  error: () => t('Choose one of {choices}', { choices: payoutWallets.join(', ') }),
})
const who = z.object({ _id: recordId, name: z.string() })

/**
 * otherwise: a transaction used the slot of its payment and does not pay it as planned. dropped: a reorg removed the block of the
 * transaction that paid it, and no other block has it.
 */
export const payoutAlerts = ['otherwise', 'dropped'] as const

/** What a file's transactions do: pay, pay with a higher fee, or use the same slots and pay nobody. */
export const payoutPurposes = ['payment', 'higher_fee', 'cancellation'] as const

/** Until a person has reviewed it, it needs one. */
const alert = z
  .object({
    kind: z.enum(payoutAlerts),
    transactionId: z.string(),
    /** What that transaction pays to its address. */
    amountCrypto: cryptoText,
    at: timestamp,
    /** The network no longer shows that transaction. */
    dropped: z.boolean(),
    /** null until staff have reviewed it. */
    reviewed: z.object({ at: timestamp, by: z.string(), note: z.string() }).nullable(),
  })
  .nullable()

const payoutItem = z.object({
  withdrawal: recordId,
  invoiceId: z.string(),
  user: recordId,
  userName: z.string().nullable(),
  amount: usd,
  address: z.string(),
  amountCrypto: cryptoText,
  /** Position of its payment in `payments`. */
  payment: z.int(),
  /** released: its payment did not pay it and never will. */
  state: z.enum(['open', 'paid', 'released']),
  transactionId: z.string().nullable(),
  /** Its transaction is confirmed, but the investor's account is frozen: we mark it as paid after the freeze. */
  frozen: z.boolean(),
  /** Its address is on a sanctions list: its payment is not sent, and the batch must be cancelled. */
  listed: z.boolean(),
  alert,
})
export type PayoutItem = z.output<typeof payoutItem>

/** A transfer between addresses of ours: a sweep, or the top-up that brings the fee of one. */
const payoutMove = payoutItem.pick({ address: true, amountCrypto: true, payment: true, state: true }).extend({
  kind: z.enum(['sweep', 'top_up']),
  from: z.string(),
  asset: z.enum(['ETH', 'USDT', 'USDC', 'TRX']),
  transactionId: z.string().nullable(),
  alert,
})
export type PayoutMove = z.output<typeof payoutMove>

const payoutBatch = z.object({
  _id: recordId,
  number: z.string(),
  /** payout: it pays withdrawals. sweep: it moves deposits to the payout address. */
  purpose: z.enum(['payout', 'sweep']),
  wallet: z.enum(batchWallets),
  asset: z.enum(['BTC', 'USDT', 'ETH', 'USDC']),
  network: z.string(),
  status: z.enum(payoutStatuses),
  /** Number of its withdrawals, or of the addresses that a sweep empties; and of those that are paid. */
  count: z.int(),
  paid: z.int(),
  /** Items with an alert that staff have not reviewed. */
  alerts: z.int(),
  /** null for a sweep. */
  amount: usd.nullable(),
  amountCrypto: cryptoText,
  /** The payout address, which pays withdrawals and receives sweeps; null on Bitcoin, where outpoints pay. */
  sender: z.string().nullable(),
  /** The sender is a Safe, whose owners sign in its app. */
  bySafe: z.boolean(),
  createdBy: who,
  createdAt: timestamp,
  /** When it became final or void. */
  endedAt: timestamp.nullable(),
  /** When somebody asked to cancel it; the network may still decide otherwise. */
  cancelledAt: timestamp.nullable(),
  cancelledBy: z.string().nullable(),
  cancelReason: z.string().nullable(),
})
export type PayoutBatch = z.output<typeof payoutBatch>

export const fee = z.object({
  /** Bitcoin: satoshi per virtual byte. */
  rate: z.int().nullable(),
  /** The most that it costs. */
  amountCrypto: cryptoText,
  asset: z.enum(['BTC', 'ETH']),
})

const payoutFileEntry = z.object({
  version: z.int(),
  purpose: z.enum(payoutPurposes),
  name: z.string(),
  sha256: z.string(),
  size: z.int(),
  /** The hash that the owners of a Safe sign (EIP-712); null elsewhere. */
  safeTxHash: z.string().nullable(),
  /** null where the signing wallet's resources pay (TRON), and for a Safe. */
  fee: fee.nullable(),
  change: z.object({ address: z.string(), amountCrypto: cryptoText }).nullable(),
  createdAt: timestamp,
  exportedAt: timestamp.nullable(),
})

/** One transaction on the network, which uses slots: outpoints, a nonce, or the transaction itself until it expires. */
const payment = z.object({
  position: z.int(),
  status: z.enum(payoutStatuses),
  slots: z.array(z.object({ slot: z.string(), amountCrypto: cryptoText.nullable() })),
  /** TRON: after this, no block takes it. */
  expiresAt: timestamp.nullable(),
  /** A sweep that we broadcast once a block has the top-up of its address. */
  waitsForTopUp: z.boolean(),
  /** Ethereum takes the nonces of a sender in order: the first unsigned payment with a lower one, and its batch. */
  waitsFor: z.object({ batch: recordId, number: z.string(), nonce: z.int() }).nullable(),
  /** The transaction that uses its slots, as the network shows it. */
  usedBy: z.string().nullable(),
  confirmations: z.object({ have: z.int(), needed: z.int() }).nullable(),
  /** Its transactions that we have signed, or for which we collect signatures. */
  signed: z.array(
    z.object({
      version: z.int(),
      transactionId: z.string().nullable(),
      signatures: z.object({ have: z.int(), needed: z.int() }).nullable(),
      broadcastAt: timestamp.nullable(),
      /** Why our node refused it, in its words. */
      refused: z.string().nullable(),
    }),
  ),
})
export type PayoutPayment = z.output<typeof payment>

/** A batch with its withdrawals, or with the transfers of a sweep. */
export const payoutDetail = payoutBatch.extend({
  items: z.array(payoutItem),
  moves: z.array(payoutMove),
  payments: z.array(payment),
  /** The newest last. */
  files: z.array(payoutFileEntry),
  /** Bitcoin: what our node estimates, in satoshi per virtual byte. */
  feeRateNow: z.int().nullable(),
})
export type PayoutDetail = z.output<typeof payoutDetail>

export const listPayouts = defineCall({
  id: 'payout.list',
  method: 'GET',
  path: '/payout/get-all',
  permission: 'console',
  list: true,
  summary: 'Payout batches, the newest first; by status, or `faulty` for those with an alert to review',
  message: msg('Payout batches'),
  query: listQuery,
  data: z.array(payoutBatch),
})

export const getPayout = defineCall({
  id: 'payout.getOne',
  method: 'GET',
  path: '/payout/get-one/:id',
  permission: 'console',
  summary: 'A payout batch with its withdrawals, their transfers on the network, and its inputs',
  message: msg('Payout batch'),
  params: idParams,
  data: payoutDetail,
  refusals: ['not_found'],
})

export const readyForPayout = defineCall({
  id: 'payout.ready',
  method: 'GET',
  path: '/payout/ready',
  permission: 'console',
  summary:
    'Approved withdrawals in a coin that are in no open batch: those that a batch takes before the others, the longest approved first',
  message: msg('Withdrawals to pay out'),
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
    /** Bitcoin: what our node estimates, in satoshi per virtual byte; null without an estimate. */
    feeRateNow: z.int().nullable(),
    /** The most withdrawals that one batch takes. */
    most: z.int(),
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
        /** True if the investor owes money from a reversed deposit: a batch refuses it, declining it repays the debt. */
        inDebt: z.boolean(),
        /** True while the investor's name may be on a sanctions list, or was not compared: a batch refuses it. */
        nameStopped: z.boolean(),
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
  .number({ error: feeRateWords })
  .int({ error: feeRateWords })
  .min(lowestFeeRate, { error: feeRateWords })
  .max(highestFeeRate, { error: feeRateWords })

const tooMany = {
  error: () =>
    t('A batch can pay at most {most, plural, one {# withdrawal} other {# withdrawals}}', {
      most: maximumPayouts,
    }),
}
const chosen = z
  .array(id, { error: () => t('Choose the withdrawals to pay') })
  .min(1, { error: () => t('Choose the withdrawals to pay') })
  .max(maximumPayouts, tooMany)
  .refine(ids => new Set(ids).size === ids.length, { error: () => t('You chose a withdrawal twice') })

export const previewPayout = defineCall({
  id: 'payout.preview',
  method: 'GET',
  path: '/payout/preview',
  permission: 'decide',
  summary: 'Previews a payout batch of these withdrawals: amounts, fee and inputs',
  message: msg('Payout batch'),
  query: z.object({
    wallet,
    /** Ids, separated by commas. */
    withdrawals: z
      .string({ error: () => t('Choose the withdrawals to pay') })
      .max(maximumPayouts * 37, tooMany)
      .transform(text => text.split(','))
      .pipe(chosen),
    feeRate: z
      .string()
      .regex(/^\d{1,4}$/, { error: feeRateWords })
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
    fee: fee.nullable(),
    change: payoutFileEntry.shape.change,
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
    'Creates a payout batch of approved withdrawals in one coin: an unsigned file for an offline or hardware wallet',
  message: msg('Payout batch created'),
  body: optionalReasonBody.extend({
    wallet,
    withdrawals: chosen,
    feeRate: feeRate.optional(),
    /** The network fee as the preview showed it, if it must be accepted: the batch spends no more. */
    acceptedFee: coinAmountText(msg('Accepted fee')).optional(),
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
    "A batch's unsigned file, the same bytes at every download: a PSBT (BIP-174) for Bitcoin, else JSON with transactions to sign",
  message: msg('Payout file'),
  params: idParams,
  query: z.object({
    version: z
      .string()
      .regex(/^\d{1,3}$/, { error: () => t('A version is a whole number') })
      .transform(Number)
      .optional()
      .describe('Default: the latest'),
  }),
  data: fileContent,
  refusals: ['account_frozen', 'not_found', 'wrong_state'],
})

export const signPayout = defineCall({
  id: 'payout.sign',
  method: 'POST',
  path: '/payout/sign/:id',
  permission: 'decide',
  money: true,
  summary:
    'Takes signed transactions of a batch. Each must be exactly what its file says; then we broadcast it until it is final',
  message: msg('Signature received'),
  maximumBody: longestSignedBody,
  params: idParams,
  body: optionalReasonBody.extend({
    /** A PSBT in base64 or hexadecimal, raw transactions in hexadecimal, or the JSON that the wallet wrote. */
    signed: z
      .string({ error: () => t('Paste the signed file') })
      .trim()
      .min(1, { error: () => t('Paste the signed file') })
      .max(longestSigned, { error: () => t('This file is too large to be a signed file of a batch') }),
  }),
  data: payoutDetail,
  refusals: ['account_frozen', 'not_found', 'wrong_state', 'own_request'],
})

export const raisePayoutFee = defineCall({
  id: 'payout.raiseFee',
  method: 'POST',
  path: '/payout/raise-fee/:id',
  permission: 'decide',
  money: true,
  summary:
    'Makes a file that pays the same with a higher fee, from the same outputs or with the same nonce: the network takes one of them',
  message: msg('File with a higher fee created'),
  params: idParams,
  body: optionalReasonBody.extend({ feeRate: feeRate.optional() }),
  data: payoutDetail,
  refusals: ['account_frozen', 'not_found', 'wrong_state'],
})

export const acknowledgePayout = defineCall({
  id: 'payout.acknowledge',
  method: 'POST',
  path: '/payout/acknowledge/:id',
  permission: 'decide',
  summary: 'Marks the alerts of a batch as reviewed. No money moves, and new problems raise new alerts',
  message: msg('Marked as reviewed'),
  params: idParams,
  body: z.object({
    reason,
    /** The transactions whose alerts the caller saw, so that no later alert is cleared unseen. */
    transactions: z
      .array(z.string().max(200), { error: () => t('List the transactions that you reviewed') })
      .min(1, { error: () => t('List the transactions that you reviewed') })
      .max(maximumPayouts, { error: () => t('List the transactions that you reviewed') }),
  }),
  data: payoutDetail,
  refusals: ['not_found', 'wrong_state', 'own_request'],
})

export const cancelPayout = defineCall({
  id: 'payout.cancel',
  method: 'POST',
  path: '/payout/cancel/:id',
  permission: 'decide',
  money: true,
  summary:
    'Cancels a batch. Once somebody has its file, only the network can: this makes a file that uses the same outputs or nonces and pays nobody. On TRON, wait until it expires',
  message: msg('Cancellation started'),
  params: idParams,
  body: reasonBody.extend({ feeRate: feeRate.optional() }),
  data: payoutDetail,
  refusals: ['not_found', 'wrong_state'],
})

const outgoing = z.object({
  rail: z.enum(railNames),
  transactionId: z.string(),
  /** Our address whose money or nonce it uses; null on Bitcoin. */
  sender: z.string().nullable(),
  /** True if a Safe is there, so no key of ours signed it. */
  bySafe: z.boolean(),
  seenAt: timestamp,
  /** True once it is in a block. */
  mined: z.boolean(),
  /** What one of the team wrote, until a second person confirms it. */
  explanation: z.object({ reason: z.string(), by: z.string(), userId: z.string(), at: timestamp }).nullable(),
})
export type Outgoing = z.output<typeof outgoing>

export const listOutgoing = defineCall({
  id: 'payout.outgoing',
  method: 'GET',
  path: '/payout/outgoing',
  permission: 'console',
  summary:
    'Transactions of our addresses that no payout explains, nor two people of the team, the oldest first',
  message: msg('Unexplained transactions'),
  data: z.array(outgoing),
})

export const explainOutgoing = defineCall({
  id: 'payout.explain',
  method: 'POST',
  path: '/payout/explain',
  permission: 'decide',
  summary:
    'Records who made a transaction that no payout explains, and why. It counts once a second person confirms it. No money moves',
  message: msg('Explanation recorded'),
  body: reasonBody.extend({
    rail: z.enum(railNames),
    transactionId: z.string().min(1).max(200),
  }),
  data: z.array(outgoing),
  refusals: ['wrong_state'],
})

export const confirmOutgoing = defineCall({
  id: 'payout.confirm',
  method: 'POST',
  path: '/payout/confirm',
  permission: 'decide',
  summary:
    'Confirms what somebody else wrote about a transaction that no payout explains, which ends its alarm. No money moves',
  message: msg('Explanation confirmed'),
  body: optionalReasonBody.extend({
    rail: z.enum(railNames),
    transactionId: z.string().min(1).max(200),
    /** When the explanation that is confirmed was written: it may have been replaced. */
    explainedAt: timestamp,
  }),
  data: z.array(outgoing),
  refusals: ['wrong_state', 'same_approver'],
})
