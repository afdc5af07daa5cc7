import { usdToJson } from '#shared/money.ts'
import {
  day,
  done,
  type Expected,
  hold,
  insufficient,
  type Made,
  missing,
  notOwn,
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
  const needed = cents > largeWithdrawal ? 2 : 1
  const shows = { status: 'pending', amount: usdToJson(cents), approvals: 0, approvalsNeeded: needed }
  return done(shows, (after, { _id }: Made) => {
    hold(after, caller.id, cents)
    const at = { askedAt: after.now, approvedAt: 0 }
    after.withdrawals.set(_id, { owner: caller.id, cents, status: 'pending', needed, approvals: [], ...at })
  })
}

/** How many must approve it, once this person does: what its owner requested in a day counts together, and what they alone approved. */
function neededBy(state: State, id: string, approver: string): number {
  const all = [...state.withdrawals]
  const { owner, askedAt, cents, needed, approvals } = state.withdrawals.get(id)!
  if (needed > 1) return needed
  // Of two that are requested at once, the ids say which counts as earlier.
  const upTo = all.filter(([one]) => one <= id).map(([, one]) => one)
  const asked = upTo.filter(
    one => one.owner === owner && one.status !== 'declined' && askedAt - one.askedAt < day,
  )
  if (sum(asked) > largeWithdrawal) return 2
  const alone = all
    .map(([, one]) => one)
    .filter(({ status, needed, approvals: [first], approvedAt }) => {
      const isOver = status === 'approved' || status === 'paid'
      return isOver && needed === 1 && first === approver && state.now - approvedAt < day
    })
  return approvals.length === 0 && sum(alone) + cents > largeWithdrawal ? 2 : 1
}

function sum(withdrawals: readonly { cents: bigint }[]): bigint {
  return withdrawals.reduce((total, { cents }) => total + cents, 0n)
}

export function approveWithdrawal(state: State, id: string, caller: Person): Expected {
  const found = state.withdrawals.get(id)
  if (!found) return missing
  if (found.owner === caller.id) return own
  if (found.status !== 'pending') return wrongState
  if (found.approvals.includes(caller.id)) return twice
  const approvals = found.approvals.length + 1
  const needed = neededBy(state, id, caller.id)
  const status = approvals === needed ? 'approved' : 'pending'
  return done({ _id: id, status, approvals, approvalsNeeded: needed }, after => {
    const withdrawal = after.withdrawals.get(id)!
    withdrawal.approvals.push(caller.id)
    Object.assign(withdrawal, { status, needed, approvedAt: after.now })
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

export function cancelWithdrawal(state: State, id: string, caller: Person): Expected {
  const found = state.withdrawals.get(id)
  if (found?.owner !== caller.id) return notOwn
  if (found.status !== 'pending') return wrongState
  return done({ _id: id, status: 'declined', cancelled: true }, after => {
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
  if (found.approvals.includes(caller.id)) return twice
  return done({ _id: id, status: 'paid', transactionId }, after => {
    const person = personOf(after, found.owner)
    person.held -= found.cents
    person.paid += found.cents
    after.withdrawals.get(id)!.status = 'paid'
  })
}
