import { setTimeout as delay } from 'node:timers/promises'
import { parseCronItem } from 'graphile-worker'
import { sql } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Outage } from '#server/platform/outage.ts'
import { type Job, scheduleKey } from './job.ts'

const MINUTE_MS = 60_000
/** No schedule has a longer pause than from one leap day to the next, in minutes. */
const LONGEST_MINUTES = 8 * 366 * 24 * 60

type Schedule = { task: string; key: string; times: (at: Date) => boolean }

/**
 * Keeps every scheduled job waiting for its next time, until stopped. graphile-worker's own schedule follows the machine's
 * clock, and one that was a day ahead for a moment stopped it for a day (decision 139).
 * @param everyMs milliseconds between two checks, well below the smallest step of a schedule
 * @returns stops it
 */
export function keepSchedule(
  services: Services,
  jobs: readonly Job[],
  { outage, everyMs }: { outage: Outage; everyMs: number },
): () => Promise<void> {
  const schedules = jobs.flatMap(schedulesOf)
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = async () => {
    while (!signal.aborted) {
      if (services.clock.trust?.problem === undefined) {
        await queueNext(services, schedules).catch(error => outage.failed(error))
      }
      await delay(everyMs, undefined, { signal }).catch(() => {})
    }
  }
  const running = schedules.length === 0 ? Promise.resolve() : loop()
  return async () => {
    stopping.abort()
    await running
  }
}

function schedulesOf({ task, cron }: Job): Schedule[] {
  if (cron === undefined) return []
  const { match } = parseCronItem({ task: task.name, match: cron })
  const times = (at: Date) =>
    match({
      min: at.getUTCMinutes(),
      hour: at.getUTCHours(),
      date: at.getUTCDate(),
      month: at.getUTCMonth() + 1,
      dow: at.getUTCDay(),
    })
  return [{ task: task.name, key: scheduleKey(task), times }]
}

/**
 * Queues each job for its next time, once for all workers: unless it waits already, is retried before, or runs since its last
 * time. One that waits for longer was queued by a clock that was ahead. One that a starting worker queues meanwhile, which
 * this statement cannot see, keeps its time.
 */
async function queueNext({ db, clock }: Services, schedules: readonly Schedule[]): Promise<void> {
  const now = clock.now()
  const of = {
    tasks: schedules.map(({ task }) => task),
    keys: schedules.map(({ key }) => key),
    last: schedules.map(schedule => timeOf(schedule, now, 'last')),
    next: schedules.map(schedule => timeOf(schedule, now, 'next')),
  }
  await sql`
    SELECT graphile_worker.add_job(s.task, '{}', run_at => s.next, job_key => s.key, job_key_mode =>
             CASE WHEN EXISTS (SELECT FROM graphile_worker.jobs j WHERE j.key = s.key AND j.run_at > s.next)
                  THEN 'replace' ELSE 'preserve_run_at' END)
      FROM unnest(${of.tasks}::text[], ${of.keys}::text[], ${of.last}::timestamptz[], ${of.next}::timestamptz[])
           AS s (task, key, last, next)
     WHERE NOT EXISTS (
       SELECT FROM graphile_worker.jobs j
        WHERE j.key = s.key AND j.run_at <= s.next
          AND CASE WHEN j.locked_at IS NULL THEN j.attempts < j.max_attempts ELSE j.locked_at >= s.last END)`.execute(
    db,
  )
}

/** The latest time until now, or the earliest after it. */
function timeOf({ task, times }: Schedule, now: Date, which: 'last' | 'next'): Date {
  const minute = Math.floor(now.getTime() / MINUTE_MS)
  for (let minutes = 0; minutes <= LONGEST_MINUTES; minutes++) {
    const at = new Date((which === 'last' ? minute - minutes : minute + 1 + minutes) * MINUTE_MS)
    if (times(at)) return at
  }
  throw new Error(`${task} has no time: its schedule names none`)
}
