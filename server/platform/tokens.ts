import { createSigner, createVerifier, TokenError } from 'fast-jwt'
import type { UserType } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { accessTokenMinutes } from '#shared/limits.ts'
import type { Role } from '#shared/roles.ts'
import type { Clock } from './clock.ts'
import { keyRing, type Secrets } from './encrypted.ts'

/** Claims of an access token: user, type, role and session. */
export type Claims = {
  sub: string
  type: UserType
  /** Staff only. */
  role?: Role
  sid: string
  /** An admin who must first show or set up a second factor. */
  setup?: true
}
/** With its issue and its expiry, in seconds since 1970. */
export type VerifiedClaims = Claims & { iat: number; exp: number }

/** Whom the tokens are for: a token signed with this secret for anything else is refused (RFC 7519 4.1.3). */
const AUDIENCE = 'probity-api'

/** Verified tokens that a process remembers, so that each signature is checked once. */
const REMEMBERED = 10_000

export type AccessTokens = {
  /** @param sessionEndsIn milliseconds that the session has left: no token outlives it */
  sign(claims: Claims, sessionEndsIn?: number): string
  /** @throws AppError token_expired, or token_invalid for anything else that is no token of ours */
  verify(token: string): VerifiedClaims
}

const made = new WeakMap<Clock, Map<string, AccessTokens>>()

/**
 * Access tokens: JWT (RFC 7519) with HMAC-SHA256, valid for fifteen minutes (D9). Tokens under earlier secrets are accepted
 * until they expire. One instance for each set of secrets and each clock.
 */
export function accessTokens(secrets: Secrets, clock: Clock): AccessTokens {
  const keys = keyRing(secrets, 'access token')
  const name = keys.map(key => key.toString('base64url')).join(' ')
  const ofClock = made.get(clock) ?? new Map<string, AccessTokens>()
  const known = ofClock.get(name) ?? makeAccessTokens(keys, clock)
  made.set(clock, ofClock.set(name, known))
  return known
}

function makeAccessTokens(keys: readonly Buffer[], clock: Clock): AccessTokens {
  const sign = createSigner({ key: keys[0]!, algorithm: 'HS256', aud: AUDIENCE })
  const check = checkUnder(keys)
  // Cached by the token itself: the verifier's own cache hashes each token, which costs more than everything else.
  const verified = new Map<string, VerifiedClaims>()
  const checked = (token: string): VerifiedClaims => {
    try {
      const claims = check(token)
      if (verified.size >= REMEMBERED) verified.delete(verified.keys().next().value!)
      verified.set(token, claims)
      return claims
    } catch {
      throw new AppError('token_invalid', t('This access token is not valid. Log in again.'))
    }
  }
  return {
    sign(claims, sessionEndsIn = Number.POSITIVE_INFINITY) {
      const lifetime = Math.min(accessTokenMinutes * 60_000, sessionEndsIn)
      const now = clock.now().getTime()
      return sign({ ...claims, iat: Math.floor(now / 1000), exp: Math.floor((now + lifetime) / 1000) })
    },
    verify(token) {
      const claims = verified.get(token) ?? checked(token)
      if (claims.exp * 1000 <= clock.now().getTime()) {
        verified.delete(token)
        throw new AppError('token_expired', t('Your access token has expired. Renew it or log in again.'))
      }
      return claims
    },
  }
}

/** Checks a token under each key in turn; the last result counts. */
function checkUnder([key, ...others]: readonly Buffer[]): (token: string) => VerifiedClaims {
  const check = createVerifier({
    key: key!,
    algorithms: ['HS256'],
    allowedAud: AUDIENCE,
    requiredClaims: ['aud', 'iat', 'exp'],
    // It would ask the machine's clock.
    ignoreExpiration: true,
  })
  if (others.length === 0) return check
  const checkOthers = checkUnder(others)
  return token => {
    try {
      return check(token) as VerifiedClaims
    } catch (error) {
      if (error instanceof TokenError && error.code === TokenError.codes.invalidSignature)
        return checkOthers(token)
      throw error
    }
  }
}
