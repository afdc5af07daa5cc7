import { expect, onTestFinished, test } from 'vitest'
import type { Config } from '#server/config.ts'
import { loadFirm } from '#server/demo/firm.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { login, signup, verifyEmail } from '#shared/contract/accounts.ts'
import { health } from '#shared/contract/site.ts'
import { httpCaller } from '#test/support/app.ts'
import { currentPages } from '#test/support/built-pages.ts'
import { until } from '#test/support/processes.ts'
import { openWorld } from '#test/support/world.ts'
import { createApp } from './app.ts'

/** The product on database connections that the test can cut and restore. */
async function outage(changes: Partial<Config> = {}) {
  const world = await openWorld(changes)
  const { appUrl } = world.database
  const pool = openPool({ url: appUrl, as: 'app', name: 'probity outage', max: 4 })
  const services = { ...world.services, pool, db: openDatabase(pool) }
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  const app = await createApp(services, { pages: await currentPages() })
  onTestFinished(async () => {
    await app.close()
    await pool.end()
  })
  return {
    app,
    /** A document's text without React's comments. */
    async page(url: string, post?: Record<string, string>) {
      const { statusCode, headers, body } = await app.inject({
        url,
        ...(post === undefined
          ? {}
          : {
              method: 'POST',
              payload: new URLSearchParams(post).toString(),
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
            }),
      })
      return { status: statusCode, retryAfter: headers['retry-after'], html: body.replaceAll('<!-- -->', '') }
    },
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

test('[X-04] without its database the server answers 503 with Retry-After, then recovers', async () => {
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

test('[X-04] during an outage only calls that need the database fail with 503', async () => {
  // Rate limits would query the database in any case.
  const { call, token, cut } = await outage({ rateLimit: false })
  await cut()
  const verify = () => call(verifyEmail, null, { body: { otp: '123456' } }, { token })
  await until(async () => (await verify()).status === 503)
  expect(await verify()).toMatchObject({ status: 503, code: 'not_ready' })
  expect(await call(health, null, {}, { token })).toMatchObject({ status: 200, message: 'Alive' })
})

const everyPage = [
  '/',
  '/about',
  '/investment-plans',
  '/services',
  '/contact',
  '/proof',
  '/faq',
  '/login',
  '/dashboard/home',
]

test.each(everyPage)(
  '[X-04, P-14] without the database %s shows the firm, legal texts and a way back, and recovers',
  async url => {
    const { page, cut, mend } = await outage()
    await cut()
    await until(async () => (await page(url)).status !== 200)
    const { status, retryAfter, html } = await page(url)
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '10' })
    for (const words of [
      'Demonstration: not a real firm. Do not send money.',
      'This page is not available right now',
      'A part of our system is busy or restarting. Nothing is lost. Please load the page again in a minute.',
      'Probity Capital Partners (fictional)',
      'Capital at risk. Returns are targets and are not guaranteed.',
    ])
      expect(html).toContain(words)
    expect(html).not.toMatch(/<script|ECONN|Error:|\bat .*\.(js|ts)/)
    mend()
    // Connections that the outage ended may each fail once more.
    let recovered = ''
    await until(async () => {
      const again = await page(url)
      recovered = again.html
      return again.status === 200
    })
    expect(recovered).not.toContain('This page is not available right now')
  },
)

test('[X-04] the firm is called what it was called last', async () => {
  const { owner, page, cut } = await outage()
  await owner.query(
    `UPDATE app.firm_profiles SET profile = jsonb_set(profile, '{productName}', '"Northern Light"')`,
  )
  expect((await page('/')).status).toBe(200)
  await cut()
  await until(async () => (await page('/')).status === 503)
  expect((await page('/')).html).toContain('Northern Light')
})

test('[P-11, X-04] a message that cannot be stored now is shown again as typed', async () => {
  const { page, cut } = await outage()
  await cut()
  const typed = {
    name: 'Vera',
    email: 'vera@example.com',
    emailSubject: 'A question',
    message: 'Which firms?',
  }
  await until(async () => (await page('/')).status === 503)
  const { status, html } = await page('/contact', { ...typed, website: '' })
  expect(status).toBe(503)
  expect(html).toContain('We have lost the connection to our database. Please try again in a moment.')
  for (const text of Object.values(typed)) expect(html).toContain(text)
})
