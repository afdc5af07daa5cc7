import { z } from 'zod'
import { depositMethods, investmentMethods, withdrawalWallets } from '#shared/coins.ts'
import { evidenceKinds, evidenceTypes } from '#shared/evidence.ts'
import { roles } from '#shared/roles.ts'
import { cryptoText, lineNumber, recordId, timestamp, usd } from './fields.ts'

/** The entities as the wire shows them (product.md 3, D8). `_id` is a UUIDv7 (but see `lineNumber`); amounts are USD with two decimals. */

export const userTypes = ['investor', 'admin'] as const
export type UserType = (typeof userTypes)[number]

export const user = z.object({
  _id: recordId,
  name: z.string(),
  email: z.string(),
  country: z.string(),
  phone: z.string(),
  /** All staff are of type admin; what they may do says their role. */
  type: z.enum(userTypes),
  /** null: an investor. */
  role: z.enum(roles).nullable(),
  emailVerified: z.boolean(),
  /** Was asked for, and becomes the e-mail address once its code is entered. */
  pendingEmail: z.string().nullable(),
  referralCode: z.string(),
  /** Name of the account whose referral code was given at sign-up. */
  referrer: z.string().nullable(),
  /** What can be withdrawn or invested now (D3). */
  balance: usd,
  /** Locked in active plans. */
  invested: usd,
  /** On hold for pending withdrawals and for investments paid from the balance. */
  held: usd,
  /** Frozen by the firm: no deposits, investments or withdrawals for now. */
  frozen: z.boolean(),
  createdAt: timestamp,
})
export type User = z.output<typeof user>

export const paymentRequest = z.object({
  asset: z.enum(['BTC', 'USDT', 'ETH']),
  network: z.string(),
  address: z.string(),
  /** With all the asset's digits. */
  amountCrypto: cryptoText,
  /** USD for one unit, as text with thousands commas. */
  rate: z.string(),
  rateAt: timestamp,
  rateSource: z.string(),
  expiresAt: timestamp,
  /** BIP-21, EIP-681, or the TRC-20 form. */
  uri: z.string(),
})
export type PaymentRequest = z.output<typeof paymentRequest>

/** How a payment deviates from its quote. */
export const deviations = ['underpaid', 'overpaid', 'late'] as const
export type Deviation = (typeof deviations)[number]

export const depositStatuses = ['pending', 'paid', 'unpaid', 'declined'] as const

/**
 * Where a payment stands, finer than its status: `seen` in no block yet; `confirming`; `confirmed`: all of it is, and it is not credited
 * yet; `underpaid`: what came is confirmed, less than asked for, and the rest is waited for; `reversed`: it was credited, and its network has
 * taken it back; `expired`: not paid in time, and still watched.
 */
export const depositStages = [
  'waiting',
  'seen',
  'confirming',
  'confirmed',
  'underpaid',
  'reversed',
  'expired',
  'paid',
  'paid_under',
  'paid_over',
  'paid_late',
  'declined',
] as const
export type DepositStage = (typeof depositStages)[number]

/**
 * What the firm has to look at beside how a payment came: another coin came; its network took it back after it was credited, and of
 * that something was spent already; nobody had asked for it; no rate of its arrival is on record; it was credited although it had been
 * declined; it is so large that somebody looks at it before it is credited; it came after somebody had approved the deposit by hand, was
 * taken for what he had approved, and not credited.
 */
export const depositFlags = [
  'wrong_asset',
  'reversed',
  'debt',
  'unsolicited',
  'rate_missing',
  'after_decline',
  'large',
  'manual_credit',
] as const
export type DepositFlag = (typeof depositFlags)[number]

/**
 * What a fault of watching a network keeps from being done: blocks are not read; they are, and only what is in no block yet (or how
 * transactions are numbered) is not known; what came is not credited; payouts are not marked as paid.
 */
export const syncErrorKinds = ['reading', 'unconfirmed', 'crediting', 'payouts'] as const
export type SyncErrorKind = (typeof syncErrorKinds)[number]

/** How many confirmations there are, and how many it takes. */
export const confirmations = z.object({ have: z.int(), needed: z.int() })

/**
 * `credited_manually`: an admin had credited it before it was seen. `dropped`: replaced by another transaction or gone from the
 * mempool; it may return. `dust` is too small to count, `wrong_asset` another coin than the quoted one, `internal` a transfer between
 * our own addresses.
 */
export const transferStates = [
  'seen',
  'confirming',
  'confirmed',
  'credited',
  'credited_manually',
  'dropped',
  'dust',
  'wrong_asset',
  'internal',
] as const
/** One transfer to a deposit's address, as its network shows it. */
export const depositTransfer = z.object({
  _id: lineNumber,
  transactionId: z.string(),
  token: z.enum(['BTC', 'ETH', 'USDT', 'USDC']),
  amountCrypto: cryptoText,
  arrivedAt: timestamp,
  state: z.enum(transferStates),
  confirmations: confirmations,
  /** Once it is credited: what with, and USD for one unit, as text with thousands commas. */
  credited: usd.nullable(),
  rate: z.string().nullable(),
  rateSource: z.string().nullable(),
  /** It came outside of the window, and counts at the rate of its arrival. */
  late: z.boolean(),
})
export type DepositTransfer = z.output<typeof depositTransfer>
export const deposit = z.object({
  _id: recordId,
  invoiceId: z.string(),
  user: recordId,
  userName: z.string().nullable(),
  amount: usd,
  method: z.enum(depositMethods),
  status: z.enum(depositStatuses),
  /** One plain sentence of where the payment stands (D5), and what can be done. */
  label: z.string(),
  stage: z.enum(depositStages),
  /** Of what is confirming. */
  confirmations: confirmations.nullable(),
  /** What its network has shown of it so far, in the coin; null where nothing was seen, or its address is not watched. */
  seen: cryptoText.nullable(),
  /** Of a short one, what is still to come. */
  missing: cryptoText.nullable(),
  /** Whether what came of a short one can be credited as it is, by its owner or by the firm. */
  canCredit: z.boolean(),
  flags: z.array(z.enum(depositFlags)),
  /** How many transfers of another coin than was asked for came to its address. */
  wrongAssetTransfers: z.int().min(0),
  /** What was credited, then taken back by its network, and was spent already. */
  debt: usd,
  /** The investment that this payment funds; null for a plain deposit. */
  investment: recordId.nullable(),
  payment: paymentRequest,
  /** What was credited in fact; null until it is paid. */
  credited: usd.nullable(),
  /** How it came where that was not as asked for: less or more of the coin, or after the window (D5). */
  deviation: z.enum(deviations).nullable(),
  /** What came, in the coin, with all the asset's digits; null until it is paid. */
  received: cryptoText.nullable(),
  /** Of a late one, when it came and the rate of that moment, as text with thousands commas. */
  arrivedAt: timestamp.nullable(),
  arrivalRate: z.string().nullable(),
  arrivalRateSource: z.string().nullable(),
  /** The transaction that brought it, where that was written down. */
  transactionId: z.string().nullable(),
  /** It did not come as asked for, or has a flag, and nobody of the firm has looked at that yet. */
  needsReview: z.boolean(),
  declineReason: z.string().nullable(),
  createdAt: timestamp,
  settledAt: timestamp.nullable(),
})
export type Deposit = z.output<typeof deposit>

export const investmentStatuses = ['pending', 'active', 'inactive', 'declined'] as const
export const investment = z.object({
  _id: recordId,
  invoiceId: z.string(),
  user: recordId,
  userName: z.string().nullable(),
  /** The plan's name in the version that the investment was made under. */
  plan: z.string(),
  amount: usd,
  /** Target return over the plan's whole duration, in percent. */
  percentage: z.number(),
  duration: z.string(),
  /** What the target comes to after 30 days (D4). */
  after30Days: usd,
  method: z.enum(investmentMethods),
  status: z.enum(investmentStatuses),
  /** Past its ending date and still active: 'Matured, being closed' (D6). */
  matured: z.boolean(),
  /** Earnings paid on it so far. */
  earned: usd,
  /** Accrued by the target and not paid yet. A target, not a claim. */
  accrued: usd,
  declineReason: z.string().nullable(),
  /** Why it was closed, where that was said: before its ending date. */
  closeReason: z.string().nullable(),
  createdAt: timestamp,
  approvedAt: timestamp.nullable(),
  endingDate: timestamp.nullable(),
  closedAt: timestamp.nullable(),
})
export type Investment = z.output<typeof investment>

export const payoutStatuses = ['open', 'seen', 'paid', 'cancelled'] as const

/** What a withdrawal is paid in its coin, fixed with its last approval. The firm pays the network's fee. */
export const fixedPayout = z.object({
  asset: z.enum(['BTC', 'USDT', 'ETH']),
  /** With all the asset's digits: all of it arrives. */
  amountCrypto: cryptoText,
  /** USD for one unit, as text with thousands commas. */
  rate: z.string(),
  rateAt: timestamp,
  rateSource: z.string(),
})

export const withdrawalStatuses = ['pending', 'approved', 'paid', 'declined'] as const
export const withdrawal = z.object({
  _id: recordId,
  invoiceId: z.string(),
  user: recordId,
  userName: z.string().nullable(),
  amount: usd,
  status: z.enum(withdrawalStatuses),
  wallet: z.enum(withdrawalWallets),
  walletAddress: z.string(),
  /** Admins who have approved so far, and how many must (D7). */
  approvals: z.int(),
  approvalsNeeded: z.int(),
  /** null until it is fixed, and of coins that the rails do not pay. */
  payout: fixedPayout.nullable(),
  /** The batch that pays it or has paid it; null: none, or not by a batch. */
  batch: z
    .object({
      _id: recordId,
      number: z.string(),
      status: z.enum(payoutStatuses),
      /** Nobody marks it as paid by hand meanwhile. */
      exclusive: z.boolean(),
    })
    .nullable(),
  transactionId: z.string().nullable(),
  declineReason: z.string().nullable(),
  /** Of what it held, once it is declined: what makes good what networks took back of its owner's deposits; the rest is available again. */
  recovered: usd,
  createdAt: timestamp,
  approvedAt: timestamp.nullable(),
  paidAt: timestamp.nullable(),
})
export type Withdrawal = z.output<typeof withdrawal>

export const earningStatuses = ['pending', 'paid', 'declined'] as const
export const earning = z.object({
  _id: recordId,
  user: recordId,
  userName: z.string().nullable(),
  amount: usd,
  /** What the firm earned it on: the recorded returns that pay it (D1.2). */
  source: z.string(),
  note: z.string().nullable(),
  status: z.enum(earningStatuses),
  investment: recordId.nullable(),
  /** The investment in words: plan and invoice. */
  investmentLabel: z.string().nullable(),
  declineReason: z.string().nullable(),
  createdAt: timestamp,
})
export type Earning = z.output<typeof earning>

/** One investment of the preview of a plan's earnings. */
export const planShare = z.object({
  /** The investment's id. */
  _id: recordId,
  invoiceId: z.string(),
  user: recordId,
  userName: z.string().nullable(),
  /** What is invested. */
  principal: usd,
  /** Target of the version that it was made under, over the whole duration, in percent. */
  percentage: z.number(),
  approvedAt: timestamp,
  /** What has accrued on it by the preview's moment and is not paid. */
  amount: usd,
})
export type PlanShare = z.output<typeof planShare>

/** A file that proves a return. */
export const evidenceFile = z.object({
  name: z.string(),
  type: z.enum(evidenceTypes),
  /** In bytes. */
  size: z.int(),
  /** Of its content, in hex. */
  sha256: z.string(),
})
export type EvidenceFile = z.output<typeof evidenceFile>

export const realisedReturn = z.object({
  _id: recordId,
  amount: usd,
  /** How much of it has been paid out as earnings. */
  paidOut: usd,
  source: z.string(),
  /** The day on which the firm realised it, YYYY-MM-DD. */
  realisedAt: z.string(),
  /** Of a file, its name. */
  evidence: z.string(),
  /** 'link' for an http(s) address, 'transaction' for a transaction id, 'file' for a file that was uploaded. */
  evidenceKind: z.enum(evidenceKinds),
  evidenceFile: evidenceFile.nullable(),
  recordedBy: z.string().nullable(),
  createdAt: timestamp,
})
export type RealisedReturn = z.output<typeof realisedReturn>

export const plan = z.object({
  _id: recordId,
  version: z.int(),
  name: z.string(),
  percentage: z.number(),
  minimum: usd,
  /** null: 'Unlimited'. */
  maximum: usd.nullable(),
  /** As the card says it: '30 days', '5 months'. */
  duration: z.string(),
  durationDays: z.int(),
  note: z.string().nullable(),
  /** When this version came into force. */
  changedAt: timestamp,
})
export type Plan = z.output<typeof plan>

/** What made a version of something that the firm manages: 'retired' takes it off the site, 'restored' puts it back. */
export const versionChanges = ['created', 'changed', 'retired', 'restored'] as const
export type VersionChange = (typeof versionChanges)[number]

/** Who made a version, when and why. */
export const versionFacts = z.object({
  version: z.int(),
  /** Null where nobody did: it came with the configuration, or with the sample. */
  changedBy: z.string().nullable(),
  changedAt: timestamp,
  reason: z.string().nullable(),
})

/** The accounts of an investor, and what moves money on them. */
export const statementAccounts = ['available', 'invested', 'held'] as const
export const statementKinds = ['deposit', 'investment', 'earning', 'withdrawal'] as const
export type StatementAccount = (typeof statementAccounts)[number]
export type StatementKind = (typeof statementKinds)[number]

/** One posting on one of the investor's accounts. */
export const statementLine = z.object({
  _id: lineNumber,
  at: timestamp,
  /** The business event, e.g. 'deposit.settled'. */
  event: z.string(),
  /** The event in words: 'Deposit received'. */
  description: z.string(),
  account: z.enum(statementAccounts),
  /** Signed: what came is positive. */
  amount: usd,
  /** Balance of that account after the posting. */
  balance: usd,
  /** What it is about, and that record's id. */
  kind: z.enum(statementKinds),
  reference: recordId,
  /** The number of that record; of an earning, its investment's. */
  invoiceId: z.string().nullable(),
  /** Why it was declined, or the transaction that paid it. */
  note: z.string().nullable(),
})
export type StatementLine = z.output<typeof statementLine>

/** One step in the life of a deposit, investment, withdrawal or earning. */
export const historyEntry = z.object({
  at: timestamp,
  action: z.string(),
  actor: z.string(),
  reason: z.string().nullable(),
})
export type HistoryEntry = z.output<typeof historyEntry>

/** What every record of one's own has beside its fields: the postings that it made, and its life so far. */
export const trail = z.object({ entries: z.array(statementLine), history: z.array(historyEntry) })
export type Trail = z.output<typeof trail>

/** A recorded return that paid an earning, or a part of it (D1.2). */
export const earningReturn = z.object({
  /** The return's id. */
  _id: recordId,
  /** How much of the earning it paid. */
  amount: usd,
  source: z.string(),
  /** The day on which the firm realised it, YYYY-MM-DD. */
  realisedAt: z.string(),
  ...realisedReturn.pick({ evidence: true, evidenceKind: true, evidenceFile: true }).shape,
})
export type EarningReturn = z.output<typeof earningReturn>

/** A list of one's own with its sum, as login and echo answer it. */
export const totalAndList = <T extends z.ZodType>(item: T) => z.object({ total: usd, list: z.array(item) })
