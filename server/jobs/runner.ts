import type { Span } from '@opentelemetry/api'
import { type Job as QueuedJob, run, type TaskList } from 'graphile-worker'
import pg from 'pg'
import type { Services } from '#server/context.ts'
import { noticeWriter } from '#server/notifications/deliver.ts'
import { pauseForMigrations } from '#server/platform/database/pause.ts'
import { mailerOf } from '#server/platform/mail/mailer.ts'
import { jobSeconds } from '#server/platform/metrics.ts'
import { notificationsOf } from '#server/platform/notifications.ts'
import { enqueue, traceparentIn } from '#server/platform/queue.ts'
import { startAct, traced } from '#server/platform/tracing/tracing.ts'
import type { Lifetime } from '#server/process/lifetime.ts'
import { type Job, type JobContext, scheduleKey } from './job.ts'
import { jobs as allJobs } from './jobs.ts'
import { keepRunning, queueOutage, type Runners } from './keep-running.ts'
import { type Lane, laneNames, lanesOf } from './lanes.ts'
import { rescueAbandonedJobs } from './rescue.ts'
import { keepSchedule } from './schedule.ts'

/**
 * Starts doing jobs, queued and scheduled.
 * @param life its end takes no new job, finishes running ones, and closes the connections
 */
export async function startWorker(
  services: Services,
  life: Lifetime,
  {
    jobs = allJobs,
    rescueEveryMs = 1_000,
    scheduleEveryMs = 5_000,
  }: { jobs?: readonly Job[]; rescueEveryMs?: number; scheduleEveryMs?: number } = {},
): Promise<void> {
  // The runner traces to the console what it also tells the log.
  console.trace = () => {}
  const notifications = notificationsOf(services.pool, services.log)
  pauseForMigrations(notifications, services.pool)
  await notifications.open()
  await life.own(() => notifications.close())
  const rescue = rescueAbandonedJobs(services.pool, services.log, rescueEveryMs)
  await life.own(() => rescue.stop())
  const lanes = lanesOf(services.config)
  const runners = {
    log: services.log,
    clock: services.clock,
    rescue,
    outage: queueOutage(services.log),
    life,
  }
  const stops: (() => Promise<void>)[] = []
  // Together, so that no lane waits for the running jobs of another.
  const stop = () => Promise.all(stops.map(one => one()))
  for (const name of laneNames) {
    const own = jobs.filter(({ lane }) => lane === name)
    if (own.length === 0) continue
    stops.push(await startLane(services, runners, { lane: lanes[name], jobs: own }))
    await life.own(stop)
  }
  await life.own(keepSchedule(services, jobs, { outage: runners.outage, everyMs: scheduleEveryMs }))
}

/**
 * The runner asks the queue for the jobs of its lane only.
 * @returns stops it
 */
async function startLane(
  services: Services,
  runners: Runners,
  { lane, jobs }: { lane: Lane; jobs: readonly Job[] },
): Promise<() => Promise<void>> {
  const { life } = runners
  const mailer = mailerOf(services.config, services.db, lane.mailConnections)
  await life.own(async () => mailer.close())
  const connections = queueConnections(services.pool, lane)
  await life.own(() => connections.end())
  return keepRunning(runners, async watched => {
    // Also after an outage, which may have swallowed a time of the schedule.
    for (const { task, cron } of jobs) {
      if (cron !== undefined) await enqueue(services.db, task, {}, scheduleKey(task))
    }
    return run({
      ...watched,
      pgPool: connections,
      preset: { worker: lane.queue },
      concurrency: lane.concurrency,
      noHandleSignals: true,
      // A plan for all lanes alike would read the jobs of other lanes, too.
      noPreparedStatements: true,
      // Its schedule follows the machine's clock; ours is schedule.ts.
      parsedCronItems: [],
      taskList: taskListOf(jobs, services, { mailer, noticeMail: noticeWriter(services) }),
    })
  })
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, done: Release) => void
type Release = (release?: Error | boolean) => void

/**
 * graphile-worker 0.18 releases its listening connection twice if that breaks while the runner stops, and pg's error at the
 * second time would end the process.
 */
class ForgivingPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>
  override connect(connected: Connected): void
  override connect(connected?: Connected): Promise<pg.PoolClient> | undefined {
    if (connected === undefined) return super.connect()
    super.connect((error, client, done) => {
      let release: Release | undefined = done
      connected(error, client, argument => {
        release?.(argument)
        release = undefined
      })
    })
    return undefined
  }
}

/**
 * Connections like those of the pool, but with bigints as text: the queue writes its rows as JSON, which has no bigint.
 */
function queueConnections({ options }: pg.Pool, { databaseConnections: max, isLong }: Lane): pg.Pool {
  const connections = new ForgivingPool({ ...options, types: pg.types, max })
  // The pool replaces a broken connection; without a listener the event would end the process.
  connections.on('error', () => {})
  // graphile-worker warns of a pool without this one.
  connections.on('connect', client => {
    client.on('error', () => {})
    // Right after many jobs were queued, PostgreSQL has no statistics of them, and would sort them all for each next one.
    if (isLong) client.query('SET enable_sort = off').catch(() => {})
  })
  return connections
}

/** By OpenTelemetry's conventions of messaging. Its trace is that of the act that queued it. */
function startJob(task: string, { id, flags }: QueuedJob): Span | undefined {
  const attributes = {
    'messaging.system': 'graphile_worker',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': task,
    'messaging.message.id': id,
  }
  return startAct(`process ${task}`, { kind: 'CONSUMER', attributes }, traceparentIn(flags))
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
          await services.clock.trust?.check()
          const ctx = {
            ...emails,
            services: { ...services, log },
            job: { id: job.id, createdAt: job.created_at },
            signal: abortSignal,
          }
          await traced(startJob(task.name, job), async () => run(task.payload.parse(payload) as never, ctx))
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
