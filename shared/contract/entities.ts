import { z } from 'zod'
import { depositMethods, investmentMethods, withdrawalWallets } from '#shared/coins.ts'
import { evidenceKinds, evidenceTypes } from '#shared/evidence.ts'
import { languageCodes } from '#shared/i18n/languages.ts'
import { roles } from '#shared/roles.ts'
import { cryptoText, lineNumber, recordId, timestamp, usd } from './fields.ts'

/**
 * Entities on the wire (product.md 3, D8). `_id` is a UUIDv7 (except `lineNumber`); amounts are USD with two
 * decimals.
 */

export const userTypes = ['investor', 'admin'] as const
/** How the list of users can be narrowed. */
export const userStatuses = [...userTypes, 'frozen', 'closed', 'unverified'] as const
export type UserType = (typeof userTypes)[number]

export const user = z.object({
  _id: recordId,
  name: z.string(),
  email: z.string(),
  country: z.string(),
  phone: z.string(),
  /** Of the account's emails and pages. */
  language: z.enum(languageCodes),
  /** All staff have type admin; their role says what they may do. */
  type: z.enum(userTypes),
  /** null for investors. */
  role: z.enum(roles).nullable(),
  emailVerified: z.boolean(),
  /** The requested new email address, until its code is entered. */
  pendingEmail: z.string().nullable(),
  referralCode: z.string(),
  /** Name of the account whose referral code was used. */
  referrer: z.string().nullable(),
  /** Available to withdraw or invest (D3). */
  balance: usd,
  /** Locked in active plans. */
  invested: usd,
  /** On hold for pending withdrawals and for investments paid from the balance. */
  held: usd,
  /** Frozen by staff: no deposits, investments or withdrawals. */
  frozen: z.boolean(),
  createdAt: timestamp,
})
export type User = z.output<typeof user>

export const paymentRequest = z.object({
  asset: z.enum(['BTC', 'USDT', 'ETH', 'USDC']),
  network: z.string(),
  address: z.string(),
  /** With all the asset's decimals. */
  amountCrypto: cryptoText,
  /** USD per unit, as text with thousands commas. */
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
 * Stage of a payment: `seen` in no block yet; `confirming`; `confirmed`, not credited yet; `underpaid`: an
 * investment's, waiting for the rest; `dropped`: seen before, on the network no more; `reversed` after a reorg; `expired`, still watched.
 */
export const depositStages = [
  'waiting',
  'seen',
  'confirming',
  'confirmed',
  'underpaid',
  'dropped',
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
 * Why staff must review a deposit: wrong coin; reversed; reversed after use; unsolicited; no rate for its arrival;
 * received after a decline; large; received after a manual credit that it was matched with; sent by a contract, which only
 * balances show; beyond what is credited in a day without a review; not shown by the
 * second source yet.
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
  'by_contract',
  'daily_limit',
  'second_source',
  'listed_sender',
] as const
export type DepositFlag = (typeof depositFlags)[number]

/**
 * What a sync error prevents: reading blocks, reading the mempool or nonces, crediting deposits, or marking payouts
 * as paid.
 */
export const syncErrorKinds = ['reading', 'unconfirmed', 'crediting', 'payouts'] as const
export type SyncErrorKind = (typeof syncErrorKinds)[number]

/** Confirmations so far and needed. */
export const confirmations = z.object({ have: z.int(), needed: z.int() })

/**
 * `credited_manually`: credited by an admin before it was seen. `dropped`: replaced or gone from the mempool; may
 * return. `dust`: too small. `wrong_asset`: another coin. `internal`: between our own addresses.
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
/** A transfer to a deposit's address. */
export const depositTransfer = z.object({
  _id: lineNumber,
  /** null if a contract sent it within a transaction that we do not know: `block` shows it. */
  transactionId: z.string().nullable(),
  block: z.object({ height: z.int(), hash: z.string() }).nullable(),
  token: z.enum(['BTC', 'ETH', 'USDT', 'USDC', 'TRX']),
  amountCrypto: cryptoText,
  arrivedAt: timestamp,
  state: z.enum(transferStates),
  confirmations: confirmations,
  /** After crediting: the amount, and USD per unit as text with thousands commas. */
  credited: usd.nullable(),
  rate: z.string().nullable(),
  rateSource: z.string().nullable(),
  /** Arrived outside the payment window; credited at the rate of its arrival. */
  late: z.boolean(),
})
export type DepositTransfer = z.output<typeof depositTransfer>
const cancelledField = {
  /** The investor has cancelled it; its status is then 'declined'. */
  cancelled: z.boolean(),
}

export const deposit = z.object({
  _id: recordId,
  invoiceId: z.string(),
  user: recordId,
  userName: z.string().nullable(),
  amount: usd,
  method: z.enum(depositMethods),
  status: z.enum(depositStatuses),
  /** One sentence on the payment's state and next step (D5). */
  label: z.string(),
  stage: z.enum(depositStages),
  /** Confirmations of a confirming payment. */
  confirmations: confirmations.nullable(),
  /** Coin amount seen so far; null if none, or the address is not watched. */
  seen: cryptoText.nullable(),
  /** True if its own address is watched: we see its payments. Staff enter what arrives at any other. */
  watched: z.boolean(),
  /** Coin amount missing from an underpaid deposit, while it can still be sent. */
  missing: cryptoText.nullable(),
  /** The payment URI for exactly that amount, like `payment.uri`. */
  missingUri: z.string().nullable(),
  /** True if the underpaid payment of an investment can be credited as it is, by its owner or staff. */
  canCredit: z.boolean(),
  flags: z.array(z.enum(depositFlags)),
  /** Number of transfers in another coin. */
  wrongAssetTransfers: z.int32().min(0),
  /** Debt: credited, reversed by the network, and already used. */
  debt: usd,
  /** The investment it pays; null for a plain deposit. */
  investment: recordId.nullable(),
  payment: paymentRequest,
  /** The credited amount; null until paid. */
  credited: usd.nullable(),
  /** How the payment deviated from its quote (D5). */
  deviation: z.enum(deviations).nullable(),
  /** The received coin amount with all decimals; null until paid. */
  received: cryptoText.nullable(),
  /** For a late payment: arrival time and rate, as text with thousands commas. */
  arrivedAt: timestamp.nullable(),
  arrivalRate: z.string().nullable(),
  arrivalRateSource: z.string().nullable(),
  /** The transaction, if recorded. */
  transactionId: z.string().nullable(),
  /** It deviates or has a flag, and staff have not reviewed it. */
  needsReview: z.boolean(),
  /** null also if it was cancelled. */
  declineReason: z.string().nullable(),
  ...cancelledField,
  /** True while the investor can cancel it: no payment was seen. */
  canCancel: z.boolean(),
  createdAt: timestamp,
  settledAt: timestamp.nullable(),
})
export type Deposit = z.output<typeof deposit>

export const investmentStatuses = ['pending', 'active', 'inactive', 'declined'] as const
/** What the owner of an investment wants of its principal, and what became of that at the end. */
export const reinvestments = [
  'requested',
  'done',
  'early',
  'debt',
  'plan_changed',
  'identity_refused',
  'email_not_verified',
  'terms_not_accepted',
] as const
export type Reinvestment = (typeof reinvestments)[number]

export const investment = z.object({
  _id: recordId,
  invoiceId: z.string(),
  user: recordId,
  userName: z.string().nullable(),
  /** Plan name in the version of the investment. */
  plan: z.string(),
  amount: usd,
  /** Target return over the whole term, in percent. */
  percentage: z.number(),
  duration: z.string(),
  /** Target after 30 days (D4). */
  after30Days: usd,
  method: z.enum(investmentMethods),
  status: z.enum(investmentStatuses),
  /** Past its ending date but active: 'Matured, being closed' (D6). */
  matured: z.boolean(),
  /** Pending, and its money is on hold: from the balance, or its payment is credited. */
  held: z.boolean(),
  /** Earnings paid so far. */
  earned: usd,
  /** Accrued and unpaid. A target, not a claim. */
  accrued: usd,
  /** null also if it was cancelled. */
  declineReason: z.string().nullable(),
  ...cancelledField,
  /** Why it was closed before its ending date. */
  closeReason: z.string().nullable(),
  createdAt: timestamp,
  approvedAt: timestamp.nullable(),
  endingDate: timestamp.nullable(),
  closedAt: timestamp.nullable(),
  reinvestment: z
    .enum(reinvestments)
    .nullable()
    .describe(
      "'requested' while active: the principal is to be invested again at the end; once closed: 'done', or why we did not",
    ),
  /** The investment that its principal went into. */
  reinvestedAs: z.object({ _id: recordId, invoiceId: z.string() }).nullable(),
})
export type Investment = z.output<typeof investment>

export const payoutStatuses = ['drafted', 'signed', 'broadcast', 'final', 'void'] as const

/** A withdrawal's coin amount, locked with its last approval. The firm pays the network fee. */
export const fixedPayout = z.object({
  asset: z.enum(['BTC', 'USDT', 'ETH']),
  /** With all the asset's decimals; all of it arrives. */
  amountCrypto: cryptoText,
  /** USD per unit, as text with thousands commas. */
  rate: z.string(),
  rateAt: timestamp,
  rateSource: z.string(),
})

const secondApprovals = ['amount', 'investor_day', 'approver_day'] as const
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
  /** Approvals so far and needed (D7). */
  approvals: z.int(),
  approvalsNeeded: z.int(),
  /** Up to this sum in 24 hours, of one investor or of one approver, one person may approve. */
  singleApproval: usd,
  /** Why a second person must approve it: its amount, or the sum of the investor's or the approver's 24 hours. */
  secondApproval: z.enum(secondApprovals).nullable(),
  /** null before the rate lock and for coins without a rail. */
  payout: fixedPayout.nullable(),
  /** The batch that pays or paid it, if any. */
  batch: z
    .object({
      _id: recordId,
      number: z.string(),
      /** Of the transaction that pays it. */
      status: z.enum(payoutStatuses),
      /** The network shows that transaction. */
      shown: z.boolean(),
      /** It cannot be marked as paid manually meanwhile. */
      exclusive: z.boolean(),
    })
    .nullable(),
  transactionId: z.string().nullable(),
  /** null also if it was cancelled. */
  declineReason: z.string().nullable(),
  ...cancelledField,
  /** Part of a declined withdrawal's hold that repaid a debt. */
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
  /** The part beyond what had accrued and was not paid when it was added; then a second person must approve it. */
  beyondAccrued: usd,
  /** The recorded returns that pay it (D1.2). */
  source: z.string(),
  note: z.string().nullable(),
  status: z.enum(earningStatuses),
  investment: recordId.nullable(),
  /** Plan and invoice of the investment. */
  investmentLabel: z.string().nullable(),
  declineReason: z.string().nullable(),
  createdAt: timestamp,
})
export type Earning = z.output<typeof earning>

/** An investment in the preview of a plan's earnings. */
export const planShare = z.object({
  /** The investment's id. */
  _id: recordId,
  invoiceId: z.string(),
  user: recordId,
  userName: z.string().nullable(),
  /** The invested amount. */
  principal: usd,
  /** Target of its plan version over the whole term, in percent. */
  percentage: z.number(),
  approvedAt: timestamp,
  /** Accrued and unpaid at the preview's time. */
  amount: usd,
})
export type PlanShare = z.output<typeof planShare>

/** Why an investment of a confirmed run got no earning: its accrual, if any, stays due. */
export const skipReasons = ['closed', 'frozen', 'already_added'] as const
export const runStatuses = ['running', 'done', 'cancelled', 'stopped'] as const
/** A plan's earnings, confirmed once and added in parts. Added, skipped and left add up to what was confirmed. */
export const planRun = z.object({
  _id: recordId,
  plan: z.string(),
  /** Time of the confirmed preview. */
  asOf: timestamp,
  /** Confirmed investments and their total. */
  count: z.int(),
  total: usd,
  status: z.enum(runStatuses),
  /** Its earnings are pending: a second person must approve each. */
  needsApproval: z.boolean(),
  added: z.int(),
  addedTotal: usd,
  skipped: z.int(),
  skippedTotal: usd,
  /** Not decided yet or, once it has ended, not added. */
  left: z.int(),
  leftTotal: usd,
  /** Why it stopped before its end: recorded returns lack the rest, or the person who confirmed it may no longer decide. */
  stopReason: z.enum(['insufficient_returns', 'access_ended']).nullable(),
  /** The first skipped investments. */
  skips: z.array(
    z.object({
      /** The investment's id. */
      investment: recordId,
      invoiceId: z.string(),
      amount: usd,
      reason: z.enum(skipReasons),
    }),
  ),
  note: z.string().nullable(),
  /** The person who confirmed it. */
  by: z.string().nullable(),
  createdAt: timestamp,
  endedAt: timestamp.nullable(),
})
export type PlanRun = z.output<typeof planRun>

/** An evidence file. */
export const evidenceFile = z.object({
  name: z.string(),
  type: z.enum(evidenceTypes),
  /** In bytes. */
  size: z.int(),
  /** Of its content, in hex. */
  sha256: z.string(),
})
export type EvidenceFile = z.output<typeof evidenceFile>

export const returnStatuses = ['pending', 'recorded', 'declined', 'void_proposed', 'voided'] as const

export const realisedReturn = z.object({
  _id: recordId,
  amount: usd,
  /**
   * 'pending': it waits for a second person. 'void_proposed': earnings are not paid from it until a second person has
   * decided. Only a recorded return pays earnings.
   */
  status: z.enum(returnStatuses),
  /** Amount paid out as earnings. */
  paidOut: usd,
  /** Amount recorded, not voided and not paid out. */
  left: usd,
  source: z.string(),
  /** Day it was realised, YYYY-MM-DD. */
  realisedAt: z.string(),
  /** A file's name, if it is a file. */
  evidence: z.string(),
  /** 'link' for an http(s) address, 'transaction' for a transaction id, 'file' for a file that was uploaded. */
  evidenceKind: z.enum(evidenceKinds),
  evidenceFile: evidenceFile.nullable(),
  recordedBy: z.string().nullable(),
  /** Who approved a large one. */
  approvedBy: z.string().nullable(),
  declineReason: z.string().nullable(),
  voidReason: z.string().nullable(),
  voidProposedBy: z.string().nullable(),
  voidedBy: z.string().nullable(),
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
  /** As shown on the card: '30 days', '5 months'. */
  duration: z.string(),
  durationDays: z.int(),
  note: z.string().nullable(),
  /** Start of this version. */
  changedAt: timestamp,
})
export type Plan = z.output<typeof plan>

/** How a version was made: 'retired' hides the record, 'restored' shows it again. */
export const versionChanges = ['created', 'changed', 'retired', 'restored'] as const
export type VersionChange = (typeof versionChanges)[number]

/** Who made a version, when and why. */
export const versionFacts = z.object({
  version: z.int(),
  /** Null if it came with the configuration or the sample. */
  changedBy: z.string().nullable(),
  changedAt: timestamp,
  reason: z.string().nullable(),
})

/** An investor's accounts and the kinds of postings. */
export const statementAccounts = ['available', 'invested', 'held'] as const
export const statementKinds = ['deposit', 'investment', 'earning', 'withdrawal'] as const
export type StatementAccount = (typeof statementAccounts)[number]
export type StatementKind = (typeof statementKinds)[number]

/** A posting on an investor's account. */
export const statementLine = z.object({
  _id: lineNumber,
  at: timestamp,
  /** The business event, e.g. 'deposit.settled'. */
  event: z.string(),
  /** The event in words: 'Deposit received'. */
  description: z.string(),
  account: z.enum(statementAccounts),
  /** Signed: credits are positive. */
  amount: usd,
  /** Balance of that account after the posting. */
  balance: usd,
  /** Kind and id of its record. */
  kind: z.enum(statementKinds),
  reference: recordId,
  /** Id of the ledger's transaction: postings with the same one belong together and follow each other. */
  transaction: recordId,
  /** Number of the record; for an earning, its investment's. */
  invoiceId: z.string().nullable(),
  /** The decline reason or the paying transaction. */
  note: z.string().nullable(),
})
export type StatementLine = z.output<typeof statementLine>

/** One step in a record's history. */
export const historyEntry = z.object({
  at: timestamp,
  action: z.string(),
  actor: z.string(),
  reason: z.string().nullable(),
})
export type HistoryEntry = z.output<typeof historyEntry>

/** Postings and history of a user's record. */
export const trail = z.object({ entries: z.array(statementLine), history: z.array(historyEntry) })
export type Trail = z.output<typeof trail>

/** A recorded return that paid an earning or part of it (D1.2). */
export const earningReturn = z.object({
  /** The return's id. */
  _id: recordId,
  /** The part of the earning it paid. */
  amount: usd,
  source: z.string(),
  /** Day it was realised, YYYY-MM-DD. */
  realisedAt: z.string(),
  ...realisedReturn.pick({ evidence: true, evidenceKind: true, evidenceFile: true }).shape,
  /** What the return had not paid was voided since. */
  restVoided: z.boolean(),
})
export type EarningReturn = z.output<typeof earningReturn>

/** The user's list with its total, as returned by login and echo. */
export const totalAndList = <T extends z.ZodType>(item: T) => z.object({ total: usd, list: z.array(item) })
