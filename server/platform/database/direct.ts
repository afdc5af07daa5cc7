import type { Pool } from 'pg'
import type { LimitedClientConfig } from './limited-client.ts'

/** Pools beside those that lead through a pooler in transaction mode. */
const directPools = new WeakMap<object, Pool>()

export function noteDirect(pool: Pool, direct: Pool): void {
  directPools.set(pool, direct)
}

/**
 * Where to do what needs a session: session locks, LISTEN, settings outside a transaction. The pool itself, unless it
 * leads through a pooler in transaction mode.
 */
export function directOf(pool: Pool): Pool {
  return directPools.get(pool) ?? pool
}

export type ApartOptions = {
  /** Shown in pg_stat_activity. */
  name: string
  /** Limits of a statement and of waiting for its answer, in milliseconds; by default those of the pool. */
  statementMs?: number
  answerMs?: number
}

/** Configuration of a session apart from the pool's, and like them. */
export function apartFrom(
  pool: Pick<Pool, 'options'>,
  { name, statementMs, answerMs }: ApartOptions,
): LimitedClientConfig {
  const options: LimitedClientConfig = directOf(pool as Pool).options
  return {
    ...options,
    application_name: name,
    ...(answerMs !== undefined && { answerMs }),
    ...(statementMs !== undefined && { settings: { ...options.settings, statement_timeout: statementMs } }),
  }
}
