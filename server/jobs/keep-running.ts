import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Logger as QueueLogger, type Runner, type WorkerEvents, type WorkerPool } from 'graphile-worker'
import type { Logger } from 'pino'
import type { Clock } from '#server/platform/clock.ts'
import { queueRestarts } from '#server/platform/metrics.ts'
import { Outage, pauseAfter } from '#server/platform/outage.ts'
import { StartupError } from '#server/platform/startup-error.ts'
import type { Lifetime } from '#server/process/lifetime.ts'
import type { Rescue } from './rescue.ts'

/** The lanes share the database: above the pause between two tries of one of them, in milliseconds. */
const SETTLED_MS = 6_000
/** A runner that lasted this long was no failed try, in milliseconds. */
const STEADY_MS = 10_000
/** Time for a runner to stop while the database is away, in milliseconds: it may wait for that. */
const STOP_IN_OUTAGE_MS = 3_000
/** Time for a runner to report the ends of its last jobs, in milliseconds. */
const LAST_REPORTS_MS = 5_000

/** What all runners of a process share. */
export interface Runners {
  readonly log: Logger
  readonly clock: Clock
  readonly rescue: Rescue
  readonly outage: Outage
  readonly life: Lifetime
}

/** What a runner must be started with. */
export interface Watched {
  readonly events: WorkerEvents
  readonly logger: QueueLogger
}

/** The outage of a process's job queue. */
export function queueOutage(log: Logger): Outage {
  const began = 'the job queue has lost its database; it goes on when that is back'
  return new Outage(log, { began, over: 'the job queue goes on' }, SETTLED_MS)
}

/**
 * Keeps a runner of the queue running: after one that ended because of an outage it starts another. Jobs whose end the
 * first one could not write are done again. So are those that it locked without an answer: it lives, and does not know of
 * them, so it makes room for one with another id. There is none while the process must not decide by its clock.
 * @param start may fail; it is called again after a pause
 * @returns takes no new job, and finishes running ones
 */
export function keepRunning(
  { log, clock, rescue, outage, life }: Runners,
  start: (watched: Watched) => Promise<Runner>,
): () => Promise<void> {
  const stopping = new AbortController()
  /** Ends when the runner does. @returns whether it had to stop @throws what ended it, unless it had to */
  const runOnce = async (): Promise<boolean> => {
    await clock.trust?.regained(stopping.signal)
    const due = AbortSignal.any([stopping.signal, ...(clock.trust ? [clock.trust.lost] : [])])
    if (due.aborted) return true
    const unanswered = new AbortController()
    const events = new EventEmitter() as unknown as WorkerEvents
    const ended = watchEvents(events, rescue, outage, unanswered)
    const runner = await start({ events, logger: queueLogger(log, outage) })
    const over = AbortSignal.any([due, unanswered.signal])
    const stop = () => void runner.stop().catch(() => {})
    over.addEventListener('abort', stop)
    if (over.aborted) stop()
    await ended().finally(() => over.removeEventListener('abort', stop))
    if (!due.aborted) unanswered.signal.throwIfAborted()
    return due.aborted
  }
  const keep = async () => {
    for (let failures = 1; ; failures++) {
      const began = performance.now()
      const ended = await runOnce().catch((reason: unknown) => ({ reason }))
      if (stopping.signal.aborted) return
      if (ended === true) continue
      if (ended === false) throw stoppedUnasked()
      outage.failed(ended.reason)
      queueRestarts.inc()
      if (performance.now() - began > STEADY_MS) failures = 1
      await delay(pauseAfter(failures), undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const kept = keep().catch(error => life.fail(error))
  return async () => {
    stopping.abort()
    const stopped = new AbortController()
    await Promise.race([kept.finally(() => stopped.abort()), outlasted(outage, stopped.signal)])
  }
}

/** Resolves in an outage only: otherwise running jobs have the process's own limit to finish. */
async function outlasted(outage: Outage, stopped: AbortSignal): Promise<void> {
  do await delay(STOP_IN_OUTAGE_MS, undefined, { signal: stopped }).catch(() => {})
  while (!outage.isOn && !stopped.aborted)
}

/**
 * Follows a runner by its events.
 * @param unanswered is aborted with the error of a question for jobs whose answer was lost
 * @returns resolves when the runner has ended @throws what ended it
 */
function watchEvents(
  events: WorkerEvents,
  rescue: Rescue,
  outage: Outage,
  unanswered: AbortController,
): () => Promise<void> {
  let pool: WorkerPool | undefined
  let isEnding = false
  let working = 0
  const idle = Promise.withResolvers<void>()
  // A pool that ends finds no job without asking the database.
  const answered = () => isEnding || outage.passed()
  events.on('pool:create', ({ workerPool }) => {
    pool = workerPool
    rescue.claim(workerPool.id)
  })
  events.on('pool:gracefulShutdown', () => {
    isEnding = true
  })
  events.on('pool:release', ({ workerPool }) => rescue.disclaim(workerPool.id))
  events.on('pool:listen:error', ({ error }) => outage.failed(error))
  events.on('worker:getJob:error', ({ error }) => {
    outage.failed(error)
    unanswered.abort(error)
  })
  events.on('worker:getJob:empty', answered)
  events.on('worker:create', () => {
    working += 1
  })
  events.on('worker:stop', () => {
    working -= 1
    if (working === 0) idle.resolve()
  })
  // The promise of the runner itself hides an error.
  return () => Promise.race([pool!.promise, idle.promise.then(() => abandon(pool!, rescue))])
}

/**
 * Leaves the jobs of a runner that does no more to others. graphile-worker 0.18 counts reports wrong after one that failed,
 * and then waits for ever for the last (`batch` in its main.js).
 */
async function abandon({ id }: WorkerPool, rescue: Rescue): Promise<never> {
  await delay(LAST_REPORTS_MS, undefined, { ref: false })
  rescue.disclaim(id)
  throw new Error('a runner of the job queue did not report its last jobs')
}

/** graphile-worker stops without an error when a newer release has migrated its tables. */
function stoppedUnasked(): StartupError {
  return new StartupError('The job queue has stopped unexpectedly; the log says why ("part":"queue").')
}

/** The queue's own lines, for debugging; the important ones are logged where they happen. */
function queueLogger(log: Logger, outage: Outage): QueueLogger {
  return new QueueLogger(() => (level, message) => {
    if (level === 'error' && !outage.isOn) log.warn({ part: 'queue' }, message)
    else log.debug({ part: 'queue' }, message)
  })
}
