import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampleLogins } from '#server/demo/logins.ts'
import type { ClusterLogin } from '#server/embedded/cluster.ts'
import { embeddedUrl } from '#server/embedded/embedded.ts'
import { isRoot } from '#test/support/launcher.ts'
import { memoryContains } from '#test/support/process-memory.ts'
import { isAlive, until, type Watched, watch } from '#test/support/processes.ts'
import { canMount, smallDisk } from '#test/support/small-disk.ts'
import { freePort } from './free-port.ts'
import { isBuildStale } from './product-build.ts'

const ROOT = join(import.meta.dirname, '..')
let folder: string
let dataDir: string
let started: Watched[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probity-start-'))
  chmodSync(folder, 0o711)
  dataDir = join(folder, 'data')
  started = []
})
afterEach(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGTERM')
    await ended()
  }
  rmSync(folder, { recursive: true, force: true })
})

function start(environment: NodeJS.ProcessEnv): Watched {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, ...environment }
  const args = [join(ROOT, 'tools/run.mjs'), 'tools/start.ts']
  const watched = watch(process.execPath, args, { cwd: ROOT, env })
  started.push(watched)
  return watched
}

function postmasterPid(): number {
  return Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
}

describe.runIf(!isBuildStale())('npm start (its tests need npm run build)', () => {
  test('npm start prints address and logins; Ctrl-C stops all; a second start keeps data', async () => {
    const port = await freePort()
    const first = start({ PORT: String(port) })
    await first.said(/Stop +Ctrl-C/)
    for (const { email, password } of sampleLogins)
      expect(first.output()).toMatch(new RegExp(`${email} +${password} `))
    expect((await fetch(`http://127.0.0.1:${port}/api/ready`)).status).toBe(200)
    const postmaster = postmasterPid()
    first.child.kill('SIGINT')
    expect(await first.ended()).toBe(0)
    expect(first.output()).toMatch(/Stopping …\nStopped\n$/)
    expect(isAlive(postmaster)).toBe(false)

    const second = start({ PORT: String(port) })
    await second.said(/Stop +Ctrl-C/)
    expect(second.output().split('\n').length).toBeLessThan(19)
  }, 120_000)

  test.runIf(isRoot)('[V-10] it serves without the logins of the owner and the superuser', async () => {
    const first = start({ PORT: String(await freePort()) })
    await first.said(/Stop +Ctrl-C/)
    const pid = first.child.pid!
    const passwordOf = (login: ClusterLogin) => new URL(embeddedUrl(dataDir, login)).password
    // The application's own password shows that the search finds one.
    expect(memoryContains(pid, passwordOf('app'))).toBe(true)
    expect(memoryContains(pid, passwordOf('owner'))).toBe(false)
    expect(memoryContains(pid, passwordOf('superuser'))).toBe(false)
    const client = new Client({ connectionString: embeddedUrl(dataDir, 'superuser') })
    await client.connect()
    const { rows } = await client.query(`
      SELECT DISTINCT usename FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
    await client.end()
    expect(rows).toEqual([{ usename: 'probity_app' }])
  })

  test('a start that fails after its database runs ends that, and releases the data', async () => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const { port: taken } = other.address() as { port: number }
    const settings = { PORT: String(await freePort()), METRICS_PORT: String(taken) }
    const failing = start(settings)
    expect(await failing.ended()).toBe(1)
    expect(failing.output()).toContain(
      `Port ${taken} is in use. Stop what uses it, or set METRICS_PORT to another one.\n`,
    )
    expect(readdirSync(dataDir)).toContain('postgres')
    expect(spawnSync('pgrep', ['-f', dataDir]).status).toBe(1)
    other.close()
    await start(settings).said(/Stop +Ctrl-C/)
  }, 120_000)

  test('it waits in the terminal for a database of your own, until it is stopped', async () => {
    const waiting = start({
      PORT: String(await freePort()),
      DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c',
    })
    await waiting.said(
      /Waiting for the database\. DATABASE_URL: no PostgreSQL answers there\. Is it running\?/,
    )
    waiting.child.kill('SIGTERM')
    expect(await waiting.ended()).toBe(0)
  })

  test('a busy port is reported at once, before anything is created', async () => {
    const port = await freePort()
    const other = createServer()
    await new Promise<void>(resolve => other.listen(port, '127.0.0.1', resolve))
    const refused = start({ PORT: String(port) })
    expect(await refused.ended()).toBe(1)
    expect(refused.output()).toContain(
      `Port ${port} is in use. Stop what uses it, or set PORT to another one.\n`,
    )
    expect(readdirSync(dataDir)).not.toContain('postgres')
    other.close()
  })

  test('[M-02] a second start on the same data names where the first one runs', async () => {
    const port = await freePort()
    const first = start({ PORT: String(port) })
    const refuses = async (doing: string, portOfSecond: number) => {
      const second = start({ PORT: String(portOfSecond) })
      expect(await second.ended()).toBe(1)
      expect(second.output()).toContain(
        `Probity is already ${doing} at http://127.0.0.1:${port} (process ${first.child.pid}), with the data in ${dataDir}.\n` +
          'Use it there, or stop it (Ctrl-C) first. To run another one beside it, set PORT and DATA_DIR.\n',
      )
    }
    await until(() => existsSync(join(dataDir, 'lock')))
    await refuses('starting', port)
    await first.said(/Stop +Ctrl-C/)
    await refuses('running', port)
    await refuses('running', await freePort())

    first.child.kill('SIGKILL')
    await first.ended()
    await start({ PORT: String(port) }).said(/Stop +Ctrl-C/)
  }, 120_000)

  test.runIf(canMount()).each([
    ['the lock', '4k'],
    ['initdb', '20m'],
    ['the sample', '66m'],
  ])(
    '[M-04] a disk that is full at %s is one clear line',
    async (_at, size) => {
      dataDir = smallDisk(size).folder
      const full = start({ PORT: String(await freePort()) })
      expect(await full.ended()).toBe(1)
      expect(full.output()).toMatch(
        new RegExp(
          `\nThe disk of ${dataDir} is full: DATA_DIR needs about 300 MB, and \\d+ MB are free\\. ` +
            'Free some space, or set DATA_DIR to a folder on another disk, then start again\\.\n$',
        ),
      )
      expect(full.output()).not.toMatch(/^\s+at |Error/m)
      expect(spawnSync('pgrep', ['-f', dataDir]).status).toBe(1)
    },
    120_000,
  )

  test('an invalid configuration is listed in full', async () => {
    const refused = start({ PORT: 'x', MODE: 'live' })
    expect(await refused.ended()).toBe(78)
    expect(refused.output()).toMatch(/^The configuration cannot be used:\n {2}PORT: must be/)
    expect(refused.output()).not.toMatch(/^\s+at /m)
  })
})

describe('npm run db:reset', () => {
  test('with the database it removes the mark of what its log has published', () => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(join(dataDir, 'published-checkpoint'), 'the log of the database that goes')
    const result = spawnSync(process.execPath, [join(ROOT, 'tools/db-reset.ts')], { env, encoding: 'utf8' })
    expect(result.status, result.stderr).toBe(0)
    expect(existsSync(join(dataDir, 'published-checkpoint'))).toBe(false)
  })

  test('with DATABASE_URL set it touches nothing and says why', () => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, DATABASE_URL: 'postgres://a:b@db.example.com/c' }
    const result = spawnSync(process.execPath, [join(ROOT, 'tools/db-reset.ts')], { env, encoding: 'utf8' })
    expect(result.status).toBe(78)
    expect(result.stderr).toBe('db:reset deletes the embedded database only, and DATABASE_URL is set.\n')
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  })
})
