import type { Caller } from '#server/context.ts'
import type { Revocations } from '#server/platform/revocations.ts'
import type { AccessTokens } from '#server/platform/tokens.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'

export type Authentication = { tokens: AccessTokens; revocations: Revocations }

/**
 * Who calls, by the Authorization header: `Bearer` or `Token`, in any case (C-28). No database is read.
 * @returns null where there is no header
 * @throws AppError token_invalid, token_expired
 */
export function callerOf({ tokens, revocations }: Authentication, header: string | undefined): Caller | null {
  if (header === undefined) return null
  const token = /^(?:bearer|token) +(\S+)$/i.exec(header)?.[1]
  if (token === undefined) {
    throw new AppError('token_invalid', 'Send the access token as: Authorization: Bearer <token>')
  }
  const claims = tokens.verify(token)
  if (revocations.has(claims.sid)) {
    throw new AppError('token_invalid', 'This session has ended. Log in again.')
  }
  return { userId: claims.sub, type: claims.type, sessionId: claims.sid }
}

/**
 * The caller that the call's permission asks for.
 * @throws AppError token_missing, token_invalid, token_expired, forbidden
 */
export function permit(
  auth: Authentication,
  call: CallDefinition,
  header: string | undefined,
): Caller | null {
  if (call.permission === 'public') return callerIfGood(auth, header)
  const caller = callerOf(auth, header)
  if (caller === null) throw new AppError('token_missing', 'Log in first: this needs an access token')
  if (call.permission === 'admin' && caller.type !== 'admin') {
    throw new AppError('forbidden', 'Only an admin may do this')
  }
  return caller
}

/** A public call made with a token that is not good any more is a call without one. */
function callerIfGood(auth: Authentication, header: string | undefined): Caller | null {
  try {
    return callerOf(auth, header)
  } catch {
    return null
  }
}
