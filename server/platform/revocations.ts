import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { accessTokenMinutes } from '#shared/limits.ts'

const RECONNECT_MS = 500

/**
 * The sessions that ended while access tokens of theirs may still be alive, so that a request needs no read of the
 * database to be refused. Each process keeps its own copy: the database tells every change (NOTIFY session_revoked,
 * by the trigger on app.sessions), and the whole set is read again whenever the line was cut.
 */
export type Revocations = {
  /** While the line is cut, the database itself is asked. */
  has(sessionId: string): boolean | Promise<boolean>
  /** Resolves when everything has been heard that was committed before the call. */
  caughtUp(): Promise<void>
  stop(): Promise<void>
}

export async function watchRevocations(pool: pg.Pool, log: Logger): Promise<Revocations> {
  const revoked = new Map<string, number>()
  const stopping = new AbortController()
  /** The connection that listens; undefined while there is none. */
  let line: pg.Client | undefined

  async function listen(): Promise<void> {
    const next = new pg.Client({ ...pool.options, application_name: 'probity revocations' })
    next.on('error', () => {})
    next.on('notification', ({ payload }) => payload && revoked.set(payload, Date.now()))
    next.on('end', () => {
      if (line !== next) return
      line = undefined
      void listenAgain()
    })
    try {
      await next.connect()
      // Listening comes first, so that nothing can fall between the two.
      await next.query('LISTEN session_revoked')
      for (const id of await recentlyRevoked(next)) revoked.set(id, Date.now())
      line = next
    } catch (error) {
      await next.end().catch(() => {})
      throw error
    }
  }

  async function listenAgain(): Promise<void> {
    while (!stopping.signal.aborted && line === undefined) {
      try {
        await listen()
      } catch (err) {
        log.warn({ err }, 'ended sessions are not heard of; listening again')
        await delay(RECONNECT_MS, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
    if (stopping.signal.aborted) await line?.end()
  }

  await listen()
  // A revoked session's last access token dies by itself; after that there is nothing to remember.
  const sweep = setInterval(() => {
    const oldest = Date.now() - (accessTokenMinutes + 2) * 60_000
    for (const [id, at] of revoked) if (at < oldest) revoked.delete(id)
  }, 60_000)
  sweep.unref()

  return {
    has: sessionId => (line === undefined ? isRevoked(pool, sessionId) : revoked.has(sessionId)),
    async caughtUp() {
      // PostgreSQL delivers what was notified before it says that it is ready for the next query. A line that breaks
      // meanwhile needs no waiting: without it the database is asked.
      await line?.query('').catch(() => {})
    },
    async stop() {
      stopping.abort()
      clearInterval(sweep)
      const last = line
      line = undefined
      await last?.end()
    },
  }
}

async function recentlyRevoked(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM app.sessions WHERE revoked_at > now() - make_interval(mins => $1)',
    [accessTokenMinutes + 1],
  )
  return rows.map(({ id }) => id)
}

async function isRevoked(pool: pg.Pool, sessionId: string): Promise<boolean> {
  const { rows } = await pool.query<{ revoked: boolean }>(
    'SELECT revoked_at IS NOT NULL AS revoked FROM app.sessions WHERE id = $1',
    [sessionId],
  )
  return rows[0]?.revoked ?? false
}
