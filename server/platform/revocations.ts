import type pg from 'pg'
import { accessTokenMinutes } from '#shared/limits.ts'
import type { Notifications } from './notifications.ts'

/** How long to remember an ended session: its last access token has then expired. */
const REMEMBERED_MS = (accessTokenMinutes + 2) * 60_000

/**
 * Recently ended sessions, whose access tokens may still be unexpired, so that a request needs no database read to be
 * refused. Each process has its own copy: the database notifies every change (NOTIFY session_revoked, by the trigger on
 * app.sessions), and a reconnect reads the whole set again.
 */
export type Revocations = {
  /**
   * Also true if the token is of before a restore: its session, or what ended that, may be forgotten. While disconnected, ask
   * the database itself.
   * @param issuedAt of the access token, in seconds since 1970
   */
  has(sessionId: string, issuedAt: number): boolean | Promise<boolean>
  /** Called for each session that ends, also for those that ended while disconnected. */
  onRevoked(listener: (sessionId: string) => void): void
}

export function watchRevocations(notifications: Notifications, pool: Pick<pg.Pool, 'query'>): Revocations {
  /** When each notification arrived, oldest first. */
  const revoked = new Map<string, number>()
  const listeners: ((sessionId: string) => void)[] = []
  /** When the latest restore was finished, in seconds since 1970; no process serves meanwhile. */
  let restored = 0
  const remember = (id: string) => {
    for (const listener of listeners) listener(id)
    const now = performance.now()
    revoked.delete(id)
    revoked.set(id, now)
    for (const [oldest, at] of revoked) {
      if (at > now - REMEMBERED_MS) break
      revoked.delete(oldest)
    }
  }
  notifications.subscribe({
    channel: 'session_revoked',
    heard: remember,
    begin: async client => {
      restored = await lastRestore(client)
      for (const id of await recentlyRevoked(client)) remember(id)
    },
  })
  return {
    onRevoked: listener => void listeners.push(listener),
    has: (id, issuedAt) =>
      notifications.isOpen() ? revoked.has(id) || issuedAt < restored : isRevoked(pool, id, issuedAt),
  }
}

async function recentlyRevoked(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM app.sessions WHERE revoked_at > now() - make_interval(mins => $1)',
    [accessTokenMinutes + 1],
  )
  return rows.map(({ id }) => id)
}

async function isRevoked(
  pool: Pick<pg.Pool, 'query'>,
  sessionId: string,
  issuedAt: number,
): Promise<boolean> {
  if (issuedAt < (await lastRestore(pool))) return true
  const { rows } = await pool.query<{ revoked: boolean }>(
    'SELECT revoked_at IS NOT NULL AS revoked FROM app.sessions WHERE id = $1',
    [sessionId],
  )
  return rows[0]?.revoked ?? false
}

async function lastRestore(database: Pick<pg.Pool, 'query'>): Promise<number> {
  const { rows } = await database.query<{ at: number }>(
    'SELECT coalesce(floor(extract(epoch FROM max(finished_at))), 0)::float8 AS at FROM app.restores',
  )
  return rows[0]!.at
}
