import { isIP } from 'node:net'
import type { Config } from '#server/config.ts'
import { accountRefusals } from './messages.ts'

/** The domain that passkeys are bound to, and the one origin they are used on. */
export type RelyingParty = { id: string; origin: string }

/**
 * The relying party of the public URL. Passkeys need a domain name; a loopback address counts as localhost.
 * @throws AppError no_domain_name
 */
export function relyingPartyOf({ publicUrl }: Pick<Config, 'publicUrl'>): RelyingParty {
  const url = new URL(publicUrl)
  if (url.hostname === '127.0.0.1' || url.hostname === '[::1]') url.hostname = 'localhost'
  if (isIP(url.hostname.replace(/[[\]]/g, '')) !== 0) {
    throw accountRefusals.error({ reason: 'no_domain_name' })
  }
  return { id: url.hostname, origin: url.origin }
}
