import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '#test/support/database.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { until, type Watched, watch } from '#test/support/processes.ts'
import { MAIN } from '#tools/product-build.ts'

/** Real processes whose database goes away: they stay, and go on when it is back. */
const database = await testDatabase()

function start(role: string, { url }: DatabaseProxy): Watched {
  const folder = mkdtempSync(join(tmpdir(), 'probity-outage-'))
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', DATABASE_URL: url, LOG_LEVEL: 'debug' }
  const watched = watch(process.execPath, [MAIN, role], { env })
  onTestFinished(async () => {
    watched.child.kill('SIGKILL')
    await watched.ended()
    rmSync(folder, { recursive: true, force: true })
  })
  return watched
}

async function jobsLeft(): Promise<number> {
  const { rowCount } = await database.app.query('SELECT FROM graphile_worker.jobs WHERE run_at <= now()')
  return rowCount!
}

test('[X-04, V-08] web and worker survive an outage, and a signal ends them in the next one', async () => {
  const proxy = await databaseProxy(database.appUrl)
  const web = start('web', proxy)
  const worker = start('worker', proxy)
  const [, origin = ''] = await web.said(/Listening on (http:[^"]+)/)
  await worker.said(/looking for jobs/)
  await until(async () => (await jobsLeft()) === 0)
  const ready = async () => {
    const { status, headers } = await fetch(`${origin}/api/ready`)
    return [status, headers.get('retry-after')]
  }
  expect(await ready()).toEqual([200, null])

  await proxy.cut()
  expect(await ready()).toEqual([503, '5'])
  await worker.said(/the job queue has lost its database/)
  await database.app.query("SELECT graphile_worker.add_job('stamp_checkpoints', '{}')")
  await proxy.mend()
  await expect.poll(ready).toEqual([200, null])
  await until(async () => (await jobsLeft()) === 0)
  await worker.said(/the job queue goes on/)

  await proxy.cut()
  await until(() => worker.output().split('the job queue has lost its database').length > 2)
  web.child.kill('SIGTERM')
  worker.child.kill('SIGTERM')
  expect([await web.ended(), await worker.ended()]).toEqual([0, 0])
})
