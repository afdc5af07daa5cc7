import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

/** One kind of job in the queue. */
export type QueueState = {
  task: string
  /** Due and not running. */
  waiting: number
  /** Failed for good. */
  failed: number
  /** Age of the oldest one that is due, running or being retried, in seconds; 0 if there is none. */
  oldestSeconds: number
}

/** The queue's content by kind, without empty kinds. */
export async function queueState(db: Kysely<Schema>): Promise<QueueState[]> {
  const { rows } = await sql<{ task: string; waiting: bigint; failed: bigint; oldest: number | null }>`
    SELECT task_identifier AS task,
           count(*) FILTER (WHERE NOT done_for AND locked_at IS NULL AND run_at <= now()) AS waiting,
           count(*) FILTER (WHERE done_for) AS failed,
           extract(epoch FROM now() - min(created_at)
             FILTER (WHERE NOT done_for AND (run_at <= now() OR attempts > 0)))::float8 AS oldest
      FROM (SELECT *, attempts >= max_attempts AND locked_at IS NULL AS done_for FROM graphile_worker.jobs) AS jobs
     GROUP BY 1`.execute(db)
  return rows.map(({ task, waiting, failed, oldest }) => ({
    task,
    waiting: Number(waiting),
    failed: Number(failed),
    oldestSeconds: Math.max(0, oldest ?? 0),
  }))
}
