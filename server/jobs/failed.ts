import { sql } from 'kysely'
import type { Services } from '#server/context.ts'
import { failedJobDays } from '#shared/limits.ts'

/**
 * Jobs that failed their last attempt stay in the queue for `failedJobDays`, so that an operator can inspect and retry
 * them (`graphile_worker.reschedule_jobs`). Each is logged.
 */
const failed = sql`attempts >= max_attempts AND locked_at IS NULL`

/**
 * Removes up to `most` expired ones, each with a log line at level error.
 * @returns how many
 */
export async function forgetFailedJobs({ db, clock, log }: Services, most: number): Promise<number> {
  const oldest = new Date(clock.now().getTime() - failedJobDays * 86_400_000)
  const { rows } = await sql<{ id: string; task: string; last_error: string; updated_at: Date }>`
    WITH old AS (
      SELECT id, task_identifier AS task, last_error, updated_at FROM graphile_worker.jobs
       WHERE ${failed} AND updated_at < ${oldest} ORDER BY id LIMIT ${most}
    ), gone AS (
      SELECT (graphile_worker.complete_jobs(array_agg(id))).id FROM old
    )
    SELECT id::text, old.task, old.last_error, old.updated_at FROM old JOIN gone USING (id) ORDER BY old.id`.execute(
    db,
  )
  for (const { id, task, last_error, updated_at } of rows) {
    log.error({ job: id, task, reason: last_error, failedAt: updated_at }, 'failed job removed, never done')
  }
  return rows.length
}

/** Logs the existing ones: one line at level error for each kind of job. */
export async function tellFailedJobs({ db, log }: Services): Promise<void> {
  const { rows } = await sql<{ task: string; jobs: bigint }>`
    SELECT task_identifier AS task, count(*) AS jobs FROM graphile_worker.jobs
     WHERE ${failed} GROUP BY 1 ORDER BY 1`.execute(db)
  for (const { task, jobs } of rows) log.error({ task, jobs: Number(jobs) }, 'jobs have failed for good')
}
