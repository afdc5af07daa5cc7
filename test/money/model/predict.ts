import { addEarning, approveEarning, declineEarning } from './earnings.ts'
import {
  approveInvestment,
  cancelInvestment,
  closeInvestment,
  declineInvestment,
  newInvestment,
  reinvestInvestment,
} from './investments.ts'
import { approveDeposit, cancelDeposit, declineDeposit, newDeposit } from './payments.ts'
import { approveReturn, declineReturn, newReturn, proposeVoid, rejectVoid, voidReturn } from './returns.ts'
import {
  type Answer,
  type Ask,
  type Expected,
  forgotten,
  type Person,
  type Request,
  refused,
  type State,
} from './state.ts'
import {
  approveWithdrawal,
  cancelWithdrawal,
  declineWithdrawal,
  newWithdrawal,
  payWithdrawal,
} from './withdrawals.ts'

const largest = 999_999_999_999n
const asAdmin = /^(return|earning)\.|\.(approve|decline|close|paid)$/

/** The expected outcome of a request in this state, without changing it; `settle` applies it. */
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

/** Applies the predicted effect of a request with this answer. */
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

function decide(state: State, ask: Ask, caller: Person): Expected {
  switch (ask.do) {
    case 'deposit.new':
      return newDeposit(state, ask, caller)
    case 'investment.new':
      return newInvestment(state, ask, caller)
    case 'withdrawal.new':
      return newWithdrawal(ask, caller)
    case 'return.new':
      return newReturn(state, ask, caller)
    case 'earning.add':
      return addEarning(state, ask, caller)
    case 'deposit.approve':
      return approveDeposit(state, ask, caller)
    case 'deposit.decline':
      return declineDeposit(state, ask.id)
    case 'deposit.cancel':
      return cancelDeposit(state, ask.id, caller)
    case 'investment.approve':
      return approveInvestment(state, ask, caller)
    case 'investment.decline':
      return declineInvestment(state, ask)
    case 'investment.cancel':
      return cancelInvestment(state, ask.id, caller)
    case 'investment.reinvest':
      return reinvestInvestment(state, ask.id, caller)
    case 'investment.close':
      return closeInvestment(state, ask.id, caller)
    case 'withdrawal.approve':
      return approveWithdrawal(state, ask.id, caller)
    case 'withdrawal.decline':
      return declineWithdrawal(state, ask)
    case 'withdrawal.cancel':
      return cancelWithdrawal(state, ask.id, caller)
    case 'withdrawal.paid':
      return payWithdrawal(state, ask, caller)
    case 'earning.approve':
      return approveEarning(state, ask.id, caller)
    case 'return.approve':
      return approveReturn(state, ask.id, caller)
    case 'return.decline':
      return declineReturn(state, ask.id)
    case 'return.proposeVoid':
      return proposeVoid(state, ask.id, caller)
    case 'return.void':
      return voidReturn(state, ask.id, caller)
    case 'return.rejectVoid':
      return rejectVoid(state, ask.id, caller)
    case 'earning.decline':
      return declineEarning(state, ask)
  }
}
