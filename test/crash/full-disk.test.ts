import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { embeddedUrl } from '#server/embedded/embedded.ts'
import { logFile } from '#server/platform/log-destination.ts'
import { createLogger } from '#server/platform/logger.ts'
import { newContactMessage, site } from '#shared/contract/site.ts'
import { request } from '#test/support/cluster.ts'
import { until, watch } from '#test/support/processes.ts'
import { canMount, smallDisk } from '#test/support/small-disk.ts'
import { freePort } from '#tools/free-port.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What an operator may request of an embedded database. */
async function asSuperuser(dataDir: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: embeddedUrl(dataDir, 'superuser') })
  await client.connect()
  await client.query(statement)
  await client.end()
}

describe.runIf(canMount())('a full disk (its tests mount one, which needs root)', () => {
  test('[V-09] lines of the log wait, and are lost and counted when there are too many', async () => {
    const disk = smallDisk('4m')
    const path = join(disk.folder, 'data/probity.log')
    const log = createLogger('info', logFile(path))
    const text = () => readFileSync(path, 'utf8')
    log.info('before')
    await until(() => text().includes('before'))
    await disk.fill()
    for (let line = 0; line < 4_000; line++) log.info({ text: 'x'.repeat(400) }, 'while full')
    disk.free()
    await until(() => /"lost":\d+/.test(text()))
    const lost = Number(/"lost":(\d+)/.exec(text())![1])
    expect(lost).toBeGreaterThan(0)
    expect(text().match(/while full/g)).toHaveLength(4_000 - lost)
    log.info('afterwards')
    await until(() => text().includes('afterwards'))
    for (const line of text().trimEnd().split('\n')) JSON.parse(line)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('[V-09] writing answers 503 with words, reading goes on, and all recovers', async () => {
    const disk = smallDisk('600m')
    const dataDir = join(disk.folder, 'data')
    const origin = `http://127.0.0.1:${await freePort()}`
    const product = watch(process.execPath, [join(ROOT, 'tools/run.mjs'), 'tools/start.ts'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: new URL(origin).port, RATE_LIMIT: 'off' },
    })
    onTestFinished(async () => {
      product.child.kill('SIGTERM')
      await product.ended()
    })
    await product.said(/Stop +Ctrl-C/, 150_000)
    // Random, because PostgreSQL compresses what it stores.
    const send = () => {
      const message = randomBytes(3_000).toString('base64')
      const body = { name: 'Vera', email: 'vera@example.com', subject: 'Full', message }
      return request(origin, newContactMessage, { body })
    }
    const log = () => readFileSync(join(dataDir, 'probity.log'), 'utf8')
    expect((await send()).status).toBe(200)
    // An existing segment of the write-ahead log: without one PostgreSQL itself would stop.
    await asSuperuser(dataDir, 'SELECT pg_switch_wal()')
    await asSuperuser(dataDir, 'CHECKPOINT')
    await disk.fill()
    await until(async () => (await send()).status !== 200)
    expect(await send()).toMatchObject({
      status: 503,
      code: 'not_ready',
      message:
        'We cannot save anything right now: our storage is full. Nothing was changed. Please try again later.',
    })
    expect((await request(origin, site)).status).toBe(200)
    expect((await fetch(`${origin}/about`)).status).toBe(200)
    disk.free()
    await until(async () => (await send()).status === 200)
    await until(() => /"code":"53100"/.test(log()))
    expect(log()).toMatch(/"advice":"PostgreSQL: its disk is full\./)
    expect(product.child.exitCode).toBeNull()
    product.child.kill('SIGTERM')
    expect(await product.ended()).toBe(0)
  }, 240_000)
})
