import type { DepositMethod, InvestmentMethod } from '#shared/coins.ts'
import { usdToJson } from '#shared/money.ts'
import {
  type Deposit,
  done,
  type Expected,
  forgotten,
  hold,
  type Made,
  missing,
  notOwn,
  type Of,
  own,
  type Person,
  personOf,
  refused,
  type State,
  wrongState,
} from './state.ts'

/** Deposits (D5). */

/** A payment's window and the monitoring after it, in minutes (D5). */
const watched = 15 + 24 * 60
const minimumDeposit = 10_000n
const stalePrices = 5

export function rateMissing(state: State, method: InvestmentMethod | DepositMethod): boolean {
  return method !== 'usdt' && method !== 'balance' && state.now - state.pricesAt > stalePrices
}
export const noRate = forgotten(refused(503, 'rate_unavailable'))

export function newDeposit(state: State, { amount, method }: Of<'deposit.new'>, caller: Person): Expected {
  const cents = amount.cents!
  if (cents < minimumDeposit) return refused(400, 'invalid_input', 'Minimum deposit is $100')
  if (rateMissing(state, method)) return noRate
  return done({ status: 'pending', amount: usdToJson(cents) }, (after, { _id, createdAt }: MadeDeposit) => {
    after.deposits.set(_id, deposit(after, { owner: caller.id, cents, method, investment: null, createdAt }))
  })
}

export type MadeDeposit = Made & Pick<Deposit, 'createdAt'>
type Payment = Omit<Deposit, 'status' | 'watchUntil'>

export function deposit(state: State, of: Payment): Deposit {
  return { ...of, status: 'pending', watchUntil: state.now + watched }
}

export function approveDeposit(
  state: State,
  { id, received, arrivedAt }: Of<'deposit.approve'>,
  caller: Person,
): Expected {
  const found = state.deposits.get(id)
  if (!found) return missing
  if (found.owner === caller.id) return own
  // A declined deposit takes the time of its arrival.
  if (found.status === 'paid' || (found.status === 'declined' && arrivedAt === undefined)) return wrongState
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

export function declineDeposit(state: State, id: string): Expected {
  const found = state.deposits.get(id)
  if (!found) return missing
  if (found.status !== 'pending') return wrongState
  const apply = (after: State) => endPayment(after, id, 'declined')
  return done({ _id: id, status: 'declined' }, apply, found.investment === null ? 1 : 2)
}

export function cancelDeposit(state: State, id: string, caller: Person): Expected {
  const found = state.deposits.get(id)
  if (found?.owner !== caller.id) return notOwn
  if (found.status !== 'pending') return wrongState
  const apply = (after: State) => endPayment(after, id, 'declined')
  const shows = { _id: id, status: 'declined', cancelled: true }
  return done(shows, apply, found.investment === null ? 1 : 2)
}

/** A payment is no longer awaited, nor is its investment. */
function endPayment(state: State, id: string, status: 'declined' | 'unpaid'): void {
  const payment = state.deposits.get(id)!
  payment.status = status
  if (payment.investment !== null) state.investments.get(payment.investment)!.status = 'declined'
}

/** The job that expires payments. */
export function expire(state: State): void {
  for (const [id, { status, watchUntil }] of state.deposits) {
    if (status === 'pending' && watchUntil <= state.now) endPayment(state, id, 'unpaid')
  }
}
