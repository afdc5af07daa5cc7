import { expect, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { createLogger } from '#server/platform/logger.ts'
import * as accounts from '#shared/contract/accounts.ts'
import { newContactMessage } from '#shared/contract/site.ts'
import { httpCaller } from '#test/support/app.ts'
import { openWorld } from '#test/support/world.ts'
import { createApp } from './app.ts'

/** The product with its log in memory. */
async function logged() {
  const lines: string[] = []
  const world = await openWorld()
  const log = createLogger('debug', { write: line => void lines.push(line) })
  const services = { ...world.services, log }
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  const app = await createApp(services)
  return { ...world, lines, app, call: httpCaller(app, services) }
}

const person = {
  name: 'Wilhelmina Secretive',
  email: 'wilhelmina@example.com',
  phone: '+61 412 345 678',
  country: 'Liechtenstein',
}

test('log lines have request id, route and status, and nothing secret or personal', async () => {
  const { app, call, lines, owner } = await logged()
  const password = 'a very private sentence'
  const { data } = await call(accounts.signup, null, { body: { ...person, password } })
  await call(accounts.login, null, { body: { email: person.email, password: 'not that sentence' } })
  await call(accounts.verifyEmail, null, { body: { otp: '424242', email: person.email } })
  await call(accounts.echo, null, { query: { email: person.email } }, { token: data.token.accessToken })
  await call(accounts.refresh, null, { body: { refreshToken: data.token.refreshToken } })
  await call(newContactMessage, null, {
    body: { name: person.name, email: person.email, subject: 'Confidential', message: 'Very confidential' },
  })
  await app.inject({
    url: `/api/demo/mailbox?to=${person.email}`,
    headers: { 'x-request-id': 'seen-by-proxy' },
  })
  // An unexpected error that contains data.
  await owner('ALTER TABLE app.users RENAME TO users_gone')
  const failed = await call(accounts.login, null, { body: { email: person.email, password } })
  await owner('ALTER TABLE app.users_gone RENAME TO users')
  await app.close()

  expect(failed.status).toBe(500)
  const log = lines.join('')
  expect(log).toContain(`"${failed.headers['x-request-id']}"`)
  expect(log).toMatch(/"reqId":"seen-by-proxy".*"route":"\/api\/demo\/mailbox","status":200/)
  expect(log).toMatch(/"level":50.*"msg":"unexpected error"/)
  const secrets = [
    ...Object.values(person),
    password,
    'not that sentence',
    '424242',
    data.token.accessToken,
    data.token.refreshToken,
    data.user.referralCode,
    'onfidential',
    '127.0.0.1',
  ]
  for (const secret of secrets) {
    expect(log).not.toContain(secret)
    expect(log).not.toContain(encodeURIComponent(secret))
  }
})
