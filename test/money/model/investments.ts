import { usdToJson } from '#shared/money.ts'
import { deposit, type MadeDeposit, noRate, rateMissing } from './payments.ts'
import {
  day,
  done,
  type Expected,
  forgotten,
  hold,
  type Investment,
  insufficient,
  type Made,
  missing,
  notOwn,
  type Of,
  own,
  type Person,
  personOf,
  plans,
  refused,
  release,
  type State,
  wrongState,
} from './state.ts'

/** Investments (D6). */

export function newInvestment(state: State, ask: Of<'investment.new'>, caller: Person): Expected {
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
    reinvest: false,
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
  return done(shows, (after, { _id, deposit: payment }: Made & { deposit: MadeDeposit }) => {
    const { createdAt } = payment
    const payingIt = { owner: caller.id, cents, method, investment: _id, createdAt }
    after.deposits.set(payment._id, deposit(after, payingIt))
    after.investments.set(_id, { ...investment, deposit: payment._id })
  })
}

export function approveInvestment(
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

export function declineInvestment(state: State, { id, reason }: { id: string; reason: string }): Expected {
  const found = state.investments.get(id)
  if (!found) return missing
  if (found.status !== 'pending') return wrongState
  return done({ _id: id, status: 'declined', declineReason: reason }, after => end(after, id))
}

export function cancelInvestment(state: State, id: string, caller: Person): Expected {
  const found = state.investments.get(id)
  if (found?.owner !== caller.id) return notOwn
  if (found.status !== 'pending') return wrongState
  const isAwaited = found.deposit !== null && state.deposits.get(found.deposit)!.status === 'pending'
  const shows = { _id: id, status: 'declined', cancelled: true }
  return done(shows, after => end(after, id), isAwaited ? 2 : 1)
}

function end(state: State, id: string): void {
  const investment = state.investments.get(id)!
  if (investment.held) release(state, investment.owner, investment.cents)
  Object.assign(investment, { status: 'declined', held: false })
  const payment = investment.deposit === null ? undefined : state.deposits.get(investment.deposit)!
  if (payment?.status === 'pending') payment.status = 'declined'
}

export function closeInvestment(state: State, id: string, caller: Person): Expected {
  const found = state.investments.get(id)
  if (!found) return missing
  if (found.owner === caller.id) return own
  if (found.status !== 'active') return wrongState
  const { owner, cents, plan, approvedAt, reinvest } = found
  const hasEnded = BigInt(state.now - approvedAt) >= plans[plan].days * BigInt(day)
  const isReinvested = reinvest && hasEnded
  const reinvestment = isReinvested ? 'done' : reinvest ? 'early' : null
  const close = (after: State, { reinvestedAs }: { reinvestedAs: Made | null }) => {
    const person = personOf(after, owner)
    person.invested -= cents
    person.available += cents
    after.investments.get(id)!.status = 'inactive'
    if (!isReinvested) return
    hold(after, owner, cents)
    after.investments.set(reinvestedAs!._id, {
      ...found,
      status: 'pending',
      held: true,
      deposit: null,
      approvedAt: 0,
      approved: '',
      reinvest: false,
    })
  }
  return done({ _id: id, status: 'inactive', accrued: 0, reinvestment }, close, isReinvested ? 2 : 1)
}

export function reinvestInvestment(state: State, id: string, caller: Person): Expected {
  const found = state.investments.get(id)
  if (found?.owner !== caller.id) return notOwn
  if (found.status !== 'active') return wrongState
  const set = (after: State) => {
    after.investments.get(id)!.reinvest = true
  }
  return done({ _id: id, reinvestment: 'requested' }, set, found.reinvest ? 0 : 1)
}
