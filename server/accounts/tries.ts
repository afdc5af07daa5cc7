import type { RequestContext, Services } from '#server/context.ts'
import { networkOf } from '#server/platform/network.ts'
import { countAgainst, forget, giveBack, type Limit } from '#server/platform/rate-limit.ts'
import { hashOf } from './sessions.ts'

/** Sessions by which an account's devices and networks are known: enough for a person, too few to collect places. */
const REMEMBERED_SESSIONS = 100

/** Where a try comes from; `known` if the account's owner has logged in there. */
export type Place = { key: string; known: boolean }

export type TryLimits = {
  perPlace: Limit
  /** Over a longer time: of one known place, or of all unknown places together, which bounds guessing from many networks. */
  longer: Limit
}

/** The caller's own session: anyone who tries there is already in the account. */
export function sessionPlace(sessionId: string): Place {
  return { key: `session:${sessionId}`, known: true }
}

/**
 * The place of a login: a device of the account, or else the network. A network is known by the account's sessions and
 * password resets. Runs the same queries for an unknown account, so that its time reveals nothing.
 * @param of.secondFactor only sessions that showed one count, since others needed nothing but the password
 */
export async function placeOf(
  { services, ip }: Pick<RequestContext, 'services' | 'ip'>,
  userId: string | undefined,
  device: string | undefined,
  of: { secondFactor: boolean },
): Promise<Place> {
  const id = userId ?? '00000000-0000-0000-0000-000000000000'
  const deviceHash = device === undefined ? undefined : hashOf(device)
  const sessions = await services.db
    .selectFrom('app.sessions')
    .select(['ip', 'device_hash'])
    .where('user_id', '=', id)
    .$if(of.secondFactor, query => query.where('second_factor', '=', true))
    .orderBy('id', 'desc')
    .limit(REMEMBERED_SESSIONS)
    .execute()
  const resets = await services.db
    .selectFrom('app.audit_log')
    .select('ip')
    .where('subject_id', '=', id)
    .where('action', '=', 'password.reset')
    .where(({ lit }) => lit(!of.secondFactor))
    .orderBy('id', 'desc')
    .limit(REMEMBERED_SESSIONS)
    .execute()
  if (deviceHash && sessions.some(({ device_hash }) => device_hash?.equals(deviceHash))) {
    return { key: `device:${deviceHash.toString('base64url')}`, known: true }
  }
  const network = networkOf(ip)
  const known = [...sessions, ...resets].some(({ ip }) => ip !== null && networkOf(ip) === network)
  return { key: `network:${network}`, known }
}

/**
 * Counts a try before its secret is checked, so that parallel tries cannot share one. Tries elsewhere never use up those
 * of a known place.
 * @throws AppError too_many_tries
 */
export async function countTry(
  services: Services,
  secret: string,
  place: Place,
  { perPlace, longer }: TryLimits,
): Promise<void> {
  await countAgainst(services, `${secret}:${place.key}`, perPlace, 'too_many_tries')
  await countAgainst(services, longerKey(secret, place), longer, 'too_many_tries')
}

/** A success resets the counts of its place, and takes its own try from those of all unknown places. */
export async function forgetTries(
  services: Services,
  secret: string,
  place: Place,
  { longer }: TryLimits,
): Promise<void> {
  await forget(services, `${secret}:${place.key}`)
  if (place.known) await forget(services, longerKey(secret, place))
  else await giveBack(services, longerKey(secret, place), longer)
}

/** Resets the count of all unknown places together. */
export async function forgetTriesElsewhere(services: Services, secret: string): Promise<void> {
  await forget(services, longerKey(secret, { key: '', known: false }))
}

function longerKey(secret: string, { key, known }: Place): string {
  return `${secret}:longer:${known ? key : 'elsewhere'}`
}
