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
  const sendAs = (access: string | null) => send(definition, input, access, options)
  if (definition.permission !== 'public') return asSignedIn(sendAs)
  const access = goodAccess()
  return access === null ? endingSession(() => sendAs(null)) : renewing(access, sendAs)
}

/**
 * Does something with the visitor's access token, once more where that is found to be no good and could be renewed.
 * @throws ApiError when nobody is signed in, or no longer; and what is thrown by what is done
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

function isStaleToken(error: unknown): boolean {
  return error instanceof ApiError && error.isStaleToken
}

/** Makes the last try: if the token is refused now, the session is over, and its error says why. */
async function endingSession<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (isStaleToken(error)) endSession()
    throw error
  }
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
