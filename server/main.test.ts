import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { testDatabase } from '#test/support/database.ts'
import { watch } from '#test/support/processes.ts'

const MAIN = join(import.meta.dirname, 'main.ts')
let folder: string
let silent: Server
let silentPort: number

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'probity-main-'))
  silent = createServer(socket => socket.destroy())
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  silentPort = (silent.address() as { port: number }).port
})
afterAll(() => {
  silent.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the entry to its end. */
async function run(
  role: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ code: number | string; output: string }> {
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn', ...environment }
  const main = watch(process.execPath, [MAIN, role], { env })
  const code = await main.ended()
  return { code, output: main.output() }
}

/** The run's server with parts of its address changed. */
function elsewhere(change: (url: URL) => void): string {
  const url = new URL(inject('postgres').appUrl)
  change(url)
  return url.href
}

describe('a start that cannot succeed ends with one clear line', () => {
  test.each<[string, () => string, RegExp]>([
    [
      'a port nobody listens on',
      () => 'postgres://a:b@127.0.0.1:1/c',
      /^DATABASE_URL: no PostgreSQL answers there\. Is it running\?\n$/,
    ],
    [
      'an unknown host',
      () => 'postgres://a:b@no-such-host.invalid/c',
      /^DATABASE_URL: its host is not known\.\n$/,
    ],
    [
      'something that is not PostgreSQL',
      () => `postgres://a:b@127.0.0.1:${silentPort}/c`,
      /^DATABASE_URL: .+\n$/,
    ],
    [
      'a wrong password',
      () =>
        elsewhere(url => {
          url.password = 'wrong'
        }),
      /^DATABASE_URL: PostgreSQL refused the user or the password\.\n$/,
    ],
    [
      'a missing database',
      () =>
        elsewhere(url => {
          url.pathname = '/nowhere'
        }),
      /^DATABASE_URL: the database does not exist\./,
    ],
    [
      'no connection string at all',
      () => 'localhost:5432',
      /\n {2}DATABASE_URL: must look like postgres:\/\/.*\n/,
    ],
  ])('DATABASE_URL with %s: exit 78, no stack trace', async (_name, url, message) => {
    const { code, output } = await run('web', { DATABASE_URL: url() })
    expect(output).toMatch(message)
    expect(output).not.toMatch(/^\s+at /m)
    expect(code).toBe(78)
  })

  test('a database that was not migrated is refused by web and worker, naming the command', async () => {
    const { superuserUrl } = inject('postgres')
    const { code, output } = await run('worker', { DATABASE_URL: superuserUrl })
    expect(output).toMatch(
      /^The database lacks \d+ migration\(s\), first 0001_base\.sql\. Run: node server\/main\.ts migrate\n$/,
    )
    expect(code).toBe(1)
  })

  test('an unknown role is named, with those that exist', async () => {
    expect(await run('server', {})).toEqual({
      code: 78,
      output: "Unknown role 'server': use web, worker, all, migrate.\n",
    })
  })
})

describe('roles', () => {
  test('one login for everything: web and worker still act as probity_app', async () => {
    const { ownerUrl } = await testDatabase()
    expect(await run('migrate', { DATABASE_URL: ownerUrl })).toEqual({ code: 0, output: '' })
  })
})
