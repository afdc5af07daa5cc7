import type { DepositMethod, InvestmentMethod } from '#shared/coins.ts'
import { formatUsd, usdToJson } from '#shared/money.ts'

/**
 * What everybody should have, the simple way: a few maps and sums, without a ledger, a database or a clock. It knows
 * the decisions (D1, D4 to D8) and nothing of how the product keeps them.
 */

/** An amount as it is sent; `cents` is null where it is no amount of money. */
export type Amount = { json: number; cents: bigint | null }
export const plans = {
  Basic: { basisPoints: 900n, days: 30n, from: 10_000n, to: 99_900n },
  Beginner: { basisPoints: 300n, days: 30n, from: 50_000n, to: 199_900n },
  Elite: { basisPoints: 2_000n, days: 5n, from: 2_000_000n, to: 999_999_900n },
} as const
export type PlanName = keyof typeof plans

/** One request, without who makes it. */
export type Ask =
  | { do: 'deposit.new'; amount: Amount; method: DepositMethod }
  | { do: 'investment.new'; amount: Amount; method: InvestmentMethod; plan: PlanName }
  | { do: 'withdrawal.new'; amount: Amount }
  | { do: 'return.new'; amount: Amount; realisedAt: string; source: string }
  | { do: 'earning.add'; user: string; amount: Amount | null; investment: string | null }
  /** `received`: what arrived, of a payment in usdt, in cents; exactly what was asked for where it is left out. */
  | { do: 'deposit.approve'; id: string; received?: bigint }
  | { do: 'investment.approve'; id: string; received?: bigint }
  | { do: 'investment.close'; id: string }
  | { do: 'withdrawal.approve' | 'earning.approve'; id: string }
  | { do: Decline; id: string; reason: string }
  | { do: 'withdrawal.paid'; id: string; transactionId: string }
type Decline = 'deposit.decline' | 'investment.decline' | 'withdrawal.decline' | 'earning.decline'

/** `by` is an index into `people`; the key is the Idempotency-Key. */
export type Request = { ask: Ask; by: number; key: string | null }

export type Answer = { status: number; message: string; code?: string; data: unknown }

type Person = { id: string; admin: boolean; available: bigint; held: bigint; invested: bigint; paid: bigint }
type Deposit = {
  owner: string
  cents: bigint
  method: DepositMethod
  status: string
  investment: string | null
  watchUntil: number
}
type Investment = {
  owner: string
  cents: bigint
  plan: PlanName
  status: string
  /** Its money is on hold: the balance pays it, or its payment arrived before its approval. */
  held: boolean
  deposit: string | null
  approvedAt: number
  /** The moment of its approval as the product says it: earnings go to the oldest first. */
  approved: string
}
type Withdrawal = { owner: string; cents: bigint; status: string; approvals: string[] }
type Earning = { owner: string; investment: string; cents: bigint; status: string; maker: string }
export type Return = { id: string; source: string; realisedAt: string; cents: bigint; spent: bigint }

/** Plain data, so that it can be copied by `structuredClone`. Times are minutes since the run began. */
export type State = {
  now: number
  pricesAt: number
  /** Whether an earning waits for a second admin. */
  secondApproval: boolean
  people: Person[]
  deposits: Map<string, Deposit>
  investments: Map<string, Investment>
  withdrawals: Map<string, Withdrawal>
  earnings: Map<string, Earning>
  returns: Return[]
  /** What was answered to a key, by who has sent it. */
  keys: Map<string, { asked: string; answer: Answer }>
}

/** What should come of a request. */
export type Expected = {
  status: number
  code?: string
  message?: string
  /** What the answer's data says, among other things. */
  shows?: object
  /** The first answer of its key, which it should be. */
  again?: Answer
  /** Lines of the audit log. */
  lines: number
  /** Not kept with its key: a repetition is a new request. */
  forgotten?: boolean
  /** What changes. Ids are the product's to choose. */
  apply?: (state: State, data: never) => void
}

const day = 24 * 60
/** A payment's window and the monitoring after it (D5). */
const watched = 15 + day
const largeWithdrawal = 1_000_000n
const largest = 999_999_999_999n
const minimumDeposit = 10_000n
const stalePrices = 5

const asAdmin = /^(return|earning)\.|\.(approve|decline|close|paid)$/

/** What a request should come to in this state, which it leaves as it is; `settle` brings it about. */
export function predict(state: State, { ask, by, key }: Request): Expected {
  const caller = state.people[by]!
  if (asAdmin.test(ask.do) && !caller.admin) return forgotten(refused(403, 'forbidden'))
  if (!wellFormed(ask)) return forgotten(refused(400, 'invalid_input'))
  const first = key === null ? undefined : state.keys.get(`${by} ${key}`)
  if (first === undefined) return decide(state, ask, caller)
  if (first.asked !== asked(ask)) return forgotten(refused(422, 'idempotency_key_reused'))
  const { status, message } = first.answer
  return { status, message, again: first.answer, lines: 0 }
}

/** Brings about what `predict` said of a request that was answered so. */
export function settle(state: State, { ask, by, key }: Request, expected: Expected, answer: Answer): void {
  expected.apply?.(state, answer.data as never)
  if (key !== null && !expected.forgotten && !expected.again) {
    state.keys.set(`${by} ${key}`, { asked: asked(ask), answer })
  }
}

function asked(ask: Ask): string {
  return JSON.stringify(ask, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}

function wellFormed(ask: Ask): boolean {
  if ('amount' in ask && ask.amount !== null) {
    const { cents } = ask.amount
    if (cents === null || cents <= 0n || cents > largest) return false
  }
  return !('reason' in ask) || ask.reason.trim() !== ''
}

function refused(status: number, code: string, message?: string): Expected {
  return { status, code, lines: 0, ...(message ? { message } : {}) }
}
const forgotten = (expected: Expected): Expected => ({ ...expected, forgotten: true })
const missing = refused(404, 'not_found')
const own = refused(409, 'own_request')
const twice = refused(409, 'same_approver')
const wrongState = refused(409, 'wrong_state')

function done(shows: object, apply: Expected['apply'], lines = 1): Expected {
  return { status: 200, shows, lines, ...(apply ? { apply } : {}) }
}

function decide(state: State, ask: Ask, caller: Person): Expected {
  switch (ask.do) {
    case 'deposit.new':
      return newDeposit(state, ask, caller)
    case 'investment.new':
      return newInvestment(state, ask, caller)
    case 'withdrawal.new':
      return newWithdrawal(ask, caller)
    case 'return.new':
      return newReturn(ask)
    case 'earning.add':
      return addEarning(state, ask, caller)
    case 'deposit.approve':
      return approveDeposit(state, ask, caller)
    case 'deposit.decline':
      return declineDeposit(state, ask.id)
    case 'investment.approve':
      return approveInvestment(state, ask, caller)
    case 'investment.decline':
      return declineInvestment(state, ask)
    case 'investment.close':
      return closeInvestment(state, ask.id, caller)
    case 'withdrawal.approve':
      return approveWithdrawal(state, ask.id, caller)
    case 'withdrawal.decline':
      return declineWithdrawal(state, ask)
    case 'withdrawal.paid':
      return payWithdrawal(state, ask, caller)
    case 'earning.approve':
      return approveEarning(state, ask.id, caller)
    case 'earning.decline':
      return declineEarning(state, ask)
  }
}

function personOf(state: State, id: string): Person {
  return state.people.find(person => person.id === id)!
}

/** Deposits (D5). */

type Of<Do extends Ask['do']> = Extract<Ask, { do: Do }>
type Made = { _id: string }

function rateMissing(state: State, method: InvestmentMethod | DepositMethod): boolean {
  return method !== 'usdt' && method !== 'balance' && state.now - state.pricesAt > stalePrices
}
const noRate = forgotten(refused(503, 'rate_unavailable'))

function newDeposit(state: State, { amount, method }: Of<'deposit.new'>, caller: Person): Expected {
  const cents = amount.cents!
  if (cents < minimumDeposit) return refused(400, 'invalid_input', 'Minimum deposit is $100')
  if (rateMissing(state, method)) return noRate
  return done({ status: 'pending', amount: usdToJson(cents) }, (after, { _id }: Made) => {
    after.deposits.set(_id, deposit(after, { owner: caller.id, cents, method, investment: null }))
  })
}

type Payment = Pick<Deposit, 'owner' | 'cents' | 'method' | 'investment'>

function deposit(state: State, of: Payment): Deposit {
  return { ...of, status: 'pending', watchUntil: state.now + watched }
}

function approveDeposit(state: State, { id, received }: Of<'deposit.approve'>, caller: Person): Expected {
  const found = state.deposits.get(id)
  if (!found) return missing
  if (found.owner === caller.id) return own
  if (found.status !== 'pending' && found.status !== 'unpaid') return wrongState
  const credited = received ?? found.cents
  const pending = found.investment !== null && state.investments.get(found.investment)!.status === 'pending'
  const short = credited < found.cents
  const apply = (after: State) => {
    const payment = after.deposits.get(id)!
    payment.status = 'paid'
    personOf(after, payment.owner).available += credited
    if (!pending) return
    const investment = after.investments.get(payment.investment!)!
    if (short) investment.status = 'declined'
    else {
      hold(after, payment.owner, payment.cents)
      investment.held = true
    }
  }
  const shows = { _id: id, status: 'paid', credited: usdToJson(credited) }
  return done(shows, apply, pending && short ? 2 : 1)
}

function declineDeposit(state: State, id: string): Expected {
  const found = state.deposits.get(id)
  if (!found) return missing
  if (found.status !== 'pending') return wrongState
  const apply = (after: State) => endPayment(after, id, 'declined')
  return done({ _id: id, status: 'declined' }, apply, found.investment === null ? 1 : 2)
}

/** A payment is no longer waited for, nor is what it was to pay. */
function endPayment(state: State, id: string, status: 'declined' | 'unpaid'): void {
  const payment = state.deposits.get(id)!
  payment.status = status
  if (payment.investment !== null) state.investments.get(payment.investment)!.status = 'declined'
}

/** What the job does with payments whose time is over. */
export function expire(state: State): void {
  for (const [id, { status, watchUntil }] of state.deposits) {
    if (status === 'pending' && watchUntil <= state.now) endPayment(state, id, 'unpaid')
  }
}

/** Investments (D6). */

function newInvestment(state: State, ask: Of<'investment.new'>, caller: Person): Expected {
  const { method, plan } = ask
  const cents = ask.amount.cents!
  if (cents < plans[plan].from || cents > plans[plan].to) {
    const outside = refused(400, 'invalid_input')
    return method === 'balance' ? forgotten(outside) : outside
  }
  const investment: Investment = {
    owner: caller.id,
    cents,
    plan,
    status: 'pending',
    held: method === 'balance',
    deposit: null,
    approvedAt: 0,
    approved: '',
  }
  const shows = { status: 'pending', plan, amount: usdToJson(cents), accrued: 0 }
  if (method === 'balance') {
    if (cents > caller.available) return insufficient(caller)
    return done({ ...shows, deposit: null }, (after, { _id }: Made) => {
      hold(after, caller.id, cents)
      after.investments.set(_id, investment)
    })
  }
  if (rateMissing(state, method)) return noRate
  return done(shows, (after, { _id, deposit: payment }: Made & { deposit: Made }) => {
    const payingIt = { owner: caller.id, cents, method, investment: _id }
    after.deposits.set(payment._id, deposit(after, payingIt))
    after.investments.set(_id, { ...investment, deposit: payment._id })
  })
}

function insufficient({ available }: Person): Expected {
  return refused(409, 'insufficient_funds', `Insufficient funds: ${formatUsd(available)} is available.`)
}

function hold(state: State, owner: string, cents: bigint): void {
  const person = personOf(state, owner)
  person.available -= cents
  person.held += cents
}

function release(state: State, owner: string, cents: bigint): void {
  hold(state, owner, -cents)
}

function approveInvestment(
  state: State,
  { id, received }: Of<'investment.approve'>,
  caller: Person,
): Expected {
  const found = state.investments.get(id)
  if (!found) return missing
  if (found.owner === caller.id) return own
  if (found.status !== 'pending') return wrongState
  const beyond = found.held || received === undefined ? 0n : received - found.cents
  if (beyond < 0n) return wrongState
  return done({ _id: id, status: 'active' }, (after, { approvedAt }: { approvedAt: string }) => {
    const investment = after.investments.get(id)!
    const person = personOf(after, investment.owner)
    if (investment.held) person.held -= investment.cents
    else after.deposits.get(investment.deposit!)!.status = 'paid'
    person.invested += investment.cents
    person.available += beyond
    Object.assign(investment, { status: 'active', held: false, approvedAt: after.now, approved: approvedAt })
  })
}

function declineInvestment(state: State, { id, reason }: { id: string; reason: string }): Expected {
  const found = state.investments.get(id)
  if (!found) return missing
  if (found.status !== 'pending') return wrongState
  return done({ _id: id, status: 'declined', declineReason: reason }, after => {
    const investment = after.investments.get(id)!
    if (investment.held) release(after, investment.owner, investment.cents)
    Object.assign(investment, { status: 'declined', held: false })
    const payment = investment.deposit === null ? undefined : after.deposits.get(investment.deposit)!
    if (payment?.status === 'pending') payment.status = 'declined'
  })
}

function closeInvestment(state: State, id: string, caller: Person): Expected {
  const found = state.investments.get(id)
  if (!found) return missing
  if (found.owner === caller.id) return own
  if (found.status !== 'active') return wrongState
  return done({ _id: id, status: 'inactive', accrued: 0 }, after => {
    const investment = after.investments.get(id)!
    const person = personOf(after, investment.owner)
    person.invested -= investment.cents
    person.available += investment.cents
    investment.status = 'inactive'
  })
}

/** Withdrawals (D7). */

function newWithdrawal({ amount }: Of<'withdrawal.new'>, caller: Person): Expected {
  const cents = amount.cents!
  if (cents > caller.available) return insufficient(caller)
  const shows = { status: 'pending', amount: usdToJson(cents), approvals: 0, approvalsNeeded: needed(cents) }
  return done(shows, (after, { _id }: Made) => {
    hold(after, caller.id, cents)
    after.withdrawals.set(_id, { owner: caller.id, cents, status: 'pending', approvals: [] })
  })
}

function needed(cents: bigint): number {
  return cents > largeWithdrawal ? 2 : 1
}

function approveWithdrawal(state: State, id: string, caller: Person): Expected {
  const found = state.withdrawals.get(id)
  if (!found) return missing
  if (found.owner === caller.id) return own
  if (found.status !== 'pending') return wrongState
  if (found.approvals.includes(caller.id)) return twice
  const approvals = found.approvals.length + 1
  const status = approvals === needed(found.cents) ? 'approved' : 'pending'
  return done({ _id: id, status, approvals }, after => {
    const withdrawal = after.withdrawals.get(id)!
    withdrawal.approvals.push(caller.id)
    withdrawal.status = status
  })
}

function declineWithdrawal(state: State, { id, reason }: { id: string; reason: string }): Expected {
  const found = state.withdrawals.get(id)
  if (!found) return missing
  if (found.status !== 'pending') return wrongState
  return done({ _id: id, status: 'declined', declineReason: reason }, after => {
    release(after, found.owner, found.cents)
    after.withdrawals.get(id)!.status = 'declined'
  })
}

function payWithdrawal(state: State, ask: Of<'withdrawal.paid'>, caller: Person): Expected {
  const { id, transactionId } = ask
  const found = state.withdrawals.get(id)
  if (!found) return missing
  if (found.owner === caller.id) return own
  if (found.status !== 'approved') return wrongState
  return done({ _id: id, status: 'paid', transactionId }, after => {
    const person = personOf(after, found.owner)
    person.held -= found.cents
    person.paid += found.cents
    after.withdrawals.get(id)!.status = 'paid'
  })
}

/** Returns and earnings (D1.2, D7). */

function newReturn({ amount, realisedAt, source }: Of<'return.new'>): Expected {
  const cents = amount.cents!
  const shows = { amount: usdToJson(cents), paidOut: 0, source, realisedAt }
  return done(shows, (after, { _id }: Made) => {
    after.returns.push({ id: _id, source, realisedAt, cents, spent: 0n })
  })
}

export function leftOf({ returns }: State): bigint {
  return returns.reduce((sum, { cents, spent }) => sum + cents - spent, 0n)
}

function insufficientReturns(state: State, cents: bigint): Expected {
  const words = `Recorded returns hold ${formatUsd(leftOf(state))}; ${formatUsd(cents)} is needed.`
  return refused(409, 'insufficient_returns', `${words} Record a realised return first.`)
}

/** Spends of the returns, the oldest first, and says on what they were earned. */
function spend(state: State, cents: bigint): string {
  const sources: string[] = []
  let open = cents
  const oldestFirst = state.returns.toSorted(
    (a, b) => compare(a.realisedAt, b.realisedAt) || compare(a.id, b.id),
  )
  for (const one of oldestFirst) {
    let taken = one.cents - one.spent
    if (taken > open) taken = open
    if (taken === 0n) continue
    one.spent += taken
    open -= taken
    sources.push(one.source)
  }
  return sources.join('; ')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** What has accrued by whole days since the approval and neither was paid nor waits, in cents. */
export function accrued(state: State, id: string): bigint {
  const { status, plan, cents, approvedAt } = state.investments.get(id)!
  if (status !== 'active') return 0n
  const { basisPoints, days } = plans[plan]
  const passed = BigInt(Math.floor((state.now - approvedAt) / day))
  const target = halfEven(cents * basisPoints * (passed < days ? passed : days), 10_000n * days)
  const open = target - earned(state, id, 'paid') - earned(state, id, 'pending')
  return open > 0n ? open : 0n
}

function halfEven(numerator: bigint, denominator: bigint): bigint {
  const below = numerator / denominator
  const twiceRest = 2n * (numerator % denominator)
  const up = twiceRest > denominator || (twiceRest === denominator && below % 2n !== 0n)
  return up ? below + 1n : below
}

/** Earnings of an investment in one status, in cents. */
export function earned(state: State, investment: string, status: string): bigint {
  const ones = [...state.earnings.values()].filter(
    one => one.investment === investment && one.status === status,
  )
  return ones.reduce((sum, { cents }) => sum + cents, 0n)
}

function addEarning(state: State, ask: Of<'earning.add'>, caller: Person): Expected {
  const { user, amount } = ask
  if (user === caller.id) return own
  if (!state.people.some(({ id }) => id === user)) return missing
  const active = activeOf(state, user).filter(id => ask.investment === null || id === ask.investment)
  if (active.length === 0) return refused(409, 'no_active_investment')
  const shares = amount
    ? [{ investment: active[0]!, cents: amount.cents! }]
    : active
        .map(investment => ({ investment, cents: accrued(state, investment) }))
        .filter(({ cents }) => cents > 0n)
  if (shares.length === 0) return refused(409, 'nothing_accrued')
  const total = shares.reduce((sum, { cents }) => sum + cents, 0n)
  if (total > leftOf(state)) return insufficientReturns(state, total)
  const status = state.secondApproval ? 'pending' : 'paid'
  const trial = structuredClone(state.returns)
  const shows = shares.map(({ investment, cents }) => ({
    investment,
    status,
    amount: usdToJson(cents),
    source: state.secondApproval
      ? 'Recorded returns, named when it is paid'
      : spend({ ...state, returns: trial }, cents),
  }))
  const apply = (after: State, made: Made[]) => {
    for (const [n, { investment, cents }] of shares.entries()) {
      after.earnings.set(made[n]!._id, {
        owner: user,
        investment,
        cents,
        status: 'pending',
        maker: caller.id,
      })
      if (!state.secondApproval) pay(after, made[n]!._id)
    }
  }
  return done(shows, apply, shares.length)
}

/** A user's active investments, the oldest first. */
function activeOf(state: State, user: string): string[] {
  return [...state.investments]
    .filter(([, { owner, status }]) => owner === user && status === 'active')
    .toSorted(([a, one], [b, other]) => compare(one.approved, other.approved) || compare(a, b))
    .map(([id]) => id)
}

/** Out of the returns, to the balance. */
function pay(state: State, id: string): void {
  const earning = state.earnings.get(id)!
  spend(state, earning.cents)
  personOf(state, earning.owner).available += earning.cents
  earning.status = 'paid'
}

function approveEarning(state: State, id: string, caller: Person): Expected {
  const found = state.earnings.get(id)
  if (!found) return missing
  if (found.owner === caller.id) return own
  if (found.status !== 'pending') return wrongState
  if (found.maker === caller.id) return twice
  if (found.cents > leftOf(state)) return insufficientReturns(state, found.cents)
  const source = spend({ ...state, returns: structuredClone(state.returns) }, found.cents)
  return done({ _id: id, status: 'paid', source }, after => pay(after, id))
}

function declineEarning(state: State, { id, reason }: { id: string; reason: string }): Expected {
  const found = state.earnings.get(id)
  if (!found) return missing
  if (found.status !== 'pending') return wrongState
  return done({ _id: id, status: 'declined', declineReason: reason }, after => {
    after.earnings.get(id)!.status = 'declined'
  })
}
