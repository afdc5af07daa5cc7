import { createHash } from 'node:crypto'
import { CompiledQuery, type Kysely } from 'kysely'
import type pg from 'pg'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

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
  const { rows } = await pool.query<Counter>(count(key, limit, 1))
  requireWithin(
    limit,
    rows[0]!,
    code,
    code === 'too_many_tries' ? t('Too many tries') : t('Too many requests'),
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
  const { text, values } = count(key, limit, 1)
  const { rows } = await tx.executeQuery<Counter>(CompiledQuery.raw(text, values))
  requireWithin(limit, rows[0]!, 'rate_limited', what)
}

/** The same for what is left out beyond the limit, not refused: false if it is reached. */
export async function isCountedWithin(
  tx: Kysely<Schema>,
  config: Pick<Config, 'rateLimit'>,
  key: string,
  limit: Limit,
): Promise<boolean> {
  try {
    await countWithin(tx, config, key, { ...limit, what: t('Too many requests') })
    return true
  } catch (refused) {
    if (refused instanceof AppError) return false
    throw refused
  }
}

/** A counter, with the milliseconds until it ends. */
type Counter = { points: number; wait: number }

/**
 * Adds points to a counter, and begins it again if it has ended: by the database's clock, so that all processes agree. None
 * ends later than one that begins now.
 */
function count(key: string, { seconds }: Limit, points: number) {
  const text = `
    INSERT INTO app.rate_limits AS counter (key, points, expire)
    VALUES ($1, $2, extract(epoch FROM clock_timestamp())::float8 * 1000 + $3::float8)
    ON CONFLICT (key) DO UPDATE
       SET points = CASE WHEN counter.expire <= excluded.expire - $3 THEN 0 ELSE counter.points END + excluded.points,
           expire = CASE WHEN counter.expire <= excluded.expire - $3 THEN excluded.expire
                         ELSE least(counter.expire, excluded.expire) END
    RETURNING points, expire - extract(epoch FROM clock_timestamp())::float8 * 1000 AS wait`
  return { name: 'count', text, values: [key, points, seconds * 1000] }
}

/** @throws AppError with the code and the seconds to wait */
function requireWithin(limit: Limit, { points, wait }: Counter, code: ErrorCode, what: string): void {
  if (points > limit.points) throw tooMany(code, what, wait)
}

/** A refusal with the time to wait. `what`: the limit, without a full stop. */
export function tooMany(code: ErrorCode, what: string, waitMs: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new AppError(
    code,
    t('{problem}. Please try again in {time}.', { problem: what, time: inWords(retryAfterSeconds) }),
    {
      retryAfterSeconds,
    },
  )
}

/** Uncounts one use. */
export async function giveBack({ pool, config }: Limited, key: string, limit: Limit): Promise<void> {
  if (config.rateLimit) await pool.query(count(key, limit, -1))
}

/** Resets a counter, after a successful login for example. */
export async function forget({ pool, config }: Limited, key: string): Promise<void> {
  if (config.rateLimit) await pool.query('DELETE FROM app.rate_limits WHERE key = $1', [key])
}

/** An email address as part of a key: a fixed length, and no personal data among the counters. */
export function addressHash(email: string): string {
  return createHash('sha256').update(email).digest('base64url')
}

export function inWords(seconds: number): string {
  if (seconds < 120) return t('{seconds, plural, one {# second} other {# seconds}}', { seconds })
  return t('{minutes, plural, one {# minute} other {# minutes}}', { minutes: Math.ceil(seconds / 60) })
}
