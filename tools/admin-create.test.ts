import { join } from 'node:path'
import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { systemClock } from '#server/platform/clock.ts'
import { listUsers, login } from '#shared/contract/accounts.ts'
import { acceptInvitation } from '#shared/contract/staff.ts'
import { httpCaller, testApp } from '#test/support/app.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { liveSettings } from '#test/support/live-product.ts'
import { watch } from '#test/support/processes.ts'

const ROOT = join(import.meta.dirname, '..')
const email = 'ada@example.com'
const password = 'correct horse battery'

let database: TestDatabase
let environment: NodeJS.ProcessEnv
let call: ReturnType<typeof httpCaller>
beforeEach(async () => {
  database = await testDatabase()
  environment = {
    ...liveSettings,
    PUBLIC_URL: 'https://invest.example.com',
    DATABASE_URL: database.appUrl,
  }
  const config = loadConfig(environment)
  const services: Services = {
    config,
    pool: database.app,
    db: database.db,
    clock: systemClock,
    log: pino({ level: 'error' }),
  }
  call = httpCaller(await testApp(services), services)
})

/** Runs the command as an operator does, on a live installation. */
async function create(args: string[], input?: string) {
  const script = [join(ROOT, 'tools/run.mjs'), '--as-is', 'tools/admin-create.ts', ...args]
  const running = watch(process.execPath, script, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  running.child.stdin?.end(input)
  return { code: await running.ended(), output: running.output() }
}

const who = ['--name', 'Ada Admin', '--email', email]
const tokenIn = (output: string) =>
  /https:\/\/invest\.example\.com\/invitation#token=([\w-]+)\n/.exec(output)![1]!
const accept = (token: string) => call(acceptInvitation, null, { body: { token, password } })
const logIn = () => call(login, null, { body: { email, password } })

async function expectNoAdminYet() {
  const { data } = await logIn()
  expect(data.user).toMatchObject({ type: 'admin', role: 'admin', emailVerified: true })
  const { accessToken: token } = data.token
  expect(await call(listUsers, null, { query: {} }, { token })).toMatchObject({
    status: 403,
    code: 'second_factor_setup_required',
  })
}

test('[W-07, D2] the first live admin sets a password by the printed link, then sets up 2FA', async () => {
  const first = await create(who)
  expect(first.code, first.output).toBe(0)
  const again = await create(who)
  expect((await accept(tokenIn(first.output))).code).toBe('invalid_reset_token')
  expect((await accept(tokenIn(again.output))).status).toBe(200)
  await expectNoAdminYet()
}, 120_000)

test('[W-07, D2] the password may come from standard input; a second first admin is refused', async () => {
  const made = await create([...who, '--password-stdin'], `${password}\n`)
  expect(made, made.output).toMatchObject({ code: 0 })
  expect(made.output).not.toContain(password)
  await expectNoAdminYet()
  const refused = await create(['--name', 'Eve', '--email', 'eve@example.com'])
  expect(refused.code).toBe(1)
  expect(refused.output).toContain(
    'An admin already exists. Admins invite others in the console, under Staff.',
  )
  const { rows } = await database.owner.query("SELECT email FROM app.users WHERE type = 'admin'")
  expect(rows).toEqual([{ email }])
}, 120_000)

test('[W-07] missing or invalid input is reported, and nothing is created', async () => {
  for (const [args, input, words] of [
    [[], undefined, /A name and an email are needed/],
    [['--name', 'Ada', '--email', 'ada'], undefined, /Enter a valid email address/],
    [[...who, '--password-stdin'], 'short', /Staff need a password of at least 12 characters/],
    [[...who, '--password', password], undefined, /Unknown option '--password'/],
  ] as const) {
    const { code, output } = await create([...args], input)
    expect(code).toBe(1)
    expect(output).toMatch(words)
    expect(output).not.toMatch(/^\s+at /m)
  }
  const { rows } = await database.owner.query('SELECT count(*)::int AS made FROM app.staff_invitations')
  expect(rows).toEqual([{ made: 0 }])
}, 120_000)
