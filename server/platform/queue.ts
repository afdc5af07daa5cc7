import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import type { Schema } from './database/schema.ts'
import { currentTraceparent } from './tracing/tracing.ts'

/** A kind of job: its name in the queue, and its payload. server/jobs has the handlers. */
export type Task<Payload = unknown> = { readonly name: string; readonly payload: z.ZodType<Payload> }

export function defineTask<Payload>(name: string, payload: z.ZodType<Payload>): Task<Payload> {
  return { name, payload }
}

/** Order of due jobs within their lane (server/jobs/lanes.ts), lowest first; then the oldest first. */
export const priorities = {
  /** Someone waits for it at their screen. */
  first: -1,
  usual: 0,
  /** One of many that one act queued. */
  mass: 1,
} as const

/** The flag of a job that has the traceparent of the act that queued it. */
const TRACEPARENT = 'traceparent '

function flagsOf(): string[] | null {
  const traceparent = currentTraceparent()
  return traceparent === null ? null : [TRACEPARENT + traceparent]
}

/** The traceparent of the act that queued a job; null if it was not traced. @param flags of graphile_worker's job */
export function traceparentIn(flags: Readonly<Record<string, unknown>> | null): string | null {
  const flag = Object.keys(flags ?? {}).find(name => name.startsWith(TRACEPARENT))
  return flag?.slice(TRACEPARENT.length) ?? null
}

/**
 * Queues a job in the transaction that needs it: it exists only if that commits. A worker then does it at least once,
 * so every task must be idempotent.
 * @param key at most one job with this key waits at a time
 */
export async function enqueue<Payload>(
  tx: Kysely<Schema>,
  task: Task<Payload>,
  payload: NoInfer<Payload>,
  key: string | null = null,
  priority: number = priorities.usual,
): Promise<void> {
  await sql`SELECT graphile_worker.add_job(
    ${task.name}, ${JSON.stringify(payload ?? {})}::json, job_key => ${key}, priority => ${priority},
    flags => ${flagsOf()}::text[])`.execute(tx)
}

/** Queues a job that is due only in so many seconds. */
export async function enqueueAfter<Payload>(
  tx: Kysely<Schema>,
  task: Task<Payload>,
  payload: NoInfer<Payload>,
  seconds: number,
): Promise<void> {
  await sql`SELECT graphile_worker.add_job(
    ${task.name}, ${JSON.stringify(payload ?? {})}::json, run_at => now() + make_interval(secs => ${seconds}),
    flags => ${flagsOf()}::text[])`.execute(tx)
}

/**
 * The statement that queues one job per payload, alone or as the end of another one; unless a priority is given, several come after
 * the single jobs of their lane.
 */
export function enqueueAll<Payload>(
  task: Task<Payload>,
  payloads: readonly NoInfer<Payload>[],
  priority: number = payloads.length > 1 ? priorities.mass : priorities.usual,
): RawBuilder<unknown> {
  const texts = payloads.map(payload => JSON.stringify(payload ?? {}))
  return sql`SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
    SELECT ROW (${task.name}::text, payload::json, NULL, NULL, NULL, NULL, ${priority}::int, ${flagsOf()}::text[])::graphile_worker.job_spec
      FROM unnest(${texts}::text[]) AS payload))`
}
