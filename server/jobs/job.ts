import { z } from 'zod'
import type { Services } from '#server/context.ts'
import type { NoticeWriter } from '#server/notifications/deliver.ts'
import type { Mailer } from '#server/platform/mail/mailer.ts'
import { defineTask, type Task } from '#server/platform/queue.ts'
import type { LaneName } from './lanes.ts'

/** What a job works with. */
export type JobContext = {
  services: Services
  mailer: Mailer
  noticeMail: NoticeWriter
  /** Id of the job, the same for every attempt: it makes repetitions harmless. */
  job: { id: string; createdAt: Date }
  /** Aborted some seconds after the worker was asked to stop: a job that waits should fail, and is tried again. */
  signal: AbortSignal
}

/** A task's handler. It may run twice: a killed worker cannot report success. */
export type Job = {
  task: Task
  lane: LaneName
  /** A job on a schedule, in UTC. */
  cron?: string
  run: (payload: never, ctx: JobContext) => Promise<void>
}

/** A job queued with `enqueue`. It is part of the clockwork unless it sends email. */
export function job<Payload>(
  task: Task<Payload>,
  run: (payload: Payload, ctx: JobContext) => Promise<void>,
  lane: LaneName = 'clockwork',
): Job {
  return { task, lane, run }
}

/**
 * A scheduled job, once for all workers together, and at the start of every worker.
 * @param cron minute, hour, day, month and weekday as in a crontab, in UTC
 */
export function cronJob(name: string, cron: string, run: (ctx: JobContext) => Promise<void>): Job {
  return scheduled(defineTask(name, z.unknown()), cron, run)
}

/** A job on a schedule that is queued at other times too, under its `scheduleKey`. */
export function scheduled(task: Task, cron: string, run: (ctx: JobContext) => Promise<void>): Job {
  return { task, lane: 'clockwork', cron, run: (_payload, ctx) => run(ctx) }
}

/** A scheduled job waits once: its schedule, a start and `enqueue` with this key replace it. */
export function scheduleKey({ name }: Task): string {
  return `cron ${name}`
}
