import { usdToJson } from '#shared/money.ts'
import {
  done,
  type Expected,
  hold,
  insufficient,
  type Made,
  missing,
  type Of,
  own,
  type Person,
  personOf,
  release,
  type State,
  twice,
  wrongState,
} from './state.ts'

/** Withdrawals (D7). */

const largeWithdrawal = 1_000_000n

export function newWithdrawal({ amount }: Of<'withdrawal.new'>, caller: Person): Expected {
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

export function approveWithdrawal(state: State, id: string, caller: Person): Expected {
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

export function declineWithdrawal(state: State, { id, reason }: { id: string; reason: string }): Expected {
  const found = state.withdrawals.get(id)
  if (!found) return missing
  if (found.status !== 'pending') return wrongState
  return done({ _id: id, status: 'declined', declineReason: reason }, after => {
    release(after, found.owner, found.cents)
    after.withdrawals.get(id)!.status = 'declined'
  })
}

export function payWithdrawal(state: State, ask: Of<'withdrawal.paid'>, caller: Person): Expected {
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
