import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { LimitedClient } from './database/limited-client.ts'

const RECONNECT_MS = 500
/** How often a line is tried on which nothing comes, and how long it may take to answer before it counts as cut. */
const PULSE_MS = 5_000

/** What somebody in this process wants to hear of. */
export type Subscription = {
  /** A channel of NOTIFY. */
  channel: string
  heard: (payload: string) => void
  /** Called each time that the line has been made and listens: the place to read again what may have been missed. */
  begin: (client: pg.ClientBase) => void | Promise<void>
}

/**
 * The one connection on which this process hears what any process has committed: triggers send it (NOTIFY). A line that
 * is cut, or does not answer any more, is made anew for as long as it takes.
 */
export type Notifications = {
  /** Before `open`. */
  subscribe(subscription: Subscription): void
  /** @throws Error when the database cannot be reached */
  open(): Promise<void>
  /** False while the connection is cut: what it delivered may be out of date then. */
  isOpen(): boolean
  /** Resolves when everything has been heard that was committed before the call; at once while the line is cut. */
  caughtUp(): Promise<void>
  close(): Promise<void>
}

/** @param pool says where the database is; the line is a connection beside it */
export function notificationsOf(
  pool: Pick<pg.Pool, 'options'>,
  log: Logger,
  { pulseMs = PULSE_MS } = {},
): Notifications {
  const subscriptions = new Map<string, Subscription>()
  const closing = new AbortController()
  /** The connection that listens; undefined while there is none. */
  let line: pg.Client | undefined

  async function listen(): Promise<void> {
    const next = new LimitedClient({
      ...pool.options,
      application_name: 'probity notifications',
      connectionTimeoutMillis: pulseMs,
      answerMs: pulseMs,
    })
    next.on('error', () => {})
    next.on('notification', ({ channel, payload = '' }) => subscriptions.get(channel)?.heard(payload))
    next.on('end', () => drop(next))
    try {
      await next.connect()
      // Listening comes first, so that nothing can fall between the two.
      for (const channel of subscriptions.keys()) await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
      for (const { begin } of subscriptions.values()) await begin(next)
      line = next
    } catch (error) {
      await next.end().catch(() => {})
      throw error
    }
  }

  /** Without it nobody relies on what it has told. */
  function drop(broken: pg.Client): void {
    if (line !== broken) return
    line = undefined
    broken.end().catch(() => {})
    void listenAgain()
  }

  async function listenAgain(): Promise<void> {
    while (!closing.signal.aborted && line === undefined) {
      try {
        await listen()
      } catch (err) {
        log.warn({ err }, 'notifications of the database are not heard; listening again')
        await delay(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
    if (closing.signal.aborted) await line?.end()
  }

  /** PostgreSQL delivers what was notified before it says that it is ready for the next query. */
  async function ask(): Promise<void> {
    const asked = line
    // Also one that had ended by the time that it became the line, of which no event tells any more.
    await asked?.query('').catch(() => drop(asked))
  }
  const caughtUp = inTurn(ask)
  const pulse = setInterval(() => void caughtUp(), pulseMs)
  pulse.unref()

  return {
    subscribe: subscription => subscriptions.set(subscription.channel, subscription),
    open: listen,
    isOpen: () => line !== undefined,
    caughtUp,
    async close() {
      closing.abort()
      clearInterval(pulse)
      const last = line
      line = undefined
      await last?.end()
    },
  }
}

/** One run at a time; all who ask during a run share the next one, which begins after each of them has asked. */
function inTurn(run: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running.then(() => {
      next = undefined
      running = run()
      return running
    })
    return next
  }
}
