import { isIP } from 'node:net'
import type { Config } from '#server/config.ts'
import { AppError } from '#shared/errors.ts'

/** As whom browsers know us: the domain that passkeys are bound to, and the one origin they are used on. */
export type RelyingParty = { id: string; origin: string }

/**
 * Of the address under which people reach the product. Passkeys are bound to a name; a computer's own address has one.
 * @throws AppError wrong_state where the product is reached by a number
 */
export function relyingPartyOf({ publicUrl }: Pick<Config, 'publicUrl'>): RelyingParty {
  const url = new URL(publicUrl)
  if (url.hostname === '127.0.0.1' || url.hostname === '[::1]') url.hostname = 'localhost'
  if (isIP(url.hostname.replace(/[[\]]/g, '')) !== 0) {
    throw new AppError('wrong_state', 'Passkeys cannot be used here: this address has no name, only a number')
  }
  return { id: url.hostname, origin: url.origin }
}
