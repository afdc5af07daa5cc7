import type { DepositMethod, InvestmentMethod } from '#shared/coins.ts'
import { formatUsd } from '#shared/money.ts'

/**
 * Everyone's expected state, the simple way: a few maps and sums, without ledger, database or clock. The model knows
 * the decisions (D1, D4 to D8), not how the product implements them.
 */

/** An amount as sent; `cents` is null for an invalid one. */
export type Amount = { json: number; cents: bigint | null }
export const plans = {
  Basic: { basisPoints: 900n, days: 30n, from: 10_000n, to: 99_900n },
  Beginner: { basisPoints: 300n, days: 30n, from: 50_000n, to: 199_900n },
  Elite: { basisPoints: 2_000n, days: 5n, from: 2_000_000n, to: 999_999_900n },
} as const
export type PlanName = keyof typeof plans

/** One request, without its caller. */
export type Ask =
  | { do: 'deposit.new'; amount: Amount; method: DepositMethod }
  | { do: 'investment.new'; amount: Amount; method: InvestmentMethod; plan: PlanName }
  | { do: 'withdrawal.new'; amount: Amount }
  | { do: 'return.new'; amount: Amount; realisedAt: string; source: string }
  | { do: 'earning.add'; user: string; amount: Amount | null; investment: string | null }
  /**
   * `received`: the cents that arrived of a payment in usdt, as requested if omitted. `arrivedAt`: when, always in
   * time.
   */
  | { do: 'deposit.approve'; id: string; received?: bigint; arrivedAt?: string }
  | { do: 'investment.approve'; id: string; received?: bigint; arrivedAt?: string }
  /** Always on: of two racing choices, answers do not tell which was last. */
  | { do: 'investment.close' | 'investment.reinvest'; id: string }
  | { do: 'withdrawal.approve' | 'earning.approve' | 'return.approve' | 'return.void'; id: string }
  | { do: Cancel; id: string }
  | { do: Decline; id: string; reason: string }
  | { do: 'withdrawal.paid'; id: string; transactionId: string }
type Cancel = 'deposit.cancel' | 'investment.cancel' | 'withdrawal.cancel'
type Decline =
  | 'deposit.decline'
  | 'investment.decline'
  | 'withdrawal.decline'
  | 'earning.decline'
  | 'return.decline'
  | 'return.proposeVoid'
  | 'return.rejectVoid'

/** `by` is an index into `people`; the key is the Idempotency-Key. */
export type Request = { ask: Ask; by: number; key: string | null }

export type Answer = { status: number; message: string; code?: string; data: unknown }

export type Person = {
  id: string
  admin: boolean
  available: bigint
  held: bigint
  invested: bigint
  paid: bigint
}
export type Deposit = {
  owner: string
  cents: bigint
  method: DepositMethod
  status: string
  investment: string | null
  watchUntil: number
  /** The time of the request, as the product reports it. */
  createdAt: string
}
export type Investment = {
  owner: string
  cents: bigint
  plan: PlanName
  status: string
  /** Its money is on hold: the balance pays it, or its payment arrived before its approval. */
  held: boolean
  deposit: string | null
  approvedAt: number
  /** The time of its approval as the product reports it: earnings go to the oldest first. */
  approved: string
  /** Its owner wants its principal invested again. */
  reinvest: boolean
}
type Withdrawal = {
  owner: string
  cents: bigint
  status: string
  needed: number
  approvals: string[]
  askedAt: number
  approvedAt: number
}
type Earning = { owner: string; investment: string; cents: bigint; status: string; maker: string }
export type Return = {
  id: string
  source: string
  realisedAt: string
  cents: bigint
  spent: bigint
  status: string
  recorder: string
  approver: string | null
  proposer: string | null
  recordedAt: number
}

/** In minutes. */
export const day = 24 * 60

/** Plain data, so that it can be copied by `structuredClone`. Times are minutes since the run began. */
export type State = {
  now: number
  pricesAt: number
  /** True if an earning waits for a second admin. */
  secondApproval: boolean
  people: Person[]
  deposits: Map<string, Deposit>
  investments: Map<string, Investment>
  withdrawals: Map<string, Withdrawal>
  earnings: Map<string, Earning>
  returns: Map<string, Return>
  /** The answers to keys, by caller. */
  keys: Map<string, { asked: string; answer: Answer }>
}

/** The expected outcome of a request. */
export type Expected = {
  status: number
  code?: string
  message?: string
  /** Part of the expected data of the answer. */
  shows?: object
  /** The first answer of its key, which this must repeat. */
  again?: Answer
  /** Lines of the audit log. */
  lines: number
  /** Not stored with its key: a repetition is a new request. */
  forgotten?: boolean
  /** The effect. Ids are the product's choice. */
  apply?: (state: State, data: never) => void
}

export type Of<Do extends Ask['do']> = Extract<Ask, { do: Do }>
export type Made = { _id: string }

export function refused(status: number, code: string, message?: string): Expected {
  return { status, code, lines: 0, ...(message ? { message } : {}) }
}
export const forgotten = (expected: Expected): Expected => ({ ...expected, forgotten: true })
export const missing = refused(404, 'not_found')
export const own = refused(409, 'own_request')
export const twice = refused(409, 'same_approver')
export const notOwn = refused(403, 'forbidden')
export const wrongState = refused(409, 'wrong_state')

export function done(shows: object, apply: Expected['apply'], lines = 1): Expected {
  return { status: 200, shows, lines, ...(apply ? { apply } : {}) }
}

export function personOf(state: State, id: string): Person {
  return state.people.find(person => person.id === id)!
}

export function hold(state: State, owner: string, cents: bigint): void {
  const person = personOf(state, owner)
  person.available -= cents
  person.held += cents
}

export function release(state: State, owner: string, cents: bigint): void {
  hold(state, owner, -cents)
}

export function insufficient({ available }: Person): Expected {
  return refused(409, 'insufficient_funds', `Insufficient funds: ${formatUsd(available)} is available.`)
}
