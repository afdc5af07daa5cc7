import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { type Decided, type Done, stateRefusals, type Transition, transitions } from './messages.ts'

/** `cancelled_by`: its owner, if they cancelled it; its status is then 'declined'. */
type Standing = { status: string; cancelled_by?: string | null }

/**
 * Every transition starts from one status; lock the row before calling this (S-04).
 * @throws AppError wrong_status
 */
export function requireStatus<T extends Decided>(
  thing: T,
  { status: stored, cancelled_by = null }: Standing,
  done: Done<T>,
): void {
  const { from, only } = transitionOf(thing, done)
  if (stored === from) return
  const status = cancelled_by === null ? stored : 'cancelled'
  throw stateRefusals.error({ reason: 'wrong_status', thing, status, only })
}

function transitionOf<T extends Decided>(thing: T, done: Done<T>): Transition {
  const known: Readonly<Record<string, Transition>> = transitions[thing]
  return known[done]!
}

/**
 * Only its owner cancels a request, or does something else with it.
 * @throws AppError forbidden, alike for another's record and for an unknown id (D8)
 */
export function requireOwnRequest(
  thing: Decided,
  row: { user_id: string } | undefined,
  callerId: string,
  message = onlyOwn(thing),
): void {
  if (row?.user_id !== callerId) throw new AppError('forbidden', message)
}

function onlyOwn(thing: Decided): string {
  return t(
    'You can only cancel your own {thing, select, deposit {deposits} investment {investments} withdrawal {withdrawals} return {returns} other {earnings}}.',
    { thing },
  )
}

/**
 * Staff never decide about money that moves to themselves (D7).
 * @throws AppError own_request
 */
export function requireOther(thing: Decided, ownerId: string, callerId: string): void {
  if (ownerId === callerId) throw ownRequest(thing)
}

export function ownRequest(thing: Decided): AppError {
  return new AppError(
    'own_request',
    t(
      '{thing, select, deposit {This deposit is your own. Another admin must decide about it.} investment {This investment is your own. Another admin must decide about it.} withdrawal {This withdrawal is your own. Another admin must decide about it.} return {This return is your own. Another admin must decide about it.} other {This earning is your own. Another admin must decide about it.}}',
      { thing },
    ),
  )
}
