import { formatUsd, usdToJson } from '#shared/money.ts'
import { leftOf } from './returns.ts'
import {
  day,
  done,
  type Expected,
  type Made,
  missing,
  type Of,
  own,
  type Person,
  personOf,
  plans,
  refused,
  type State,
  twice,
  wrongState,
} from './state.ts'

/** Earnings (D1.2, D7). */

function insufficientReturns(state: State, cents: bigint): Expected {
  const words = `Only ${formatUsd(leftOf(state))} of recorded returns is available; ${formatUsd(cents)} needed.`
  return refused(409, 'insufficient_returns', `${words} Record a realised return first.`)
}

/** Spends the returns, oldest first, and names their sources. */
function spend(state: State, cents: bigint): string {
  const sources: string[] = []
  let open = cents
  const paying = [...state.returns.values()].filter(({ status }) => status === 'recorded')
  const oldestFirst = paying.toSorted((a, b) => compare(a.realisedAt, b.realisedAt) || compare(a.id, b.id))
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

/** Accruals of whole days since the approval, less paid and pending earnings, in cents. */
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

export function addEarning(state: State, ask: Of<'earning.add'>, caller: Person): Expected {
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
  const isBeyond = amount !== null && amount.cents! > accrued(state, active[0]!)
  const waits = state.secondApproval || isBeyond
  const status = waits ? 'pending' : 'paid'
  const trial = structuredClone(state.returns)
  const shows = shares.map(({ investment, cents }) => ({
    investment,
    status,
    amount: usdToJson(cents),
    source: waits ? 'Recorded returns, named once it is paid' : spend({ ...state, returns: trial }, cents),
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
      if (!waits) pay(after, made[n]!._id)
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

/** From the returns to the balance. */
function pay(state: State, id: string): void {
  const earning = state.earnings.get(id)!
  spend(state, earning.cents)
  personOf(state, earning.owner).available += earning.cents
  earning.status = 'paid'
}

export function approveEarning(state: State, id: string, caller: Person): Expected {
  const found = state.earnings.get(id)
  if (!found) return missing
  if (found.owner === caller.id) return own
  if (found.status !== 'pending') return wrongState
  if (found.maker === caller.id) return twice
  if (found.cents > leftOf(state)) return insufficientReturns(state, found.cents)
  const source = spend({ ...state, returns: structuredClone(state.returns) }, found.cents)
  return done({ _id: id, status: 'paid', source }, after => pay(after, id))
}

export function declineEarning(state: State, { id, reason }: { id: string; reason: string }): Expected {
  const found = state.earnings.get(id)
  if (!found) return missing
  if (found.status !== 'pending') return wrongState
  return done({ _id: id, status: 'declined', declineReason: reason }, after => {
    after.earnings.get(id)!.status = 'declined'
  })
}
