import { expect, test } from 'vitest'
import type { Config } from '#server/config.ts'
import { loadFirm, sampleFirm } from '#server/demo/firm.ts'
import { createLogger } from '#server/platform/logger.ts'
import * as accounts from '#shared/contract/accounts.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { newContactMessage } from '#shared/contract/site.ts'
import { httpCaller } from '#test/support/app.ts'
import { openWorld } from '#test/support/world.ts'
import { createApp } from './app.ts'

/** The product with its log in memory. */
async function logged(changes: Partial<Config> = {}) {
  const lines: string[] = []
  const world = await openWorld(changes)
  const log = createLogger('debug', { write: line => void lines.push(line) })
  const services = { ...world.services, log }
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  const app = await createApp(services)
  return { ...world, lines, app, call: httpCaller(app, services) }
}

const forbidden = (lines: readonly string[]) =>
  lines
    .map(text => JSON.parse(text) as { msg: string; level: number })
    .filter(({ msg }) => msg === 'forbidden')

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
  expect(log).toMatch(/"route":"\/api\/demo\/mailbox","status":200.*"givenRequestId":"seen-by-proxy"/)
  expect(log).not.toContain('"reqId":"seen-by-proxy"')
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

test("a visitor's request id is logged beside ours, short and plain", async () => {
  const { app, lines } = await logged()
  const given = `"},\u00e9${'x'.repeat(500)}`
  const { headers } = await app.inject({ url: '/api/health', headers: { 'x-request-id': given } })
  await app.close()
  const line = JSON.parse(lines.find(text => text.includes('/api/health'))!)
  expect(line).toMatchObject({ reqId: headers['x-request-id'], givenRequestId: `____${'x'.repeat(60)}` })
})

test('[W-01] a refused permission leaves a line that says who, what and which request', async () => {
  const { app, call, lines, person } = await logged()
  const [investor, auditor] = [await person('Ines Investor'), await person('Olaf Auditor', 'auditor')]
  const body = { amount: 1, source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-1' }
  const answers = [
    await call(newReturn, investor.caller, { body }),
    await call(newReturn, auditor.caller, { body }),
  ]
  await call(newReturn, null, { body })
  await app.close()
  const line = ({ id }: { id: string }, role: string, n: number) => ({
    level: 40,
    reqId: answers[n]!.headers['x-request-id'],
    userId: id,
    role,
    call: 'return.new',
    code: 'forbidden',
  })
  expect(forbidden(lines)).toMatchObject([line(investor, 'investor', 0), line(auditor, 'auditor', 1)])
})

test('[F-08, W-01] the line names staff without a second factor, and former staff', async () => {
  const { app, call, lines, owner } = await logged({ mode: 'live', firm: sampleFirm })
  const login = { email: person.email, password: 'a very private sentence' }
  const { data } = await call(accounts.signup, null, { body: { ...person, ...login } })
  const userId = data.user._id
  await owner(`UPDATE app.users SET type = 'admin', role = 'finance' WHERE id = '${userId}'`)
  const { accessToken: token } = (await call(accounts.login, null, { body: login })).data.token
  await call(accounts.listUsers, null, {}, { token })
  await owner(`UPDATE app.users SET access_ended_at = now() WHERE id = '${userId}'`)
  await call(accounts.login, null, { body: login })
  await app.close()
  const refused = forbidden(lines)
  expect(refused).toMatchObject([
    { userId, role: 'finance', call: 'auth.listUsers', code: 'second_factor_setup_required' },
    { userId, call: 'auth.login', code: 'forbidden' },
  ])
  expect(refused[1]).not.toHaveProperty('role')
})

test("a request's line says who sent it, and with which code it was refused", async () => {
  const { app, call, lines, person } = await logged()
  const { caller } = await person('Ines Investor')
  await call(accounts.echo, caller, { query: { email: 'someone@example.com' } })
  await call(accounts.login, null, { body: { email: 'someone@example.com', password: 'a wrong guess' } })
  await app.inject({ url: '/api/auth/me', headers: { authorization: 'Bearer forged' } })
  await app.close()
  const sent = lines
    .map(text => JSON.parse(text) as { msg: string; time: string })
    .filter(({ msg }) => msg === 'request')
  expect(sent).toMatchObject([
    { userId: caller.userId, sessionId: caller.sessionId, status: 403, code: 'forbidden' },
    { status: 401, code: 'invalid_credentials' },
    { status: 401, code: 'token_invalid' },
  ])
  for (const { time } of sent) expect(time).toMatch(/Z$/)
})
