import type { Client, Pool } from 'pg'
import type { Notifications } from '#server/platform/notifications.ts'

/** The channel on which a migration asks for pauses, in milliseconds; 0 ends one. */
const CHANNEL = 'migration_pause'
/** Longest pause, in milliseconds: the product's requests wait so long. */
const LONGEST_PAUSE_MS = 1_000
/** How often a migration looks whether the work under way has ended, in milliseconds. */
const LOOK_MS = 10
/** How long it waits for that, in milliseconds: the rest of the pause is for its own locks. */
const QUIET_LIMIT_MS = 500

type Pause = { over: Promise<void>; end: () => void; limit: NodeJS.Timeout }
const pauses = new WeakMap<Pool, Pause>()

/** Lets new work of a pool wait for the end of a pause. Transactions that have begun go on. */
export function makePausable(pool: Pool): void {
  const connect = pool.connect.bind(pool) as (callback?: unknown) => unknown
  pool.connect = ((callback?: unknown) => {
    const pause = pauses.get(pool)
    if (pause === undefined) return connect(callback)
    const later = pause.over.then(() => connect(callback))
    return callback === undefined ? later : undefined
  }) as Pool['connect']
}

/** Pauses the pool whenever a migration asks, so that it finds its tables free. */
export function pauseForMigrations(notifications: Notifications, pool: Pool): void {
  notifications.subscribe({
    channel: CHANNEL,
    heard: payload => {
      const milliseconds = Math.min(Number(payload), LONGEST_PAUSE_MS)
      if (milliseconds > 0) pauseFor(pool, milliseconds)
      else pauses.get(pool)?.end()
    },
    begin: () => {},
  })
}

/** Begins a pause of the pool, or prolongs it. */
function pauseFor(pool: Pool, milliseconds: number): void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { over, end, limit } = pauses.get(pool) ?? {
    limit: undefined,
    over: promise,
    end: () => {
      clearTimeout(pauses.get(pool)?.limit)
      pauses.delete(pool)
      resolve()
    },
  }
  clearTimeout(limit)
  pauses.set(pool, { over, end, limit: setTimeout(end, milliseconds) })
}

/**
 * Asks all processes of the product for a pause, and waits until no other session has locked a table, or for half of the
 * pause: then what is still under way takes long.
 * @param client outside of a transaction
 */
export async function pauseProduct(client: Client): Promise<void> {
  await client.query(`NOTIFY ${CHANNEL}, '${LONGEST_PAUSE_MS}'`)
  const deadline = performance.now() + QUIET_LIMIT_MS
  while ((await isInUse(client)) && performance.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
  }
}

export async function resumeProduct(client: Client): Promise<void> {
  await client.query(`NOTIFY ${CHANNEL}, '0'`)
}

/** Whether another session has locked a table or index; system catalogues have lower object ids. */
async function isInUse(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ used: boolean }>(`
    SELECT EXISTS (
      SELECT FROM pg_locks held
       WHERE held.locktype = 'relation' AND held.relation >= 16384 AND held.pid <> pg_backend_pid()
         AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS used`)
  return rows[0]!.used
}
