import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { Lifetime } from '#server/process/lifetime.ts'
import { until } from '#test/support/processes.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { cronJob } from './job.ts'
import { startWorker } from './runner.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})

/** @returns the times of a job that wait, with the seconds until each */
async function waits(task: string): Promise<number[]> {
  const { rows } = await world.owner(
    `SELECT extract(epoch FROM run_at - now())::float8 AS seconds FROM graphile_worker.jobs
      WHERE task_identifier = '${task}' AND locked_at IS NULL`,
  )
  return rows.map(({ seconds }) => seconds)
}

async function work(jobs: Parameters<typeof cronJob>[]): Promise<void> {
  const life = new Lifetime()
  onTestFinished(() => life.end())
  await startWorker(world.services, life, {
    jobs: jobs.map(given => cronJob(...given)),
    scheduleEveryMs: 50,
  })
}

test('a scheduled job runs at the start, and then waits for its next time, once', async () => {
  let runs = 0
  const jobs: Parameters<typeof cronJob>[] = [
    ['tick', '* * * * *', async () => void runs++],
    ['nightly', '17 3 * * *', async () => {}],
  ]
  await Promise.all([work(jobs), work(jobs)])
  let found: number[][] = []
  await until(async () => {
    found = [await waits('tick'), await waits('nightly')]
    return runs > 0 && found.every(([seconds = 0]) => seconds > 0)
  })
  const [tick = [], nightly = []] = found
  expect([tick.length, nightly.length]).toEqual([1, 1])
  expect(tick[0]).toBeLessThanOrEqual(60)
  const { rows } = await world.owner(
    "SELECT run_at FROM graphile_worker.jobs WHERE task_identifier = 'nightly'",
  )
  expect(rows[0].run_at.toISOString()).toMatch(/T03:17:00\.000Z$/)
  expect(nightly[0]).toBeLessThanOrEqual(86_400)
})

test('a job that a clock ahead has queued for tomorrow waits for its next time again', async () => {
  await work([['tick', '* * * * *', async () => {}]])
  await until(async () => (await waits('tick')).some(seconds => seconds > 0))
  await world.owner(`UPDATE graphile_worker._private_jobs SET run_at = now() + interval '1 day'`)
  await world.owner(`INSERT INTO graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
    VALUES ('tick', now(), now() + interval '1 day')`)
  await until(async () => (await waits('tick')).some(seconds => seconds <= 60))
})

test('a job that is running since its last time is not queued beside itself', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let begun = 0
  const inMonths = `0 0 1 ${((new Date().getUTCMonth() + 6) % 12) + 1} *`
  await work([
    [
      'long',
      inMonths,
      () => {
        begun += 1
        return released
      },
    ],
    ['other', inMonths, async () => {}],
  ])
  onTestFinished(() => release())
  // The schedule was looked after since, for it queues the other one.
  await until(async () => begun > 0 && (await waits('other')).some(seconds => seconds > 60))
  await world.owner(`DELETE FROM graphile_worker._private_jobs WHERE key = 'cron other'`)
  await until(async () => (await waits('other')).length > 0)
  expect(await waits('long')).toEqual([])
  release()
  await until(async () => (await waits('long')).length > 0)
  expect(begun).toBe(1)
})
