import { Pool, type PoolClient } from 'pg'
import { apartFrom } from './direct.ts'
import { LimitedClient } from './limited-client.ts'
import { outliveLosses } from './pool.ts'

/** Locks of one name that a process holds at the same time. */
const MOST_AT_ONCE = 20
/** How long a session waits for its next lock, in milliseconds. */
const IDLE_MS = 30_000

/**
 * Runs `work` under a session lock, so that only one process does. It saves duplicate work; rows guard against duplicate
 * writes. The session is not the pool's, because something outside can hold it for long.
 * @param lock one key of `lockKeys`, or two
 * @returns undefined if another process holds the lock
 */
export async function underSessionLock<Result>(
  pool: Pool,
  { name, lock }: { name: string; lock: readonly number[] },
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const session = await sessionsFor(pool, name).connect()
  try {
    const result = await lockedBy(session, lock, work)
    session.release()
    return result
  } catch (error) {
    // The lock ends with its session.
    session.release(true)
    throw error
  }
}

async function lockedBy<Result>(
  session: PoolClient,
  lock: readonly number[],
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const keys = lock.map((_, index) => `$${index + 1}`).join(', ')
  const { rows } = await session.query<{ mine: boolean }>(`SELECT pg_try_advisory_lock(${keys}) AS mine`, [
    ...lock,
  ])
  if (!rows[0]?.mine) return undefined
  const result = await work()
  // Throws if the connection, and with it the lock, was lost meanwhile.
  await session.query(`SELECT pg_advisory_unlock(${keys})`, [...lock])
  return result
}

const sessions = new WeakMap<Pool, Map<string, Pool>>()

/** Kept from one lock to the next: networks are synced every second, and a new session is a new process of PostgreSQL's. */
function sessionsFor(pool: Pool, name: string): Pool {
  const named = sessions.get(pool) ?? new Map<string, Pool>()
  sessions.set(pool, named)
  const known = named.get(name)
  if (known) return known
  const opened = new Pool({
    ...apartFrom(pool, { name }),
    Client: LimitedClient,
    max: MOST_AT_ONCE,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
  })
  outliveLosses(opened)
  named.set(name, opened)
  return opened
}
