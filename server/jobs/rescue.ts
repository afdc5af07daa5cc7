import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { apartFrom } from '#server/platform/database/direct.ts'
import { LimitedClient } from '#server/platform/database/limited-client.ts'
import { livingWorkers } from '#server/platform/database/lock-keys.ts'
import { Outage } from '#server/platform/outage.ts'

/**
 * Consecutive checks in which a worker must be missing before it counts as dead, so that a worker that has just started
 * or reconnected has time to take its lock.
 */
const LOOKS = 5
/** Timeout of a query, in milliseconds. */
const ANSWER_MS = 5_000

export type Rescue = {
  /** This process takes jobs under that id; from the next check on, its lock protects them. */
  claim(workerId: string): void
  /** This process takes no more jobs under that id; those that it has locked are for any worker. */
  disclaim(workerId: string): void
  stop(): Promise<void>
}

/**
 * A killed worker leaves its jobs locked, by the queue's own rule for four hours. So every living worker holds an
 * advisory lock, which the database releases when its connection breaks. Jobs of workers without a lock in several
 * consecutive checks are released.
 * @param everyMs milliseconds between two checks
 */
export function rescueAbandonedJobs(
  pool: pg.Pool,
  log: Logger,
  everyMs: number,
  { answerMs = ANSWER_MS } = {},
): Rescue {
  const own = new Set<string>()
  /** The workers whose lock this connection holds. */
  let locked = new Set<string>()
  const stopping = new AbortController()
  /** Consecutive checks in which a worker was missing. */
  let missing = new Map<string, number>()
  let client: pg.Client | undefined
  const outage = new Outage(log, {
    began: 'could not check for abandoned jobs',
    over: 'checks for abandoned jobs again',
  })

  async function connection(): Promise<pg.Client> {
    if (client) return client
    const next = new LimitedClient({
      ...apartFrom(pool, { name: 'probity worker', answerMs }),
      connectionTimeoutMillis: answerMs,
    })
    next.on('end', () => {
      if (client === next) client = undefined
    })
    await next.connect()
    locked = new Set()
    client = next
    return next
  }

  /** The process's previous connection may still hold a lock until the database notices its end. */
  async function lockOwn(living: pg.Client): Promise<void> {
    const free = [...own].filter(id => !locked.has(id))
    if (free.length > 0) for (const id of await lock(living, free)) locked.add(id)
    for (const id of locked) {
      if (own.has(id)) continue
      await living.query('SELECT pg_advisory_unlock($1, hashtext($2))', [livingWorkers, id])
      locked.delete(id)
    }
  }

  async function look(): Promise<void> {
    const living = await connection()
    await lockOwn(living)
    const ids = await withoutLiving(living)
    missing = new Map(ids.map(id => [id, (missing.get(id) ?? 0) + 1]))
    const dead = ids.filter(id => missing.get(id)! >= LOOKS)
    if (dead.length === 0) return
    await living.query('SELECT graphile_worker.force_unlock_workers($1)', [dead])
    log.warn({ workers: dead.length }, 'released the jobs of dead workers')
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look().then(
        () => outage.passed(),
        err => outage.failed(err),
      )
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const watching = watch()
  return {
    claim(workerId) {
      own.add(workerId)
    },
    disclaim(workerId) {
      own.delete(workerId)
    },
    async stop() {
      stopping.abort()
      await watching
      await client?.end()
    },
  }
}

/**
 * Takes the locks of these workers.
 * @returns those whose lock it got
 */
async function lock(client: pg.Client, workerIds: string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM unnest($2::text[]) AS id WHERE pg_try_advisory_lock($1, hashtext(id))',
    [livingWorkers, workerIds],
  )
  return rows.map(({ id }) => id)
}

/** Ids that have jobs locked but no living process. */
async function withoutLiving(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT DISTINCT locked_by AS id FROM graphile_worker.jobs j
      WHERE locked_by IS NOT NULL
        AND NOT EXISTS (
          SELECT FROM pg_locks l
           WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
             AND l.classid = $1 AND l.objid = (hashtext(j.locked_by)::bigint & 4294967295)::oid AND l.objsubid = 2)`,
    [livingWorkers],
  )
  return rows.map(({ id }) => id)
}
