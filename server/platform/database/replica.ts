import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { inTurn } from '#server/platform/in-turn.ts'
import { Outage } from '#server/platform/outage.ts'
import type { Db } from './pool.ts'

/** Where to read. */
export type Reader = { readonly pool: Pool; readonly db: Db }

/**
 * Longest wait of a request until the replica has replayed what was committed before it, in milliseconds. A replica that is
 * further behind is not read.
 */
const CATCH_UP_MS = 500
/** Pause between two questions to a replica that is behind, in milliseconds. */
const POLL_MS = 5
/** How often a replica is compared without any request, in milliseconds: also one that is behind or away. */
const COMPARE_MS = 1_000

/** Where the primary is, and its latest beat, which a replica of another database does not have. */
type Point = { position: string; machine: string | null; beat: number | null }

const replicas = new WeakMap<Pool, Replica>()

/**
 * Where to read what is long or heavy: the replica, once it has replayed all that was committed before this call, so that
 * nobody sees less than on the page before. The primary, if there is no replica, or it is behind or away.
 */
export async function readerOf(primary: Reader): Promise<Reader> {
  const replica = replicas.get(primary.pool)
  return replica !== undefined && (await replica.isReadable()) ? replica.reader : primary
}

/** Whether the replica of a process's pool is read; undefined without one. */
export function isReplicaRead(pool: Pool): boolean | undefined {
  return replicas.get(pool)?.isRead
}

/**
 * Reads from a replica of the pool's database from now on.
 * @returns ends that
 */
export function readFrom(reader: Reader, { pool, log }: { pool: Pool; log: Logger }): () => void {
  const replica = new Replica(reader, pool, log)
  replicas.set(pool, replica)
  const comparing = setInterval(() => void replica.compare(), COMPARE_MS)
  comparing.unref()
  return () => {
    clearInterval(comparing)
    replicas.delete(pool)
  }
}

class Replica {
  readonly reader: Reader
  readonly #primary: Pool
  readonly #outage: Outage
  /** Each call begins a comparison after it. */
  readonly compare = inTurn(() => this.#compare())

  constructor(reader: Reader, primary: Pool, log: Logger) {
    this.reader = reader
    this.#primary = primary
    this.#outage = new Outage(log, {
      began: 'the replica cannot be read; the primary serves until it can',
      over: 'the replica is read again',
    })
  }

  get isRead(): boolean {
    return !this.#outage.isOn
  }

  /** No request waits for a replica that is known to be behind or away. */
  async isReadable(): Promise<boolean> {
    return this.isRead && (await this.compare())
  }

  async #compare(): Promise<boolean> {
    const point = await this.#point().catch(() => undefined)
    // Without the primary nothing is known of the replica.
    if (point === undefined) return false
    const giveUp = new AbortController()
    const late = delay(CATCH_UP_MS, undefined, { signal: giveUp.signal }).then(() => {
      throw new Error(`The replica has not caught up within ${CATCH_UP_MS} ms`)
    })
    try {
      await Promise.race([this.#caughtUp(point, giveUp.signal), late])
      this.#outage.passed()
      return true
    } catch (error) {
      this.#outage.failed(error)
      return false
    } finally {
      giveUp.abort()
      late.catch(() => {})
    }
  }

  async #point(): Promise<Point> {
    const { rows } = await this.#primary.query<Point>(`
      SELECT pg_current_wal_flush_lsn()::text AS position, latest.*
        FROM (SELECT) AS now LEFT JOIN LATERAL (
          SELECT machine, beat FROM app.machines ORDER BY at DESC LIMIT 1) latest ON true`)
    return rows[0]!
  }

  /** @throws Error if it is no replica of this database */
  async #caughtUp({ position, machine, beat }: Point, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { rows } = await this.reader.pool.query<{ standby: boolean; replayed: boolean; knows: boolean }>(
        `SELECT pg_is_in_recovery() AS standby, pg_last_wal_replay_lsn() >= $1::pg_lsn AS replayed,
                EXISTS (SELECT FROM app.machines WHERE machine = $2 AND beat >= $3) AS knows`,
        [position, machine, beat],
      )
      const { standby, replayed, knows } = rows[0]!
      if (!standby) throw new Error('READ_DATABASE_URL leads to no standby')
      if (replayed && knows) return
      if (replayed)
        throw new Error('READ_DATABASE_URL leads to a standby without the latest beat of DATABASE_URL')
      await delay(POLL_MS)
    }
  }
}
