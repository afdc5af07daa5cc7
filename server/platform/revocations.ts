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
  has(sessionId: string): boolean
  stop(): Promise<void>
}

export async function watchRevocations(pool: pg.Pool, log: Logger): Promise<Revocations> {
  const revoked = new Map<string, number>()
  let client: pg.Client | undefined
  let stopped = false

  async function listen(): Promise<void> {
    const next = new pg.Client({ ...pool.options, application_name: 'probity revocations' })
    next.on('error', () => {})
    next.on('notification', ({ payload }) => payload && revoked.set(payload, Date.now()))
    await next.connect()
    // Listening comes first, so that nothing can fall between the two.
    await next.query('LISTEN session_revoked')
    const { rows } = await next.query<{ id: string }>(
      `SELECT id FROM app.sessions WHERE revoked_at > now() - make_interval(mins => $1)`,
      [accessTokenMinutes + 1],
    )
    for (const { id } of rows) revoked.set(id, Date.now())
    next.on('end', () => void relisten())
    client = next
  }

  async function relisten(): Promise<void> {
    while (!stopped) {
      try {
        return await listen()
      } catch (error) {
        log.warn({ err: error }, 'revocations are not heard; listening again')
        await new Promise(resolve => setTimeout(resolve, RECONNECT_MS))
      }
    }
  }

  await listen()
  // A revoked session's last access token dies by itself; after that there is nothing to remember.
  const sweep = setInterval(() => {
    const oldest = Date.now() - (accessTokenMinutes + 2) * 60_000
    for (const [id, at] of revoked) if (at < oldest) revoked.delete(id)
  }, 60_000)
  sweep.unref()

  return {
    has: sessionId => revoked.has(sessionId),
    async stop() {
      stopped = true
      clearInterval(sweep)
      await client?.end()
    },
  }
}
