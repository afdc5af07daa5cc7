import { usdToJson } from '#shared/money.ts'
import {
  day,
  done,
  type Expected,
  type Made,
  missing,
  type Of,
  type Person,
  type Return,
  refused,
  type State,
  twice,
  wrongState,
} from './state.ts'

/** Returns (D1.2): large ones need a second person, and two people void one. */

const largeReturn = 1_000_000n

export function newReturn(state: State, ask: Of<'return.new'>, caller: Person): Expected {
  const { amount, realisedAt, source } = ask
  const cents = amount.cents!
  const status = recordedAlone(state, caller) + cents > largeReturn ? 'pending' : 'recorded'
  const left = status === 'recorded' ? usdToJson(cents) : 0
  const shows = { amount: usdToJson(cents), paidOut: 0, source, realisedAt, status, left }
  return done(shows, (after, { _id: id }: Made) => {
    const people = { recorder: caller.id, approver: null, proposer: null }
    after.returns.set(id, {
      id,
      source,
      realisedAt,
      cents,
      spent: 0n,
      status,
      ...people,
      recordedAt: after.now,
    })
  })
}

function recordedAlone({ returns, now }: State, { id }: Person): bigint {
  const alone = [...returns.values()].filter(
    one =>
      one.recorder === id &&
      one.approver === null &&
      one.status !== 'pending' &&
      one.status !== 'declined' &&
      now - one.recordedAt < day,
  )
  return alone.reduce((sum, { cents }) => sum + cents, 0n)
}

/** What can be paid out, in cents. */
export function leftOf(state: State): bigint {
  return unspent(state, 'recorded')
}

/** What the returns in a status have not paid, in cents. */
export function unspent({ returns }: State, status: string): bigint {
  return [...returns.values()].reduce(
    (sum, one) => (one.status === status ? sum + one.cents - one.spent : sum),
    0n,
  )
}

type Decided = (found: Return) => Expected | Partial<Return>

/** A decision about a return in one status: a refusal, or what changes. */
function decide(state: State, id: string, from: string, decided: Decided): Expected {
  const found = state.returns.get(id)
  if (!found) return missing
  if (found.status !== from) return wrongState
  const outcome = decided(found)
  if ('lines' in outcome) return outcome
  const changed = { ...found, ...outcome }
  return done({ _id: id, status: changed.status }, after => {
    after.returns.set(id, changed)
  })
}

export function approveReturn(state: State, id: string, caller: Person): Expected {
  return decide(state, id, 'pending', ({ recorder }) =>
    recorder === caller.id ? twice : { status: 'recorded', approver: caller.id },
  )
}

export function declineReturn(state: State, id: string): Expected {
  return decide(state, id, 'pending', () => ({ status: 'declined' }))
}

export function proposeVoid(state: State, id: string, caller: Person): Expected {
  return decide(state, id, 'recorded', ({ cents, spent }) =>
    cents === spent ? refused(409, 'wrong_state') : { status: 'void_proposed', proposer: caller.id },
  )
}

export function voidReturn(state: State, id: string, caller: Person): Expected {
  return decide(state, id, 'void_proposed', ({ proposer }) =>
    proposer === caller.id ? twice : { status: 'voided' },
  )
}

export function rejectVoid(state: State, id: string, caller: Person): Expected {
  return decide(state, id, 'void_proposed', ({ recorder, approver, proposer }) => {
    const isParty = recorder === caller.id || approver === caller.id
    return isParty && proposer !== caller.id ? twice : { status: 'recorded', proposer: null }
  })
}
