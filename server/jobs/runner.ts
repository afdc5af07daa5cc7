import { EventEmitter } from 'node:events'
import {
  parseCronItems,
  Logger as QueueLogger,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Services } from '#server/context.ts'
import { noticeWriter } from '#server/notifications/deliver.ts'
import { mailerOf } from '#server/platform/mail/mailer.ts'
import { jobSeconds } from '#server/platform/metrics.ts'
import { enqueue } from '#server/platform/queue.ts'
import { StartupError } from '#server/platform/startup-error.ts'
import type { Lifetime } from '#server/process/lifetime.ts'
import { type Job, type JobContext, scheduleKey } from './job.ts'
import { jobs as allJobs } from './jobs.ts'
import { type Lane, laneNames, lanesOf } from './lanes.ts'
import { type Rescue, rescueAbandonedJobs } from './rescue.ts'

/** How often the worker polls the queue for due jobs; new ones are notified. */
const POLL_MS = 1000

/**
 * Starts doing jobs, queued and scheduled.
 * @param life its end takes no new job, finishes running ones, and closes the connections
 */
export async function startWorker(
  services: Services,
  life: Lifetime,
  { jobs = allJobs, rescueEveryMs = 1000 }: { jobs?: readonly Job[]; rescueEveryMs?: number } = {},
): Promise<void> {
  const rescue = await rescueAbandonedJobs(services.pool, services.log, rescueEveryMs)
  await life.own(() => rescue.stop())
  const lanes = lanesOf(services.config)
  const stops: (() => Promise<void>)[] = []
  // Together, so that no lane waits for the running jobs of another.
  const stop = () => Promise.all(stops.map(one => one()))
  for (const name of laneNames) {
    const own = jobs.filter(({ lane }) => lane === name)
    if (own.length === 0) continue
    const runner = await startLane(services, life, { lane: lanes[name], jobs: own, rescue })
    stops.push(endTogether(runner, life))
    await life.own(stop)
  }
  for (const { task, cron } of jobs) {
    if (cron !== undefined) await enqueue(services.db, task, {}, scheduleKey(task))
  }
}

/** The runner asks the queue for the jobs of its lane only. */
async function startLane(
  services: Services,
  life: Lifetime,
  { lane, jobs, rescue }: { lane: Lane; jobs: readonly Job[]; rescue: Rescue },
): Promise<Runner> {
  const mailer = mailerOf(services.config, services.db, lane.mailConnections)
  await life.own(async () => mailer.close())
  const connections = queueConnections(services.pool, lane.databaseConnections)
  await life.own(() => connections.end())
  const events = new EventEmitter() as unknown as WorkerEvents
  events.on('pool:create', ({ workerPool }) => rescue.claim(workerPool.id))
  return run({
    pgPool: connections,
    preset: { worker: lane.queue },
    concurrency: lane.concurrency,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    // A plan for all lanes alike would read the jobs of other lanes, too.
    noPreparedStatements: true,
    taskList: taskListOf(jobs, services, { mailer, noticeMail: noticeWriter(services) }),
    parsedCronItems: parseCronItems(jobs.flatMap(cronItem)),
    events,
    logger: queueLogger(services.log),
  })
}

/**
 * A runner survives every outage; if one ended unexpectedly, the process would do no jobs.
 * @returns stops it
 */
function endTogether(runner: Runner, life: Lifetime): () => Promise<void> {
  let isRunning = true
  const ended = runner.promise.then(
    () => new StartupError('The job queue has stopped unexpectedly; the log says why ("part":"queue").'),
    (error: unknown) => error,
  )
  ended.then(error => {
    if (isRunning) life.fail(error)
    isRunning = false
  })
  return async () => {
    if (!isRunning) return
    isRunning = false
    await runner.stop()
  }
}

function cronItem({ task, cron }: Job) {
  return cron === undefined ? [] : [{ task: task.name, match: cron, options: { jobKey: scheduleKey(task) } }]
}

/**
 * Connections like those of the pool, but with bigints as text: the queue writes its rows as JSON, which has no bigint.
 */
function queueConnections({ options }: pg.Pool, max: number): pg.Pool {
  const connections = new pg.Pool({ ...options, types: pg.types, max })
  // The pool replaces a broken connection; without a listener the event would end the process.
  connections.on('error', () => {})
  connections.on('connect', client => client.on('error', () => {}))
  return connections
}

function taskListOf(
  jobs: readonly Job[],
  services: Services,
  emails: Pick<JobContext, 'mailer' | 'noticeMail'>,
): TaskList {
  return Object.fromEntries(
    jobs.map(({ task, run }) => [
      task.name,
      async (payload, { job, abortSignal }) => {
        const log = services.log.child({ job: job.id, task: task.name, try: job.attempts })
        const timed = jobSeconds.startTimer({ task: task.name })
        try {
          const ctx = {
            ...emails,
            services: { ...services, log },
            job: { id: job.id, createdAt: job.created_at },
            signal: abortSignal,
          }
          await run(task.payload.parse(payload) as never, ctx)
          log.debug('job done')
          timed({ outcome: 'done' })
        } catch (err) {
          timed({ outcome: job.attempts < job.max_attempts ? 'retried' : 'failed' })
          if (job.attempts < job.max_attempts) log.warn({ err }, 'job failed and will be tried again')
          else log.error({ err }, 'job failed for good')
          // The queue stores and logs errors. A mail server's words may contain an address, so they stay here.
          throw new Error(`${task.name}: ${(err as { code?: string }).code ?? (err as Error).name}`)
        }
      },
    ]),
  ) as TaskList
}

/** The queue's own lines, for debugging; the important ones are logged above. */
function queueLogger(log: Logger): QueueLogger {
  return new QueueLogger(() => (level, message) => {
    if (level === 'error') log.warn({ part: 'queue' }, message)
    else log.debug({ part: 'queue' }, message)
  })
}
