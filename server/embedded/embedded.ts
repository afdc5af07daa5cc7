import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { LimitedClient } from '#server/platform/database/limited-client.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { clientConfig } from '#server/platform/database/pool.ts'
import { PassingError, StartupError } from '#server/platform/startup-error.ts'
import {
  type Cluster,
  type ClusterLogin,
  clusterLogins,
  deleteCluster,
  openCluster,
  passwordOf,
  socketFolder,
} from './cluster.ts'
import { type Postmaster, runningPostmaster, startPostmaster, stopPostmaster } from './postmaster.ts'

/** A running embedded PostgreSQL and how to reach it. */
export interface EmbeddedPostgres {
  /** The application's connection string, by unix socket (loopback if the socket's path is too long). */
  readonly appUrl: string
  /** Releases our share of the server. The last process to do so stops it. */
  stop(): Promise<void>
}

const RETRY_MS = 25
/** Pause before a server is started again that could not start yet, in milliseconds. */
const START_AGAIN_MS = 200
const JOIN_LIMIT_MS = 150_000
/**
 * How long the last user of a crashed server waits for its recovery; shorter than a failing process may take to end.
 */
const RECOVERY_LIMIT_MS = 3_000
/**
 * Not up yet, crowded or shutting down: connection refused or reset, no socket, too_many_connections,
 * cannot_connect_now, admin_shutdown, crash_shutdown.
 */
const PASSING = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', '53300', '57P03', '57P01', '57P02'])

/** Callbacks for the caller. */
export interface EmbeddedListeners {
  /** A line for the operator. */
  say?: (line: string) => void
  /** The server cannot be started again. The process should end. */
  lost?: (error: Error) => void
}

/**
 * Starts the embedded PostgreSQL of DATA_DIR, or joins it if another process holds it, or an orphan of a killed one.
 * Any number of processes share one server; if it is killed, the first to notice restarts it.
 * @throws StartupError with one line that says what to do
 */
export async function startEmbedded(
  dataDir: string,
  listeners: EmbeddedListeners = {},
): Promise<EmbeddedPostgres> {
  const cluster = openCluster(resolve(dataDir), listeners.say ?? (() => {}))
  const lease = new Lease(cluster, listeners)
  const port = await lease.take()
  return {
    appUrl: connectionUrl(cluster, port, 'app'),
    stop: async () => {
      await lease.giveUp()
    },
  }
}

/**
 * The connection string of a login of the running embedded PostgreSQL: of database `probity`, or of `postgres` for the
 * superuser. A process that serves must ask for no other login than its own.
 * @throws StartupError if none runs
 */
export function embeddedUrl(dataDir: string, login: ClusterLogin): string {
  const folder = resolve(dataDir)
  const cluster = existsSync(join(folder, 'postgres')) ? openCluster(folder, () => {}) : null
  const running = cluster === null ? null : runningPostmaster(cluster)
  if (cluster === null || running?.status !== 'ready') {
    throw new StartupError(`No embedded PostgreSQL runs in ${folder}. Start Probity first.`)
  }
  return connectionUrl(cluster, running.port, login)
}

/**
 * Deletes the embedded database of DATA_DIR for good.
 * @throws StartupError while another process uses it
 */
export async function deleteEmbedded(dataDir: string): Promise<void> {
  const folder = resolve(dataDir)
  if (!existsSync(join(folder, 'postgres'))) return
  const cluster = openCluster(folder, () => {})
  if (runningPostmaster(cluster) !== null) {
    const lease = new Lease(cluster, {})
    await lease.take()
    const stopped = await lease.giveUp()
    if (!stopped) throw new StartupError(`The database in ${folder} is in use. Stop Probity first (Ctrl-C).`)
  }
  deleteCluster(folder)
}

/** One process's share of the server: a session with an advisory lock, so it ends with the process in any case. */
class Lease {
  readonly #cluster: Cluster
  readonly #listeners: EmbeddedListeners
  #session: Client | null = null
  #port: number | null = null
  #givenUp = false
  /** The rejoin after a loss, while in progress; never rejects. */
  #rejoining: Promise<void> | null = null

  constructor(cluster: Cluster, listeners: EmbeddedListeners) {
    this.#cluster = cluster
    this.#listeners = listeners
  }

  /** Connects to the server, starting it if necessary. Resolves to its port. */
  async take(): Promise<number> {
    const deadline = performance.now() + JOIN_LIMIT_MS
    for (;;) {
      const running = runningPostmaster(this.#cluster)
      if (running === null) await this.#start(deadline)
      else if (running.status === 'ready' && (await this.#attach(running))) return running.port
      else await delay(RETRY_MS)
      if (performance.now() > deadline) {
        throw new StartupError(`The embedded PostgreSQL does not answer; see ${this.#cluster.home}/log`)
      }
    }
  }

  /** A server that was killed may leave its port and its sessions' shared memory in use for a while. */
  async #start(deadline: number): Promise<void> {
    try {
      await startPostmaster(this.#cluster, this.#port)
    } catch (error) {
      if (!(error instanceof PassingError) || performance.now() > deadline) throw error
      await delay(START_AGAIN_MS)
    }
  }

  /** Releases the share. True if it was the last one and the server has stopped. */
  async giveUp(): Promise<boolean> {
    this.#givenUp = true
    // A pending rejoin would keep its share, and a server that it started, for ever.
    await this.#rejoining
    const session = this.#session
    if (session === null) return false
    try {
      await session.query('SELECT pg_advisory_unlock_shared($1)', [lockKeys.embeddedServer])
      const { rows } = await session.query('SELECT pg_try_advisory_lock($1) AS last', [
        lockKeys.embeddedServer,
      ])
      const running = runningPostmaster(this.#cluster)
      if (rows[0].last !== true || running === null) return false
      await stopPostmaster(this.#cluster, running)
      return true
    } catch (error) {
      if (isPassing(error)) return await this.#giveUpAfterCrash()
      throw error
    } finally {
      await session.end().catch(() => {})
    }
  }

  /** A crashed server recovers on its own, or never if its disk is full: then only we can end it. */
  async #giveUpAfterCrash(): Promise<boolean> {
    const deadline = performance.now() + RECOVERY_LIMIT_MS
    for (;;) {
      const running = runningPostmaster(this.#cluster)
      if (running === null) return false
      if (running.status === 'ready' && (await this.#attach(running))) return this.giveUp()
      if (performance.now() > deadline) {
        await stopPostmaster(this.#cluster, running, 'SIGQUIT')
        return true
      }
      await delay(RETRY_MS)
    }
  }

  async #attach(running: Postmaster): Promise<boolean> {
    const cluster = this.#cluster
    // Not in the database itself, which a session of ours would keep from being copied.
    const url = connectionUrl(cluster, running.port, 'app', clusterLogins.superuser.database)
    const session = new LimitedClient(clientConfig({ url, as: 'app', name: 'probity lease' }))
    // Without a listener, an 'error' event would end the process; 'end' follows it.
    session.on('error', () => {})
    try {
      await session.connect()
      await session.query('SELECT pg_advisory_lock_shared($1)', [lockKeys.embeddedServer])
    } catch (error) {
      await session.end().catch(() => {})
      if (isPassing(error)) return false
      throw new StartupError(`The embedded PostgreSQL refused us: ${(error as Error).message}`, undefined, {
        cause: error,
      })
    }
    this.#port = running.port
    this.#session = session
    session.on('end', () => this.#rejoin())
    return true
  }

  /** The session ended unexpectedly: the server was killed or crashed. */
  #rejoin(): void {
    if (this.#givenUp) return
    this.#session = null
    this.#listeners.say?.('The database connection was lost; joining again')
    const before = this.#port
    this.#rejoining = this.take()
      .then(port => {
        if (port !== before)
          throw new StartupError(`The embedded PostgreSQL moved from port ${before} to ${port}.`)
        this.#listeners.say?.('The database is back')
      })
      .catch((error: Error) => {
        if (!this.#givenUp) this.#listeners.lost?.(error)
      })
  }
}

function isPassing(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return PASSING.has(code ?? '') || /Connection terminated|timeout expired/.test(message ?? '')
}

function connectionUrl(
  cluster: Cluster,
  port: number,
  login: ClusterLogin,
  database: string = clusterLogins[login].database,
): string {
  const { user } = clusterLogins[login]
  const password = passwordOf(cluster, login)
  const folder = socketFolder(cluster)
  const socket = folder === null ? '' : `&host=${encodeURIComponent(folder)}`
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}?sslmode=disable${socket}`
}
