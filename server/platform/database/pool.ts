import { Kysely } from 'kysely'
import { type CustomTypesConfig, Pool, types } from 'pg'
import { keepingSpan } from '#server/platform/tracing/tracing.ts'
import { noteDirect } from './direct.ts'
import { Dialect } from './driver.ts'
import { Hosts, urlsOf } from './hosts.ts'
import { LimitedClient, type LimitedClientConfig } from './limited-client.ts'
import { makePausable } from './pause.ts'
import type { Schema } from './schema.ts'
import { StatementNames } from './statement-names.ts'

/** Query builder over the application's tables; see schema.ts. */
export type Db = Kysely<Schema>

/** The role of web and worker processes, whatever their login. */
export const APP_ROLE = 'probity_app'

/** PostgreSQL's object ids of types that JavaScript would read inexactly by default. */
const INT8 = 20
const INT8_ARRAY = 1016
const DATE = 1082

/** text[]; its parser splits an array's elements. */
const TEXT_ARRAY = 1009
const textArray = types.getTypeParser(TEXT_ARRAY as never, 'text') as unknown as (
  text: string,
) => (string | null)[]

function bigintArray(text: string): (bigint | null)[] {
  return textArray(text).map(item => (item === null ? null : BigInt(item)))
}

/**
 * int8 arrives as bigint and `date` as text (a Date would shift it by the time zone); numeric is text already. Money is
 * int8 minor units, so no amount ever becomes a floating point number.
 */
const exactTypes: CustomTypesConfig = {
  getTypeParser: (id: number, format) => {
    if (format !== 'binary' && id === INT8) return BigInt
    if (format !== 'binary' && id === INT8_ARRAY) return bigintArray
    if (format !== 'binary' && id === DATE) return String
    return types.getTypeParser(id as never, format as never)
  },
}

/** Extra time after a statement's own limit, in milliseconds. */
const ANSWER_GRACE_MS = 2_000
/** Longest pause between two statements of a transaction, in milliseconds. */
const IDLE_MS = 30_000

export interface ClientOptions {
  /** Connection string; it may name several hosts (decision 140). */
  readonly url: string
  /** `app` acts as probity_app; `owner` as the login itself. */
  readonly as: 'app' | 'owner'
  /** Shown in pg_stat_activity. */
  readonly name: string
}

export interface PoolOptions extends ClientOptions {
  /** Maximum number of connections. */
  readonly max?: number
  /** Statement timeout; 0 is no limit. */
  readonly statementTimeoutMs?: number
  /** Breaks its connections when aborted. */
  readonly signal?: AbortSignal
  /** The url leads through a pooler in transaction mode; this pool does what needs a session (`directOf`). */
  readonly direct?: Pool
  /** True: its transactions cannot write. */
  readonly readOnly?: boolean
  /** Limit of each wait for a lock. */
  readonly lockTimeoutMs?: number
}

/**
 * Exact types, UTC, and the role. Scans of large tables start at the beginning instead of joining another scan: counting a
 * list's first thousand rows then finds cached blocks.
 */
export function clientConfig({ url, as, name }: ClientOptions): LimitedClientConfig {
  const isAppLogin = decodeURIComponent(new URL(urlsOf(url)[0]!).username) === APP_ROLE
  return {
    connectionString: url,
    hosts: new Hosts(),
    application_name: name,
    settings: {
      ...(as === 'app' && !isAppLogin && { role: APP_ROLE }),
      TimeZone: 'UTC',
      synchronize_seqscans: 'off',
    },
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    types: exactTypes,
  }
}

/**
 * A pool with every limit explicit: waiting for a connection, a lock, a statement or a lost server, and idling in a
 * transaction.
 */
export function openPool({
  max = 10,
  statementTimeoutMs = 15_000,
  lockTimeoutMs = 5_000,
  direct,
  signal,
  readOnly = false,
  ...client
}: PoolOptions): Pool {
  const config = clientConfig(client)
  const limits: LimitedClientConfig = {
    ...(statementTimeoutMs > 0 && { answerMs: statementTimeoutMs + ANSWER_GRACE_MS }),
    ...(signal && { signal }),
    names: new StatementNames(direct === undefined),
    scope: direct === undefined ? 'session' : 'transaction',
    settings: {
      ...config.settings,
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_MS,
      ...(readOnly && { default_transaction_read_only: 'on' }),
    },
  }
  const pool = new Pool({ ...config, ...limits, Client: LimitedClient, max, idleTimeoutMillis: 30_000 })
  if (direct !== undefined) noteDirect(pool, direct)
  outliveLosses(pool)
  // After a failover the next connection may lead to the new primary.
  pool.on('release', (_error, session) => {
    if (session instanceof LimitedClient && session.refusedToWrite) void session.end()
  })
  makePausable(pool)
  keepSpans(pool)
  return pool
}

/**
 * The pool replaces a broken connection, and the current or next query reports the error. Without listeners the event would
 * end the process, and graphile-worker warns.
 */
export function outliveLosses(pool: Pool): void {
  pool.on('error', () => {})
  pool.on('connect', session => session.on('error', () => {}))
}

/** A returned connection is passed on by the work that returns it; the next work goes on within its own span. */
function keepSpans(pool: Pool): void {
  const connect = pool.connect.bind(pool) as (callback?: (...given: unknown[]) => void) => unknown
  pool.connect = ((callback?: (...given: unknown[]) => void) =>
    connect(callback && keepingSpan(callback))) as Pool['connect']
}

/** Query builder on a pool. Close the pool itself: the builder's `destroy` does nothing before its first query. */
export function openDatabase(pool: Pool): Db {
  return new Kysely<Schema>({ dialect: new Dialect({ pool }) })
}

/** From now on frequent statements are prepared: the pooler keeps them with each client. */
export function allowNames({ options }: Pool): void {
  const { names }: LimitedClientConfig = options
  names?.allow()
}
