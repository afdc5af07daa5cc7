import { AppError } from '#shared/errors.ts'

/**
 * Every transition starts from one state; the row is locked before it is checked (S-04).
 * @throws AppError wrong_state, saying what the thing is and what it would have to be: 'This withdrawal is already
 *   declined. Only pending withdrawals can be approved.'
 */
export function requireStatus<Status extends string>(
  thing: 'deposit' | 'investment' | 'withdrawal' | 'earning',
  status: Status,
  needed: Status,
  done: string,
): void {
  if (status === needed) return
  const is = status === 'pending' ? 'still pending' : `already ${status}`
  throw new AppError('wrong_state', `This ${thing} is ${is}. Only ${needed} ${thing}s can be ${done}.`)
}

/**
 * Staff never decide about money that moves to themselves (D7).
 * @throws AppError own_request
 */
export function requireOther(
  thing: 'deposit' | 'investment' | 'withdrawal' | 'earning',
  ownerId: string,
  callerId: string,
): void {
  if (ownerId === callerId) throw ownRequest(thing)
}

export function ownRequest(thing: 'deposit' | 'investment' | 'withdrawal' | 'earning'): AppError {
  return new AppError('own_request', `This ${thing} is your own. Another admin must decide about it.`)
}
