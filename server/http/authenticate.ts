import type { FastifyRequest } from 'fastify'
import { type Caller, callerMay } from '#server/context.ts'
import { looksLikeKey } from '#server/integrations/key-text.ts'
import type { Revocations } from '#server/platform/revocations.ts'
import type { AccessTokens } from '#server/platform/tokens.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { keyMayCall, rightFor } from '#shared/roles.ts'
import type { Document } from './document-cache.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `permit`, even if it refuses the caller. */
    caller: Caller | null
    /** The code of its refusal, for the log. */
    refusedAs: ErrorCode | undefined
  }
  interface FastifyContextConfig {
    /** Id of the route's call. */
    call?: string
    /** The page to answer a request with this status, if the route answers with pages. */
    standIn?: (status: number, request: FastifyRequest) => Promise<Document> | undefined
  }
}

export type Authentication = {
  tokens: AccessTokens
  revocations: Revocations
  /** The caller of an API key (server/integrations/key-caller.ts). */
  keyCaller: (text: string, ip: string) => Promise<Caller>
}

/**
 * The caller, from the Authorization header: `Bearer` or `Token`, in any case (C-28). Reads the database for an API key,
 * and while revocations cannot arrive.
 * @returns null without the header
 * @throws AppError token_invalid, token_expired; rate_limited for API keys
 */
async function callerOf(
  { tokens, revocations, keyCaller }: Authentication,
  header: string | undefined,
  ip: string,
): Promise<Caller | null> {
  if (header === undefined) return null
  const token = tokenIn(header)
  if (looksLikeKey(token)) return keyCaller(token, ip)
  const claims = tokens.verify(token)
  const ended = revocations.has(claims.sid, claims.iat)
  if (ended === true || (ended !== false && (await ended))) {
    throw new AppError('token_invalid', t('This session has ended. Log in again.'))
  }
  const { sub: userId, sid: sessionId, role = null } = claims
  return claims.setup ? { userId, role: null, sessionId, mustSetUp: { role } } : { userId, role, sessionId }
}

function tokenIn(header: string | undefined): string {
  const token = /^(?:bearer|token) +(\S+)$/i.exec(header ?? '')?.[1]
  if (token !== undefined) return token
  throw new AppError(
    'token_invalid',
    t('Send the access token as: Authorization: Bearer {token}', { token: '<token>' }),
  )
}

/**
 * When the caller's access token expires.
 * @throws AppError token_expired, token_invalid
 */
export function expiryOf({ tokens }: Authentication, header: string | undefined): Date {
  return new Date(tokens.verify(tokenIn(header)).exp * 1000)
}

/**
 * The caller, checked against the call's permission.
 * @throws AppError token_missing, token_invalid, token_expired, forbidden, second_factor_setup_required
 */
export async function permit(
  auth: Authentication,
  call: CallDefinition,
  request: FastifyRequest,
): Promise<Caller | null> {
  const header = request.headers.authorization
  if (call.permission === 'public') return call.knowsCaller ? callerIfGood(auth, request) : null
  const caller = await callerOf(auth, header, request.ip)
  request.caller = caller
  if (caller === null) throw new AppError('token_missing', t('Log in first: this needs an access token'))
  if (caller.keyRights !== undefined && !keyMayCall(call, caller.keyRights)) {
    throw new AppError('forbidden', t('This API key may not do this'))
  }
  const right = rightFor(call)
  if (right === undefined) return caller
  if (caller.mustSetUp) {
    throw new AppError(
      'second_factor_setup_required',
      t('Admins need two-factor authentication: turn it on under Security, or log in with your passkey'),
    )
  }
  if (!callerMay(caller, right)) throw new AppError('forbidden', t('Your account may not do this'))
  return caller
}

/** On a public call, ignore an invalid token, and an API key, which has no account. */
async function callerIfGood(auth: Authentication, { headers, ip }: FastifyRequest): Promise<Caller | null> {
  try {
    const caller = await callerOf(auth, headers.authorization, ip)
    return caller?.keyRights === undefined ? caller : null
  } catch (error) {
    // A token that we cannot check right now may be valid.
    if (error instanceof AppError) return null
    throw error
  }
}
