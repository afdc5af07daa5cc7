import { beforeAll, expect, test } from 'vitest'
import * as account from '#shared/contract/accounts.ts'
import { newDeposit, quoteDeposit } from '#shared/contract/deposits.ts'
import * as call from '#shared/contract/second-factor.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { httpCaller, testApp } from '#test/support/app.ts'
import { appCode } from '#test/support/totp.ts'
import { resealAll } from './reseal.ts'

/** TOKEN_SECRET is replaced while people are logged in (docs/operate.md). */
let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts()
})

/** The same installation under other secrets. */
async function under(tokenSecret: string, ...formerSecrets: string[]) {
  const { services } = accounts
  const changed = { ...services, config: { ...services.config, tokenSecret, formerSecrets } }
  return { services: changed, call: httpCaller(await testApp(changed), changed) }
}
type Installation = Awaited<ReturnType<typeof under>>

const next = 'n'.repeat(40)

/** A person with a second factor under the first secret, and the tokens and codes they then hold. */
async function guarded(name: string) {
  const person = await accounts.registerVerified(name)
  const token = person.answer.data.token.accessToken
  const { data } = await accounts.call(call.beginSecondFactor, null, {}, { token })
  const body = { code: appCode(data.secret, accounts.clock.now()) }
  const { data: on } = await accounts.call(call.confirmSecondFactor, null, { body }, { token })
  accounts.clock.pass({ minutes: 1 })
  return { ...person, token, secret: data.secret, recoveryCodes: on.recoveryCodes }
}
type Guarded = Awaited<ReturnType<typeof guarded>>

async function logIn(at: Installation, { email, password }: Guarded, code: string) {
  accounts.clock.pass({ minutes: 1 })
  return (await at.call(account.login, null, { body: { email, password, code } })).status
}
const appCodeOf = ({ secret }: Guarded) => {
  // The time of the login.
  return appCode(secret, new Date(accounts.clock.now().getTime() + 60_000))
}

test('[V-07] sessions, quotes, codes and factors of the old secret keep working', async () => {
  const before = accounts.services.config.tokenSecret
  const person = await guarded('Rita')
  const { token } = person
  const asked = { method: 'usdt', amount: 250 } as const
  const query = { ...asked, amount: '250' }
  const { data: quote } = await accounts.call(quoteDeposit, null, { query }, { token })
  const newcomer = await accounts.register('Nora')
  const otp = await accounts.codeOf(newcomer.email)

  const after = await under(next, before)
  expect((await after.call(account.me, null, {}, { token })).status).toBe(200)
  const body = { ...asked, quote: quote.quote }
  expect((await after.call(newDeposit, null, { body }, { token })).status).toBe(200)
  const verified = await after.call(account.verifyEmail, null, { body: { otp, email: newcomer.email } })
  expect(verified.status).toBe(200)
  expect(await logIn(after, person, appCodeOf(person))).toBe(200)
  expect(await logIn(after, person, person.recoveryCodes[0]!)).toBe(200)
})

test('[V-07] a refresh token reused from under the old secret still ends its session', async () => {
  const before = accounts.services.config.tokenSecret
  const { answer } = await accounts.register('Rolf')
  const { refreshToken } = answer.data.token
  const after = await under(next, before)
  const renew = (refreshToken: string) => after.call(account.refresh, null, { body: { refreshToken } })
  const { data } = await renew(refreshToken)
  expect((await renew(refreshToken)).status).toBe(401)
  expect((await renew(data.token.refreshToken)).status).toBe(401)
})

test('[V-07] resealed factors and unused recovery codes no longer need the old secret', async () => {
  const before = accounts.services.config.tokenSecret
  const person = await guarded('Rosa')
  const [used, unused] = person.recoveryCodes as [string, string]
  const both = await under(next, before)
  expect(await logIn(both, person, used)).toBe(200)

  const alone = await under(next)
  await expect(resealAll(alone.services)).rejects.toThrow('TOKEN_SECRETS_BEFORE')
  expect(await resealAll(both.services)).toBeGreaterThanOrEqual(10)
  expect(await resealAll(both.services)).toBe(0)

  expect(await logIn(alone, person, appCodeOf(person))).toBe(200)
  expect(await logIn(alone, person, unused)).toBe(200)
  expect(await logIn(alone, person, unused)).toBe(400)
  expect(await logIn(alone, person, used)).toBe(400)
})

test('[V-07] without the old secret, what it alone sealed is worthless', async () => {
  const person = await guarded('Rut')
  const stranger = await under('z'.repeat(40))
  expect((await stranger.call(account.me, null, {}, { token: person.token })).code).toBe('token_invalid')
  expect(await logIn(stranger, person, person.recoveryCodes[0]!)).toBe(400)
})
