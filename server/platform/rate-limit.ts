import { createHash } from 'node:crypto'
import type pg from 'pg'
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '#server/config.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'

/** How many times in how many seconds. */
export type Limit = { points: number; seconds: number }

type Limited = { pool: pg.Pool; config: Pick<Config, 'rateLimit'> }

/**
 * Counts one more use of the key against the limit. The counters are PostgreSQL's (app.rate_limits), so they hold
 * across processes; RATE_LIMIT=off switches all of them off.
 * @throws AppError with the code and the seconds to wait
 */
export async function countAgainst(
  { pool, config }: Limited,
  key: string,
  limit: Limit,
  code: Extract<ErrorCode, 'rate_limited' | 'too_many_tries'> = 'rate_limited',
): Promise<void> {
  if (!config.rateLimit) return
  try {
    await limiterOf(pool, limit).consume(key)
  } catch (refused) {
    if (refused instanceof Error) throw refused
    const seconds = Math.max(1, Math.ceil((refused as RateLimiterRes).msBeforeNext / 1000))
    const what = code === 'too_many_tries' ? 'Too many tries' : 'Too many requests'
    throw new AppError(code, `${what}. Please try again in ${inWords(seconds)}.`, {
      retryAfterSeconds: seconds,
    })
  }
}

/** Takes one use back: it did not count after all. */
export async function giveBack({ pool, config }: Limited, key: string, limit: Limit): Promise<void> {
  if (config.rateLimit) await limiterOf(pool, limit).reward(key)
}

/** Forgets what was counted: a login that succeeded. */
export async function forget({ pool, config }: Limited, key: string, limit: Limit): Promise<void> {
  if (config.rateLimit) await limiterOf(pool, limit).delete(key)
}

/** An e-mail address as part of a key: of one length, and no personal data among the counters. */
export function addressHash(email: string): string {
  return createHash('sha256').update(email).digest('base64url')
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
