import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'

/** This many times in this many seconds. */
export type Limit = { points: number; seconds: number }

type Limited = { pool: pg.Pool; config: Pick<Config, 'rateLimit'> }

/**
 * Counts one use of the key against the limit. The counters are in PostgreSQL (app.rate_limits), so they hold across
 * processes; RATE_LIMIT=off switches them all off.
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
    const what = code === 'too_many_tries' ? 'Too many tries' : 'Too many requests'
    throw tooMany(code, what, (refused as RateLimiterRes).msBeforeNext)
  }
}

/**
 * The same within the caller's transaction: a rollback undoes the count, and it needs no second connection.
 * @param what is counted, in words: 'Too many codes to this address'
 * @throws AppError rate_limited with the seconds to wait
 */
export async function countWithin(
  tx: Kysely<Schema>,
  { rateLimit }: Pick<Config, 'rateLimit'>,
  key: string,
  { points, seconds, what }: Limit & { what: string },
): Promise<void> {
  if (!rateLimit) return
  const now = Date.now()
  const { rows } = await sql<{ points: number; expire: number }>`
    INSERT INTO app.rate_limits AS l (key, points, expire) VALUES (${key}, 1, ${now + seconds * 1000})
    ON CONFLICT (key) DO UPDATE SET
      points = CASE WHEN l.expire > ${now} THEN l.points + 1 ELSE 1 END,
      expire = CASE WHEN l.expire > ${now} THEN l.expire ELSE excluded.expire END
    RETURNING points, expire`.execute(tx)
  const counted = rows[0]!
  if (counted.points > points) throw tooMany('rate_limited', what, counted.expire - now)
}

function tooMany(code: ErrorCode, what: string, waitMs: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new AppError(code, `${what}. Please try again in ${inWords(retryAfterSeconds)}.`, {
    retryAfterSeconds,
  })
}

/** Uncounts one use. */
export async function giveBack({ pool, config }: Limited, key: string, limit: Limit): Promise<void> {
  if (config.rateLimit) await limiterOf(pool, limit).reward(key)
}

/** Resets a counter, after a successful login for example. */
export async function forget({ pool, config }: Limited, key: string, limit: Limit): Promise<void> {
  if (config.rateLimit) await limiterOf(pool, limit).delete(key)
}

/** An email address as part of a key: a fixed length, and no personal data among the counters. */
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
