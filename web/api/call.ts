import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { ApiError, loginFirst } from './errors.ts'
import { type Answer, type SendOptions, send } from './send.ts'
import { endSession, freshAccess, renew } from './session.ts'
import { hasExpired, storedAccess } from './tokens.ts'

/**
 * Makes a call of the contract as the signed-in visitor. An access token that has expired is renewed once, and the
 * call sent again (D9). A session that is over is forgotten and leads to /login.
 * @throws ApiError with the words for the visitor.
 */
export async function call<C extends CallDefinition>(
  definition: C,
  input: CallInput<C>,
  options: SendOptions = {},
): Promise<Answer<C>> {
  const access = definition.permission === 'public' ? goodAccess() : await freshAccess()
  if (access === null && definition.permission !== 'public') throw over()
  if (access !== null) expiredHere = false
  try {
    return await send(definition, input, access, options)
  } catch (error) {
    if (access === null || !isStaleToken(error)) throw error
    const renewed = await renew(access)
    if (renewed === null) throw over()
    return send(definition, input, renewed, options)
  }
}

function isStaleToken(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'token_expired' || error.code === 'token_invalid')
}

/** A public call says who asks where that is known, and never waits for it. */
function goodAccess(): string | null {
  const access = storedAccess()
  return access !== null && !hasExpired(access) ? access : null
}

/** The session that the last calls were made in has expired: all of those that are still out say so, in the same words. */
let expiredHere = false

/** Ends the session here; the words depend on whether there was one. */
function over(): ApiError {
  expiredHere ||= storedAccess() !== null
  endSession()
  return new ApiError(401, { message: expiredHere ? 'The session has expired' : loginFirst })
}
