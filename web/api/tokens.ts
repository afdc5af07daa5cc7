import type { TokenPair } from '#shared/contract/accounts.ts'
import type { UserType } from '#shared/contract/entities.ts'
import { type Role, roles } from '#shared/roles.ts'

/** Local storage keys of the tokens, as specified (D9). */
const accessKey = 'access'
const refreshKey = 'refresh'

export function storedAccess(): string | null {
  return localStorage.getItem(accessKey)
}

export function storedRefresh(): string | null {
  return localStorage.getItem(refreshKey)
}

export function storeTokens({ accessToken, refreshToken }: TokenPair) {
  // Refresh token first: a tab that sees the new access token must find its partner.
  localStorage.setItem(refreshKey, refreshToken)
  localStorage.setItem(accessKey, accessToken)
}

export function removeTokens() {
  localStorage.removeItem(accessKey)
  localStorage.removeItem(refreshKey)
}

type Claims = { exp?: unknown; sub?: unknown; type?: unknown; role?: unknown; setup?: unknown }

/** Unverified payload of a JSON web token; undefined for anything else. */
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

/** True if the token's expiry (seconds since 1970) has passed or cannot be read. */
export function hasExpired(token: string, nowMs = Date.now()): boolean {
  const expiresAt = claimsOf(token)?.exp
  return typeof expiresAt !== 'number' || expiresAt * 1000 <= nowMs
}

/** Account type from the stored token; undefined if signed out. */
export function typeLoggedIn(): UserType | undefined {
  const access = storedAccess()
  if (access === null || (hasExpired(access) && storedRefresh() === null)) return undefined
  return claimsOf(access)?.type === 'admin' ? 'admin' : 'investor'
}

/** Account id from the stored token; undefined if signed out. */
export function idLoggedIn(): string | undefined {
  const id = claimsOf(storedAccess())?.sub
  return typeof id === 'string' ? id : undefined
}

/** Staff role from the stored token; null for everyone else. */
export function roleLoggedIn(): Role | null {
  const role = claimsOf(storedAccess())?.role
  return roles.find(one => one === role) ?? null
}

/** True for an admin who must set up two-factor authentication first. */
export function mustSetUp(): boolean {
  return claimsOf(storedAccess())?.setup === true
}

/**
 * Calls the listener when another tab signs out (null) or signs in as another user (the new token).
 * @returns stops listening
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
