import type { Asset } from '#shared/money.ts'

/**
 * The chart of accounts and the business events, for the type checker. The database is the authority
 * (db/migrations/0010_ledger_tables.sql); rules.test.ts compares the two.
 */
export const investorKinds = ['available', 'held', 'invested'] as const
export type InvestorKind = (typeof investorKinds)[number]

export const firmKinds = [
  'recorded_returns',
  'returns_received',
  'custody',
  'exchange',
  'payouts',
  'rounding',
  'receivable',
] as const
export type FirmKind = (typeof firmKinds)[number]
export type AccountKind = InvestorKind | FirmKind

export const ledgerEvents = [
  'deposit.settled',
  'deposit.added',
  'deposit.reversed',
  'investment.funded',
  'investment.requested',
  'investment.approved',
  'investment.declined',
  'investment.closed',
  'withdrawal.requested',
  'withdrawal.paid',
  'withdrawal.declined',
  'return.recorded',
  'return.voided',
  'earning.paid',
] as const
export type LedgerEvent = (typeof ledgerEvents)[number]

/** Kinds of records of an investor's transactions (`ledger.statement_kinds()`). */
export const statementKinds = ['deposit', 'investment', 'earning', 'withdrawal'] as const
export type StatementKind = (typeof statementKinds)[number]

/** Kinds of records of a transaction; the id beside it is that row's. */
export type ReferenceKind = StatementKind | 'return'

/** The firm as an owner of accounts: the nil UUID (RFC 9562, 5.9). */
export const firm = '00000000-0000-0000-0000-000000000000'

/** An investor's account names its owner; the firm has one account of each kind and asset. */
export type Account = { kind: InvestorKind; owner: string } | { kind: FirmKind }

/** Moves `amount` minor units of `asset`: debits `from`, credits `to`. */
export type Leg = { from: Account; to: Account; asset: Asset; amount: bigint }

/** One business event with all its legs; created by events.ts, written by post.ts. */
export type Posting = {
  /** UUIDv7 of the transaction, and of a hold that it places. */
  id: string
  event: LedgerEvent
  reference: { kind: ReferenceKind; id: string }
  /** The hold that it posts or voids. */
  holdId: string | null
  /** Id of the user who caused it; null for the system. */
  actor: string | null
  memo: string | null
  legs: Leg[]
}
