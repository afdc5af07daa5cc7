import { Kysely } from 'kysely'
import { type CustomTypesConfig, Pool, types } from 'pg'
import { EXIT_CONFIG, PassingError, StartupError } from '#server/platform/startup-error.ts'
import { Dialect } from './driver.ts'
import { Hosts, hostsOf, withHosts } from './hosts.ts'
import { LimitedClient, type LimitedClientConfig } from './limited-client.ts'
import { makePausable } from './pause.ts'
import type { Schema } from './schema.ts'
import { StatementNames } from './statement-names.ts'
import { databaseTrouble } from './trouble.ts'

/** Query builder over the application's tables; see schema.ts. */
export type Db = Kysely<Schema>

/** The role of web and worker processes, whatever their login. */
const APP_ROLE = 'probity_app'

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
  /** False behind a pooler that does not support prepared statements. */
  readonly prepare?: boolean
  /** Limit of each wait for a lock. */
  readonly lockTimeoutMs?: number
}

/**
 * Settings of every session: exact types, UTC, and its role. Scans of large tables start at the beginning instead of
 * joining another scan: counting a list's first thousand rows then finds cached blocks. Options are always set, so that
 * none come from PGOPTIONS; those of the connection string are kept.
 */
export function clientConfig({ url, as, name }: ClientOptions): LimitedClientConfig {
  const hosts = hostsOf(url)
  const address = new URL(withHosts(url, hosts.slice(0, 1)))
  const options = [address.searchParams.get('options'), '-c timezone=UTC -c synchronize_seqscans=off']
  if (as === 'app' && decodeURIComponent(address.username) !== APP_ROLE) options.push(`-c role=${APP_ROLE}`)
  address.searchParams.delete('options')
  return {
    connectionString: withHosts(address.href, hosts),
    hosts: new Hosts(),
    application_name: name,
    options: options.filter(Boolean).join(' '),
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
  prepare = true,
  signal,
  ...client
}: PoolOptions): Pool {
  const limits: LimitedClientConfig = {
    ...(statementTimeoutMs > 0 && { answerMs: statementTimeoutMs + ANSWER_GRACE_MS }),
    ...(prepare && { names: new StatementNames() }),
    ...(signal && { signal }),
  }
  const pool = new Pool({
    ...clientConfig(client),
    ...limits,
    Client: LimitedClient,
    max,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: 30_000,
  })
  // The pool replaces a broken connection, and the current or next query reports the error. Without listeners the event
  // would end the process, and graphile-worker warns.
  pool.on('error', () => {})
  pool.on('connect', session => session.on('error', () => {}))
  // After a failover the next connection may lead to the new primary.
  pool.on('release', (_error, session) => {
    if (session instanceof LimitedClient && session.refusedToWrite) void session.end()
  })
  makePausable(pool)
  return pool
}

/** Query builder on a pool. Close the pool itself: the builder's `destroy` does nothing before its first query. */
export function openDatabase(pool: Pool): Db {
  return new Kysely<Schema>({ dialect: new Dialect({ pool }) })
}

/** One connection string, and the variable that it comes from. */
export type Login = { variable: string; url: string; as: ClientOptions['as'] }

/**
 * Tries every login that a start needs.
 * @param signal breaks the tries off
 * @throws StartupError with a line for each that fails, exit 78, if one must be corrected; otherwise PassingError
 */
export async function requireLogins(logins: readonly Login[], signal?: AbortSignal): Promise<void> {
  const tried = await Promise.allSettled(logins.map(login => requireLogin(login, signal)))
  const errors = tried.flatMap(one => (one.status === 'rejected' ? [one.reason as StartupError] : []))
  if (errors.length === 0) return
  const lines = errors.map(({ message }) => message).join('\n')
  if (errors.every(error => error instanceof PassingError)) throw new PassingError(lines)
  throw new StartupError(lines, EXIT_CONFIG)
}

async function requireLogin({ variable, url, as }: Login, signal?: AbortSignal): Promise<void> {
  const pool = openPool({ url, as, name: 'probity start', max: 1, ...(signal && { signal }) })
  try {
    await requireConnection(pool, variable, as)
  } finally {
    await pool.end()
  }
}

/**
 * Tries the pool once.
 * @throws StartupError (exit 78) that names the variable, if it must be corrected; PassingError if a retry can help
 */
export async function requireConnection(pool: Pool, variable: string, as: PoolOptions['as']): Promise<void> {
  let role: string
  try {
    const { rows } = await pool.query<{ role: string }>('SELECT current_user AS role')
    role = rows[0]?.role ?? ''
  } catch (cause) {
    const { words, passes } = explainConnectionError(cause as ConnectionError)
    if (passes) throw new PassingError(`${variable}: ${words}`, { cause })
    throw new StartupError(`${variable}: ${words}`, EXIT_CONFIG, { cause })
  }
  if (as === 'app' && role !== APP_ROLE) {
    throw new StartupError(
      `${variable}: sessions act as '${role}' and not as '${APP_ROLE}' (does a pooler drop the startup options?). Log in as ${APP_ROLE}.`,
      EXIT_CONFIG,
    )
  }
}

type ConnectionError = Error & { code?: string; syscall?: string; path?: string }

/** A person must correct a login, a name or a file; anything else passes. */
function explainConnectionError(error: ConnectionError): { words: string; passes: boolean } {
  const { code = '', message, syscall, path } = error
  const toMend = (words: string) => ({ words, passes: false })
  const passing = (words: string) => ({ words, passes: true })
  if (syscall === 'open') return toMend(`its file ${path} cannot be read (${code}).`)
  if (code === '28P01' || code === '28000') return toMend('PostgreSQL refused the user or the password.')
  if (code === '3D000') return toMend('the database does not exist. Create it (CREATE DATABASE …).')
  // The first migration makes the role. In every language the server's message has its name.
  if (code === '22023' && message.includes(APP_ROLE))
    return passing(`${message}. Has the database been migrated (node server/main.ts migrate)?`)
  if (code === '22023' || code === '42501') return toMend(`${message}.`)
  if (code === 'ECONNREFUSED' || code === 'ENOENT')
    return passing('no PostgreSQL answers there. Is it running?')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return passing('its host is not known.')
  return passing(databaseTrouble(error)?.advice ?? (message || code || 'no connection'))
}
