import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { translate } from '#shared/i18n/t.ts'
import { ApiError, loginFirst } from './errors.ts'
import { type Answer, type SendOptions, send } from './send.ts'
import { endSession, freshAccess, renew } from './session.ts'
import { hasExpired, storedAccess } from './tokens.ts'

/**
 * Makes a call as the signed-in user. Renews an expired access token once (D9); an ended session is cleared and leads
 * to /login.
 * @throws ApiError with a message for the user
 */
export async function call<C extends CallDefinition>(
  definition: C,
  input: CallInput<C>,
  options: SendOptions = {},
): Promise<Answer<C>> {
  const sendAs = (access: string | null) => send(definition, input, access, options)
  if (definition.permission !== 'public') return asSignedIn(sendAs)
  const access = goodAccess()
  return access === null ? endingSession(() => sendAs(null)) : renewing(access, sendAs)
}

/**
 * Runs with the user's access token; retries once with a renewed token.
 * @throws ApiError if signed out; errors of `run`
 */
export async function asSignedIn<T>(run: (access: string) => Promise<T>): Promise<T> {
  const access = await freshAccess()
  if (access === null) throw over()
  return renewing(access, run)
}

async function renewing<T>(access: string, run: (access: string) => Promise<T>): Promise<T> {
  expiredHere = false
  try {
    return await run(access)
  } catch (error) {
    if (!isStaleToken(error)) throw error
    const renewed = await renew(access)
    if (renewed === null) throw over()
    return endingSession(() => run(renewed))
  }
}

function isStaleToken(error: unknown): error is ApiError {
  return error instanceof ApiError && error.isStaleToken
}

/** The last try: a refused token ends the session. */
async function endingSession<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (isStaleToken(error)) {
      expiredHere = true
      endSession(error)
    }
    throw error
  }
}

/** A public call sends a valid token but never waits for one. */
function goodAccess(): string | null {
  const access = storedAccess()
  return access !== null && !hasExpired(access) ? access : null
}

/** True after the session expired, so that all pending calls report it in the same words. */
let expiredHere = false

/** Ends the session; the message depends on whether there was one. */
function over(): ApiError {
  expiredHere ||= storedAccess() !== null
  const refusal = new ApiError(
    401,
    expiredHere ? { code: 'token_expired' } : { code: 'token_missing', message: translate(loginFirst) },
  )
  endSession(refusal)
  return refusal
}
