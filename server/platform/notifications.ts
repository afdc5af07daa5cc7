import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { apartFrom } from './database/direct.ts'
import { LimitedClient } from './database/limited-client.ts'
import { inTurn } from './in-turn.ts'
import { Outage } from './outage.ts'

const RECONNECT_MS = 500
/** How often an idle connection is checked, and how long it may take to answer. */
const PULSE_MS = 5_000

/** A subscription of this process. */
export type Subscription = {
  /** A channel of NOTIFY. */
  channel: string
  heard: (payload: string) => void
  /** Called after each (re)connect: the place to read again what may have been missed. */
  begin: (client: pg.ClientBase) => void | Promise<void>
}

/**
 * The connection that receives NOTIFY from all processes' commits. A broken or silent connection is replaced until that
 * succeeds.
 */
export type Notifications = {
  /** Call it before `open`. */
  subscribe(subscription: Subscription): void
  /** Resolves after the first try to connect; further ones follow until one succeeds. */
  open(): Promise<void>
  /** False while disconnected: cached data may then be out of date. */
  isOpen(): boolean
  /** Resolves once everything committed before the call has arrived; at once while disconnected. */
  caughtUp(): Promise<void>
  close(): Promise<void>
}

/** @param pool for its settings: this opens a connection of its own */
export function notificationsOf(
  pool: Pick<pg.Pool, 'options'>,
  log: Logger,
  { pulseMs = PULSE_MS } = {},
): Notifications {
  const subscriptions = new Map<string, Subscription>()
  const closing = new AbortController()
  const outage = new Outage(log, {
    began: 'no connection for database notifications; trying until there is one',
    over: 'database notifications arrive again',
  })
  /** The listening connection; undefined while disconnected. */
  let line: pg.Client | undefined

  async function listen(): Promise<void> {
    const next = new LimitedClient({
      ...apartFrom(pool, { name: 'probity notifications', answerMs: pulseMs }),
      connectionTimeoutMillis: pulseMs,
    })
    next.on('notification', ({ channel, payload = '' }) => subscriptions.get(channel)?.heard(payload))
    next.on('end', () => drop(next))
    try {
      await next.connect()
      // Listen first, so that nothing is missed in between.
      for (const channel of subscriptions.keys()) await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
      for (const { begin } of subscriptions.values()) await begin(next)
      line = next
    } catch (error) {
      await next.end().catch(() => {})
      throw error
    }
  }

  /** Stop relying on cached data. */
  function drop(broken: pg.Client): void {
    if (line !== broken) return
    line = undefined
    broken.end().catch(() => {})
    void listenAgain()
  }

  async function listenOnce(): Promise<void> {
    await listen().then(
      () => outage.passed(),
      err => outage.failed(err),
    )
  }

  async function listenAgain(): Promise<void> {
    while (!closing.signal.aborted && line === undefined) {
      await listenOnce()
      if (line === undefined) {
        await delay(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
    if (closing.signal.aborted) await line?.end()
  }

  /** PostgreSQL delivers pending notifications before it reports that it is ready for the next query. */
  async function ask(): Promise<void> {
    const asked = line
    // Also a connection that ended before we began to use it, whose event is past.
    await asked?.query('').catch(() => drop(asked))
  }
  const caughtUp = inTurn(ask)
  const pulse = setInterval(() => void caughtUp(), pulseMs)
  pulse.unref()

  return {
    subscribe: subscription => subscriptions.set(subscription.channel, subscription),
    async open() {
      await listenOnce()
      if (line === undefined) void listenAgain()
    },
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
