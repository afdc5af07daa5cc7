import { createHash } from 'node:crypto'
import { CompiledQuery, type Kysely } from 'kysely'
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
  await consume(limiterOf(pool, limit), key, wait =>
    tooMany(code, code === 'too_many_tries' ? 'Too many tries' : 'Too many requests', wait),
  )
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
  { what, ...limit }: Limit & { what: string },
): Promise<void> {
  if (!rateLimit) return
  const connection = {
    query: ({ text, values }: { text: string; values: unknown[] }) =>
      tx.executeQuery(CompiledQuery.raw(text, values)),
  }
  const limiter = new RateLimiterPostgres({ ...options(limit), storeClient: connection, storeType: 'client' })
  await consume(limiter, key, wait => tooMany('rate_limited', what, wait))
}

/** The same for what is left out beyond the limit, not refused: false if it is reached. */
export async function isCountedWithin(
  tx: Kysely<Schema>,
  config: Pick<Config, 'rateLimit'>,
  key: string,
  limit: Limit,
): Promise<boolean> {
  try {
    await countWithin(tx, config, key, { ...limit, what: 'Too many requests' })
    return true
  } catch (refused) {
    if (refused instanceof AppError) return false
    throw refused
  }
}

async function consume(
  limiter: RateLimiterPostgres,
  key: string,
  refusal: (waitMs: number) => AppError,
): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refused) {
    if (refused instanceof Error) throw refused
    throw refusal((refused as RateLimiterRes).msBeforeNext)
  }
}

/** A refusal with the time to wait. `what`: the limit, without a full stop. */
export function tooMany(code: ErrorCode, what: string, waitMs: number): AppError {
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
  const limiter = new RateLimiterPostgres({ ...options(limit), storeClient: pool })
  ofPool.set(limit, limiter)
  return limiter
}

function options({ points, seconds }: Limit) {
  return {
    schemaName: 'app',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: '',
    points,
    duration: seconds,
    clearExpiredByTimeout: false,
  }
}
