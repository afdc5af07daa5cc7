import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampleLogins } from '#server/demo/logins.ts'
import { isAlive, type Watched, watch } from '#test/support/processes.ts'
import { freePort } from './free-port.ts'
import { isWebBuildStale } from './web-build.ts'

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
  const watched = watch(process.execPath, [join(ROOT, 'tools/run.mjs'), 'tools/start.ts'], { cwd: ROOT, env })
  started.push(watched)
  return watched
}

function postmasterPid(): number {
  return Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
}

describe.runIf(!isWebBuildStale())('npm start (its tests need npm run build)', () => {
  test('it says where the product is and how to sign in; Ctrl-C stops everything; the second start finds its data', async () => {
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

  test('a busy port is told at once, before anything is made', async () => {
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

  test('a configuration that cannot be used is listed as it is', async () => {
    const refused = start({ PORT: 'x', MODE: 'live' })
    expect(await refused.ended()).toBe(78)
    expect(refused.output()).toMatch(/^The configuration cannot be used:\n {2}PORT: must be/)
    expect(refused.output()).not.toMatch(/^\s+at /m)
  })
})

describe('npm run db:reset', () => {
  test('with DATABASE_URL set it touches nothing and says why', () => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, DATABASE_URL: 'postgres://a:b@db.example.com/c' }
    const result = spawnSync(process.execPath, [join(ROOT, 'tools/db-reset.ts')], { env, encoding: 'utf8' })
    expect(result.status).toBe(78)
    expect(result.stderr).toBe('db:reset deletes the embedded database only, and DATABASE_URL is set.\n')
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  })
})
