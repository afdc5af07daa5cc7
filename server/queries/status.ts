import { AppError } from '#shared/errors.ts'
import { type Decided, stateRefusals } from './messages.ts'

/**
 * Every transition starts from one status; lock the row before calling this (S-04).
 * @param done what was requested, as in 'approved'
 * @throws AppError wrong_status
 */
export function requireStatus<Status extends string>(
  thing: Decided,
  status: Status,
  needed: Status,
  done: string,
): void {
  if (status !== needed) throw stateRefusals.error({ reason: 'wrong_status', thing, status, needed, done })
}

/**
 * Staff never decide about money that moves to themselves (D7).
 * @throws AppError own_request
 */
export function requireOther(thing: Decided, ownerId: string, callerId: string): void {
  if (ownerId === callerId) throw ownRequest(thing)
}

export function ownRequest(thing: Decided): AppError {
  return new AppError('own_request', `This ${thing} is your own. Another admin must decide about it.`)
}
