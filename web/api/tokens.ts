import type { TokenPair } from '#shared/contract/accounts.ts'
import type { UserType } from '#shared/contract/entities.ts'
import { type Role, roles } from '#shared/roles.ts'

/** The session's tokens in local storage, under the specification's keys (D9). */
const accessKey = 'access'
const refreshKey = 'refresh'

export function storedAccess(): string | null {
  return localStorage.getItem(accessKey)
}

export function storedRefresh(): string | null {
  return localStorage.getItem(refreshKey)
}

export function storeTokens({ accessToken, refreshToken }: TokenPair) {
  // The refresh token first: another tab that sees the new access token finds its partner already there.
  localStorage.setItem(refreshKey, refreshToken)
  localStorage.setItem(accessKey, accessToken)
}

export function removeTokens() {
  localStorage.removeItem(accessKey)
  localStorage.removeItem(refreshKey)
}

type Claims = { exp?: unknown; sub?: unknown; type?: unknown; role?: unknown; setup?: unknown }

/** The payload of a JSON web token, unchecked: only the server can check it. Undefined for anything else. */
export function claimsOf(token: string | null): Claims | undefined {
  try {
    const payload = token?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/')
    if (!payload) return undefined
    const claims: unknown = JSON.parse(
      new TextDecoder().decode(Uint8Array.from(atob(payload), c => c.charCodeAt(0))),
    )
    return typeof claims === 'object' && claims !== null ? claims : undefined
  } catch {
    return undefined
  }
}

/** Whether the token's expiry (seconds since 1970) has passed, or cannot be read. */
export function hasExpired(token: string, nowMs = Date.now()): boolean {
  const expiresAt = claimsOf(token)?.exp
  return typeof expiresAt !== 'number' || expiresAt * 1000 <= nowMs
}

/** The type of the account that is logged in here, as its token says; undefined where nobody is. */
export function typeLoggedIn(): UserType | undefined {
  const access = storedAccess()
  if (access === null || (hasExpired(access) && storedRefresh() === null)) return undefined
  return claimsOf(access)?.type === 'admin' ? 'admin' : 'investor'
}

/** The id of the account that is logged in here, as its token says; undefined where nobody is. */
export function idLoggedIn(): string | undefined {
  const id = claimsOf(storedAccess())?.sub
  return typeof id === 'string' ? id : undefined
}

/** The role of the staff account that is logged in here, as its token says; null for everybody else. */
export function roleLoggedIn(): Role | null {
  const role = claimsOf(storedAccess())?.role
  return roles.find(one => one === role) ?? null
}

/** Whether who is logged in here is an admin who has to set up a second factor before he can do anything as one. */
export function mustSetUp(): boolean {
  return claimsOf(storedAccess())?.setup === true
}

/**
 * Tells when another tab signs out (null) or signs in as somebody else (the new token).
 * @returns ends the watch.
 */
export function onTokenChangedElsewhere(listener: (access: string | null) => void): () => void {
  const hear = (event: StorageEvent) => {
    if (event.key !== accessKey) return
    const same = event.newValue && claimsOf(event.newValue)?.sub === claimsOf(event.oldValue)?.sub
    if (!same) listener(event.newValue)
  }
  addEventListener('storage', hear)
  return () => removeEventListener('storage', hear)
}
