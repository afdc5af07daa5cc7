import type { Pool } from 'pg'
import { EXIT_CONFIG, PassingError, StartupError } from '#server/platform/startup-error.ts'
import { apartFrom } from './direct.ts'
import { LimitedClient } from './limited-client.ts'
import { APP_ROLE, type ClientOptions, openPool, type PoolOptions } from './pool.ts'
import { databaseTrouble } from './trouble.ts'

/** Sessions that hold a transaction at the same time, to find out whether a pooler moves ours. */
const MOST_HELD = 2

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
    await requireSessions(pool, variable)
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
  } catch (error) {
    throw refusedStart(variable, error)
  }
  if (as === 'app' && role !== APP_ROLE) {
    throw new StartupError(
      `${variable}: sessions act as '${role}' and not as '${APP_ROLE}' (does a pooler drop the startup options?). Log in as ${APP_ROLE}.`,
      EXIT_CONFIG,
    )
  }
}

/**
 * Requires that each connection has a session of its own, for locks and notifications.
 * @param variable of its connection string
 * @throws StartupError (exit 78) if a pooler gives each transaction another session; PassingError if a retry can help
 */
export async function requireSessions(pool: Pool, variable: string): Promise<void> {
  const changes = await changesSessions(pool).catch(error => {
    throw refusedStart(variable, error)
  })
  if (!changes) return
  throw new StartupError(
    variable === 'DATABASE_URL'
      ? 'DATABASE_URL: leads through a pooler in transaction mode. Set DIRECT_DATABASE_URL to PostgreSQL itself, for locks and notifications (docs/operate.md, PgBouncer).'
      : `${variable}: leads through a pooler in transaction mode. Name PostgreSQL itself (docs/operate.md, PgBouncer).`,
    EXIT_CONFIG,
  )
}

/** A pooler answers a login with a process id of its own; one in transaction mode gives a free session to the next who asks. */
async function changesSessions(pool: Pool): Promise<boolean> {
  const opened: LimitedClient[] = []
  const open = async () => {
    const session = new LimitedClient(apartFrom(pool, { name: 'probity start' }))
    opened.push(session)
    await session.connect()
    return session
  }
  try {
    const first = await open()
    if (first.backendId === (await processOf(first))) return false
    for (let held = 1; held <= MOST_HELD; held++) {
      const home = await processOf(first)
      const others: number[] = []
      while (others.length < held) {
        const other = await open()
        await other.query('BEGIN')
        others.push(await processOf(other))
      }
      if (others.includes(home) || (await processOf(first)) !== home) return true
    }
    return false
  } finally {
    await Promise.all(opened.map(session => session.end().catch(() => {})))
  }
}

async function processOf(session: LimitedClient): Promise<number> {
  const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]!.pid
}

/** What an error of a connection means for a start. @param variable of its connection string */
export function refusedStart(variable: string, cause: unknown): StartupError {
  const { words, passes } = explainConnectionError(cause as ConnectionError)
  if (passes) return new PassingError(`${variable}: ${words}`, { cause })
  return new StartupError(`${variable}: ${words}`, EXIT_CONFIG, { cause })
}

/** PgBouncer has one code for all that it says itself. */
const refusedByPooler =
  /authentication failed|^unsupported startup parameter|^no such (database|user)|not allowed in statement pooling mode/

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
    return passing(`${message}. Has the database been migrated (node build/product/main.js migrate)?`)
  if (code === '08P01' && refusedByPooler.test(message)) return toMend(`the pooler refuses it: ${message}.`)
  if (code === '22023' || code === '42501') return toMend(`${message}.`)
  if (code === 'ECONNREFUSED' || code === 'ENOENT')
    return passing('no PostgreSQL answers there. Is it running?')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return passing('its host is not known.')
  return passing(databaseTrouble(error)?.advice ?? (message || code || 'no connection'))
}
