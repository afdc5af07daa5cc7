import { BlockList, isIP } from 'node:net'
import type { Caller, Services } from '#server/context.ts'
import { subscriberOf, unmapped } from '#server/platform/network.ts'
import { countAgainst, type Limit } from '#server/platform/rate-limit.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { apiKeyUseSeconds } from '#shared/limits.ts'
import type { ApiKeyRight } from '#shared/roles.ts'
import { type KeyRow, statusOf } from './key-queries.ts'
import { hashOfKey, isKeyText } from './key-text.ts'

/** Refused keys from one address. Nobody guesses 256 bits; the limit keeps noise from the database. */
const refusedKeys: Limit = { points: 60, seconds: 900 }

type Stored = Pick<
  KeyRow,
  'id' | 'rights' | 'addresses' | 'expires_on' | 'revoked_at' | 'hash' | 'last_used_at' | 'last_refused_at'
>

/**
 * The caller of a key, read from the database each time, so that a revoked key is refused at once. All refusals are alike:
 * someone who found a key learns nothing about it.
 * @throws AppError token_invalid, rate_limited
 */
export async function callerOfKey(services: Services, text: string, ip: string): Promise<Caller> {
  const now = services.clock.now()
  const key = isKeyText(text) ? await findKey(services, text) : undefined
  const works = key !== undefined && statusOf(key, now) === 'active' && isWithin(ip, key.addresses)
  if (key !== undefined) await noteUse(services, key, works ? 'used' : 'refused', ip)
  if (!works) {
    await countAgainst(services, `api_key:${subscriberOf(ip)}`, refusedKeys)
    throw new AppError(
      'token_invalid',
      t('This API key does not work here. An admin can check it in the console.'),
    )
  }
  return { userId: key.id, sessionId: key.id, role: null, keyRights: key.rights as ApiKeyRight[] }
}

function findKey({ db }: Services, text: string): Promise<Stored | undefined> {
  return db
    .selectFrom('app.api_keys')
    .select(['id', 'rights', 'addresses', 'expires_on', 'revoked_at', 'hash'])
    .select(['last_used_at', 'last_refused_at'])
    .where('hash', '=', hashOfKey(text))
    .executeTakeFirst()
}

/** True if the address is one of these, or in one of these CIDR ranges. */
export function isWithin(ip: string, addresses: readonly string[]): boolean {
  const plain = unmapped(ip)
  if (isIP(plain) === 0) return false
  const list = new BlockList()
  for (const one of addresses) {
    const [network = '', prefix] = one.split('/')
    const family = familyOf(network)
    if (prefix === undefined) list.addAddress(network, family)
    else list.addSubnet(network, Number(prefix), family)
  }
  return list.check(plain, familyOf(plain))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** When and from where it last came, stored at most once a minute. A revoked key's row stays as it is. */
async function noteUse(
  { db, clock }: Services,
  { id, revoked_at, last_used_at, last_refused_at }: Stored,
  what: 'used' | 'refused',
  ip: string,
): Promise<void> {
  const now = clock.now()
  const last = what === 'used' ? last_used_at : last_refused_at
  if (revoked_at !== null) return
  if (last !== null && now.getTime() - last.getTime() < apiKeyUseSeconds * 1000) return
  await db
    .updateTable('app.api_keys')
    .set(
      what === 'used'
        ? { last_used_at: now, last_used_ip: ip }
        : { last_refused_at: now, last_refused_ip: ip },
    )
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}
