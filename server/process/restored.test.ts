import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { login, me, refresh, signup } from '#shared/contract/accounts.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { copyDatabase, dropDatabase, type TestDatabase, testDatabase } from '#test/support/database.ts'
import { until, watch } from '#test/support/processes.ts'
import { administer } from '#test/support/temporary-postgres.ts'
import { MAIN } from '#tools/product-build.ts'

/** Real processes of the built server, and copies of a database at an earlier time. */

const FINISH = join(import.meta.dirname, '../../tools/restore-finish.ts')
const REFUSAL = /The database was restored to an earlier time.* Run: npm run restore:finish/

let database: TestDatabase
let dataDir: string
beforeEach(async () => {
  database = await testDatabase()
  await database.db.transaction().execute(tx => loadFirm(tx, new Date()))
  const folder = mkdtempSync(join(tmpdir(), 'probity-restored-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  dataDir = join(folder, 'data')
})

const environment = (appUrl: string) => ({
  PATH: process.env.PATH,
  DATA_DIR: dataDir,
  PORT: '0',
  RATE_LIMIT: 'off',
  TOKEN_SECRET: 'x'.repeat(32),
  DATABASE_URL: appUrl,
})

function start(script: string, appUrl: string, ...args: string[]) {
  const watched = watch(process.execPath, [script, ...args], { env: environment(appUrl) })
  const stop = async () => {
    watched.child.kill('SIGKILL')
    await watched.ended()
  }
  onTestFinished(stop)
  return { ...watched, stop }
}

async function startWeb(appUrl: string) {
  const web = start(MAIN, appUrl, 'web')
  const [, origin = ''] = await web.said(/Listening on (http:[^"]+)/)
  const call = async ({ path, method }: { path: string; method: string }, body?: object, token?: string) => {
    const answer = await fetch(`${origin}/api${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const { data } = (await answer.json()) as {
      data: { token: { accessToken: string; refreshToken: string } }
    }
    return { status: answer.status, data }
  }
  return { ...web, call }
}

/** The state of a database as a new one: what a restore of a backup of this moment has. */
async function backup({ appUrl }: TestDatabase): Promise<string> {
  const name = new URL(appUrl).pathname.slice(1)
  await administer(
    inject('postgres').superuserUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  )
  const copy = await copyDatabase(name)
  atEnd(() => dropDatabase(copy))
  const url = new URL(appUrl)
  url.pathname = `/${copy}`
  return url.href
}

const person = (name: string) => ({
  name,
  email: `${name.toLowerCase()}@example.com`,
  phone: '+61 400 000 000',
  country: 'Australia',
  password: 'correct horse',
})

/** The beat in the mark on the disk; 0 before the first one, which a process writes after it serves. */
function beatsMarked(): number {
  const mark = join(dataDir, 'database-mark.json')
  return existsSync(mark) ? JSON.parse(readFileSync(mark, 'utf8')).beat : 0
}

test('[S-04] an earlier database is served once finished, without what was issued', async () => {
  const before = await startWeb(database.appUrl)
  const early = (await before.call(signup, person('Early'))).data.token
  await until(() => beatsMarked() > 0)
  await before.stop()
  const earlier = await backup(database)

  const lost = await startWeb(database.appUrl)
  const { email, password } = person('Early')
  const late = (await lost.call(login, { email, password })).data.token
  const marked = beatsMarked()
  await until(() => beatsMarked() > marked)
  await lost.stop()

  for (const role of ['web', 'worker']) {
    const refused = start(MAIN, earlier, role)
    expect(await refused.ended()).toBe(78)
    expect(refused.output()).toMatch(REFUSAL)
    expect(refused.output()).not.toMatch(/Listening on/)
  }

  const finish = start(FINISH, earlier)
  expect(await finish.ended()).toBe(0)
  expect(finish.output()).toMatch(/Done:[\s\S]*sessions are ended[\s\S]*To review:[\s\S]*payouts:resume/)

  const after = await startWeb(earlier)
  for (const { accessToken, refreshToken } of [early, late]) {
    expect((await after.call(me, undefined, accessToken)).status).toBe(401)
    expect((await after.call(refresh, { refreshToken })).status).toBe(401)
  }
  const again = await after.call(login, { email, password })
  expect((await after.call(me, undefined, again.data.token.accessToken)).status).toBe(200)
  await after.stop()

  const second = start(FINISH, earlier)
  expect(await second.ended()).toBe(0)
  expect(second.output()).toMatch(/no restore to finish/)
})

test('[S-04] a running process ends with 78 when its database turns out to be an earlier one', async () => {
  const web = await startWeb(database.appUrl)
  await until(() => beatsMarked() > 0)
  await database.owner.query('UPDATE app.machines SET beat = 0')
  expect(await web.ended()).toBe(78)
  expect(web.output()).toMatch(REFUSAL)
})
