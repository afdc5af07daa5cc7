import { expect, onTestFinished, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { login, signup } from '#shared/contract/accounts.ts'
import { httpCaller } from '#test/support/app.ts'
import { until } from '#test/support/processes.ts'
import { openWorld } from '#test/support/world.ts'
import { createApp } from './app.ts'

/** The product on connections of its own, which can be cut and mended. */
async function outage() {
  const world = await openWorld()
  const { appUrl } = world.database
  const pool = openPool({ url: appUrl, as: 'app', name: 'probity outage', max: 4 })
  const services = { ...world.services, pool, db: openDatabase(pool) }
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  const app = await createApp(services)
  onTestFinished(async () => {
    await app.close()
    await pool.end()
  })
  return {
    app,
    owner: world.database.owner,
    call: httpCaller(app, services),
    token: world.tokenOf(world.admin),
    async cut() {
      pool.options.connectionString = 'postgres://nobody@127.0.0.1:1/nowhere'
      await world.owner(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name IN ('probity outage', 'probity notifications')`,
      )
    },
    mend() {
      pool.options.connectionString = appUrl
    },
  }
}

test('[X-04] without its database the server answers 503 and when to try again, and goes on when it is back', async () => {
  const { app, token, cut, mend } = await outage()
  const ask = async (path: string) => {
    const { statusCode, headers, json } = await app.inject({
      url: `/api${path}`,
      headers: { authorization: `Bearer ${token}` },
    })
    return { status: statusCode, code: json().code, retryAfter: headers['retry-after'] }
  }
  expect(await ask('/auth/me')).toMatchObject({ status: 200 })
  await cut()
  await until(async () => (await ask('/auth/me')).status !== 200)
  for (const path of ['/auth/me', '/auth/users', '/plan/get-all', '/ready']) {
    expect(await ask(path), path).toMatchObject({ status: 503, code: 'not_ready', retryAfter: /^\d+$/ })
  }
  expect(await ask('/health')).toMatchObject({ status: 200 })
  mend()
  await until(async () => (await ask('/ready')).status === 200)
  await until(async () => (await ask('/auth/me')).status === 200)
})

test('a request that waits too long for a lock answers 503 and has changed nothing', async () => {
  const { call, owner } = await outage()
  const body = { name: 'Wanda', email: 'wanda@example.com', phone: '+61 400 000 000', country: 'Australia' }
  const blocker = await owner.connect()
  await blocker.query('BEGIN; LOCK TABLE app.sessions')
  const answer = await call(signup, null, { body: { ...body, password: 'correct horse' } })
  await blocker.query('ROLLBACK')
  blocker.release()
  expect(answer).toMatchObject({ status: 503, code: 'not_ready' })
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  const again = await call(login, null, { body: { email: body.email, password: 'correct horse' } })
  expect(again).toMatchObject({ status: 401, code: 'invalid_credentials' })
})
