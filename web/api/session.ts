import { type login, logout, refresh, type signup } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { ApiError } from './errors.ts'
import { forgetRoot, rememberRoot } from './root-state.ts'
import { send } from './send.ts'
import { signal } from './signal.ts'
import { hasExpired, removeTokens, storedAccess, storedRefresh, storeTokens } from './tokens.ts'

/** A call found the session over, with its refusal. */
export const sessionEnded = signal<ApiError>()
/** A user signed in: earlier reads belong to someone else. */
export const sessionBegan = signal()
/** The user is logging out: pending work is useless. */
export const sessionLeft = signal()

/** True while the user logs out: then nothing says that the session has ended. */
let leaving = false

/** Removes tokens, stored state and drafts (web/dashboard/identity/draft.ts). */
export function forgetSession() {
  sessionStorage.clear()
  removeTokens()
  forgetRoot()
}

export function endSession(refusal: ApiError) {
  forgetSession()
  if (!leaving) sessionEnded.emit(refusal)
}

/**
 * What the device saw of the public log, with nothing of the investor's: the next check must see that nothing was changed
 * (web/dashboard/proof/kept.ts).
 */
const ofPublicLog = ['proof', 'proof-failed']

/** After login: stores tokens and state (A-02, K-05). */
export function beginSession({ token, ...overview }: CallData<typeof login>) {
  // Drafts of the person before.
  sessionStorage.clear()
  storeTokens(token)
  rememberRoot(overview)
  sessionBegan.emit()
}

/** After registration: a new account has no records yet. */
export function beginFirstSession({ token, user }: CallData<typeof signup>) {
  const none = { total: 0, list: [] }
  beginSession({ token, user, investments: none, withdrawals: none, earnings: none })
}

/** Logs out: revokes the refresh token if possible and clears all browser storage but what the device saw of the public log. */
export async function leave() {
  leaving = true
  sessionLeft.emit()
  const access = await freshAccess().catch(() => null)
  if (access) await send(logout, {}, access).catch(() => undefined)
  forgetSession()
  const seen = ofPublicLog.map(key => [key, localStorage.getItem(key)] as const)
  localStorage.clear()
  for (const [key, value] of seen) if (value !== null) localStorage.setItem(key, value)
  leaving = false
}

/** Runs in one tab at a time, if the browser supports locks. */
function alone<T>(work: () => Promise<T>): Promise<T> {
  return navigator.locks ? navigator.locks.request('probity.refresh', work) : work()
}

let underWay: Promise<string | null> | undefined

/**
 * Exchanges the refresh token once for all calls and tabs, because using it twice ends the session (D9).
 * @param stale the refused access token
 * @returns the new access token, or null if the session is over
 * @throws ApiError if the server is unavailable: the session may still be valid
 */
export function renew(stale: string | null): Promise<string | null> {
  underWay ??= alone(() => exchange(stale)).finally(() => {
    underWay = undefined
  })
  return underWay
}

async function exchange(stale: string | null): Promise<string | null> {
  const current = storedAccess()
  // Another tab has already renewed it.
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
 * A valid access token, renewed if expired.
 * @returns null if signed out
 */
export async function freshAccess(): Promise<string | null> {
  const access = storedAccess()
  if (access !== null && !hasExpired(access)) return access
  return access === null ? null : renew(access)
}

/**
 * Session check of the route guard; clears an ended session. While the server is away the visit
 * continues: the page reports what it cannot read.
 * @returns 'in', 'out' (never signed in here) or 'expired'
 */
export async function checkSession(): Promise<'in' | 'out' | 'expired'> {
  if (storedAccess() === null) {
    // Another tab may have logged out: the drafts of this one go, too.
    sessionStorage.clear()
    return 'out'
  }
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
