import { z } from 'zod'
import type { Services } from '#server/context.ts'
import type { Mailer } from '#server/platform/mail/mailer.ts'
import { defineTask, type Task } from '#server/platform/queue.ts'

/** What a job works with. */
export type JobContext = {
  services: Services
  mailer: Mailer
  /** Id of the job, the same for every attempt: it makes repetitions harmless. */
  job: { id: string; createdAt: Date }
}

/** A task's handler. It may run twice: a killed worker cannot report success. */
export type Job = {
  task: Task
  /** A job on a schedule, in UTC. */
  cron?: string
  run: (payload: never, ctx: JobContext) => Promise<void>
}

/** A job queued with `enqueue`. */
export function job<Payload>(
  task: Task<Payload>,
  run: (payload: Payload, ctx: JobContext) => Promise<void>,
): Job {
  return { task, run }
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
  return { task, cron, run: (_payload, ctx) => run(ctx) }
}

/** A scheduled job waits once: its schedule, a start and `enqueue` with this key replace it. */
export function scheduleKey({ name }: Task): string {
  return `cron ${name}`
}
