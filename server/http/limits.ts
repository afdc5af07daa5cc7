import type pg from 'pg'
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'
import type { RequestContext } from '#server/context.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'

/** How many times in how many seconds, from one address or one account. */
type Limit = { points: number; seconds: number }

/**
 * What can be guessed, or costs us more than it costs the caller. What counts per account (a login's tries, a code's
 * tries, one resend a minute) is counted by the feature itself; these are per address.
 */
const perAddress: Record<string, Limit> = {
  'auth.signup': { points: 20, seconds: 3600 },
  'auth.login': { points: 50, seconds: 900 },
  'auth.verifyEmail': { points: 50, seconds: 900 },
  'auth.requestVerification': { points: 30, seconds: 3600 },
  'auth.refresh': { points: 300, seconds: 900 },
  'auth.forgotPassword': { points: 10, seconds: 3600 },
  'auth.resetPassword': { points: 30, seconds: 3600 },
  'contact.new': { points: 5, seconds: 3600 },
}
/** Writes of one account, all calls together. */
const perAccount: Limit = { points: 300, seconds: 60 }

/**
 * Counts the call against its limit; the counters are PostgreSQL's, so they hold across processes.
 * @throws AppError rate_limited with the seconds to wait
 */
export async function limitCall(
  call: CallDefinition,
  { services, caller, ip }: RequestContext,
): Promise<void> {
  if (!services.config.rateLimit) return
  const byAddress = perAddress[call.id]
  if (byAddress) await consume(services.pool, `${call.id}:${ip}`, byAddress)
  else if (caller && call.method !== 'GET') await consume(services.pool, `write:${caller.userId}`, perAccount)
}

/** @throws AppError rate_limited */
async function consume(pool: pg.Pool, key: string, limit: Limit): Promise<void> {
  try {
    await limiterOf(pool, limit).consume(key)
  } catch (refused) {
    if (refused instanceof Error) throw refused
    const seconds = Math.max(1, Math.ceil((refused as RateLimiterRes).msBeforeNext / 1000))
    throw new AppError('rate_limited', `Too many requests. Please try again in ${inWords(seconds)}.`, {
      retryAfterSeconds: seconds,
    })
  }
}

export function inWords(seconds: number): string {
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}

const limiters = new WeakMap<pg.Pool, Map<Limit, RateLimiterPostgres>>()

function limiterOf(pool: pg.Pool, limit: Limit): RateLimiterPostgres {
  const ofPool = limiters.get(pool) ?? new Map<Limit, RateLimiterPostgres>()
  limiters.set(pool, ofPool)
  const known = ofPool.get(limit)
  if (known) return known
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    schemaName: 'app',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: '',
    points: limit.points,
    duration: limit.seconds,
    clearExpiredByTimeout: false,
  })
  ofPool.set(limit, limiter)
  return limiter
}
