import { type login, logout, refresh, type signup } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { ApiError } from './errors.ts'
import { forgetRoot, rememberRoot } from './root-state.ts'
import { send } from './send.ts'
import { signal } from './signal.ts'
import { hasExpired, removeTokens, storedAccess, storedRefresh, storeTokens } from './tokens.ts'

/** A call found that the session is over: the way leads to /login. */
export const sessionEnded = signal()
/** Somebody signed in: what was read before was another's. */
export const sessionBegan = signal()
/** Somebody logs out here: what is under way for him is of no use any more. */
export const sessionLeft = signal()

/** Forgets the session in this browser: tokens and the persisted state. */
export function forgetSession() {
  removeTokens()
  forgetRoot()
}

/** The session cannot go on. */
export function endSession() {
  forgetSession()
  sessionEnded.emit()
}

/** After sign-in: keeps the tokens and what the root key holds (A-02, K-05). */
export function beginSession({ token, ...overview }: CallData<typeof login>) {
  storeTokens(token)
  rememberRoot(overview)
  sessionBegan.emit()
}

/** After sign-up: a new account has nothing yet. */
export function beginFirstSession({ token, user }: CallData<typeof signup>) {
  const none = { total: 0, list: [] }
  beginSession({ token, user, investments: none, withdrawals: none, earnings: none })
}

/** Logout: revokes the refresh token if the server can be reached, and removes everything stored in this browser. */
export async function leave() {
  sessionLeft.emit()
  const access = await freshAccess().catch(() => null)
  if (access) await send(logout, {}, access).catch(() => undefined)
  forgetSession()
  localStorage.clear()
  sessionStorage.clear()
}

/** Runs alone among the tabs of this browser, where it can say so; else alone in this tab. */
function alone<T>(work: () => Promise<T>): Promise<T> {
  return navigator.locks ? navigator.locks.request('probity.refresh', work) : work()
}

let underWay: Promise<string | null> | undefined

/**
 * Changes the refresh token for a new pair, once however many calls and tabs ask: a refresh token that is used
 * twice ends the session (D9).
 * @param stale the access token that was found to be no good.
 * @returns the new access token, or null when the session is over.
 * @throws ApiError when the server could not be asked: the session may still be good.
 */
export function renew(stale: string | null): Promise<string | null> {
  underWay ??= alone(() => exchange(stale)).finally(() => {
    underWay = undefined
  })
  return underWay
}

async function exchange(stale: string | null): Promise<string | null> {
  const current = storedAccess()
  // Another tab was faster.
  if (current !== stale && current !== null && !hasExpired(current)) return current
  const refreshToken = storedRefresh()
  if (!refreshToken) return null
  try {
    const { data } = await send(refresh, { body: { refreshToken } }, null)
    storeTokens(data.token)
    return data.token.accessToken
  } catch (error) {
    if (error instanceof ApiError && (error.unclear || error.status === 429)) throw error
    return null
  }
}

/**
 * The access token for the next call, renewed first if its time has passed.
 * @returns null when nobody is signed in, or no longer.
 */
export async function freshAccess(): Promise<string | null> {
  const access = storedAccess()
  if (access !== null && !hasExpired(access)) return access
  return access === null ? null : renew(access)
}

/**
 * The route guard's question: may the visit go on? If not, what was stored is forgotten. While the server
 * cannot be asked it may: the page says what it cannot read, and the server gives nothing away.
 * @returns 'in', 'out' (never signed in here) or 'expired'.
 */
export async function checkSession(): Promise<'in' | 'out' | 'expired'> {
  if (storedAccess() === null) return 'out'
  if (await mayGoOn()) return 'in'
  forgetSession()
  return 'expired'
}

async function mayGoOn(): Promise<boolean> {
  try {
    return (await freshAccess()) !== null
  } catch (error) {
    if (error instanceof ApiError) return true
    throw error
  }
}
