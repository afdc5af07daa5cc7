import { z } from 'zod'
import type { Services } from '#server/context.ts'
import type { Mailer } from '#server/platform/mail/mailer.ts'
import { defineTask, type Task } from '#server/platform/queue.ts'

/** What a job works with. */
export type JobContext = {
  services: Services
  mailer: Mailer
  /** The job itself, the same at every try: what makes doing it twice harmless. */
  job: { id: string; createdAt: Date }
}

/** How a task is done. It may be done twice: a worker that is killed has not said that it was ready. */
export type Job = {
  task: Task
  /** When the clock asks for it, in UTC. */
  cron?: string
  run: (payload: never, ctx: JobContext) => Promise<void>
}

/** A job that something asks for, with `enqueue`. */
export function job<Payload>(
  task: Task<Payload>,
  run: (payload: Payload, ctx: JobContext) => Promise<void>,
): Job {
  return { task, run }
}

/**
 * A job that the clock asks for, once for all workers together, and every worker when it starts.
 * @param cron minute, hour, day, month and weekday as in a crontab, in UTC
 */
export function cronJob(name: string, cron: string, run: (ctx: JobContext) => Promise<void>): Job {
  return { task: defineTask(name, z.unknown()), cron, run: (_payload, ctx) => run(ctx) }
}
