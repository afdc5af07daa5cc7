import { beforeAll, describe, expect, test } from 'vitest'
import * as call from '#shared/contract/accounts.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { secondFactors, tokenOf } from '#test/support/second-factors.ts'

let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts()
})

const device = 'the-browser-at-home'
const home = '203.0.113.7'

/** An investor who registered at home, and how anyone logs in as them. */
async function someone() {
  const { email, password, answer } = await accounts.register('Olive', { device }, home)
  const logIn = (ip: string, typed = password, from?: string) =>
    accounts.call(
      call.login,
      null,
      { body: { email, password: typed, ...(from && { device: from }) } },
      { ip },
    )
  return { email, password, token: answer.data.token.accessToken, logIn }
}

const wrong = 'not this one'

/** Ten wrong passwords each from this many networks. */
async function attack(logIn: (ip: string, typed: string) => Promise<unknown>, networks: number) {
  for (let network = 0; network < networks; network++) {
    for (let n = 0; n < 10; n++) await logIn(`198.18.${network}.${n}`, wrong)
  }
}

/** Uses up what networks where the owner never logged in have together. */
const exhaustElsewhere = (points = 100) =>
  accounts.owner(`UPDATE app.rate_limits SET points = ${points} WHERE key LIKE 'login:%:longer:elsewhere'`)

describe('tries at a password', () => {
  test('[A-19] after ten failures in a network even the right password must wait there', async () => {
    const { logIn } = await someone()
    await attack(logIn, 1)
    const refused = await logIn('198.18.0.200')
    expect(refused).toMatchObject({ status: 429, code: 'too_many_tries' })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await logIn('198.18.1.1')).status).toBe(200)
  })

  test('[A-19] an IPv6 customer has one network, and so has an IPv4 address shown as IPv6', async () => {
    const { logIn } = await someone()
    for (let n = 0; n < 10; n++) await logIn(`2001:db8:0:aa${n}0::1`, wrong)
    expect((await logIn('2001:db8:0:aaff::1')).code).toBe('too_many_tries')
    expect((await logIn('2001:db8:0:ab00::1')).status).toBe(200)
    for (let n = 0; n < 10; n++) await logIn(`::ffff:192.0.2.${n}`, wrong)
    expect((await logIn('192.0.2.99')).code).toBe('too_many_tries')
  })

  test('[A-19] strangers everywhere lock neither the known device nor the known network', async () => {
    const { logIn } = await someone()
    await attack(logIn, 1)
    await exhaustElsewhere()
    expect((await logIn('198.51.100.1')).code).toBe('too_many_tries')
    expect((await logIn('203.0.113.200')).status).toBe(200)
    expect((await logIn('192.0.2.1', undefined, device)).status).toBe(200)
    expect((await logIn('198.51.100.1')).code).toBe('too_many_tries')
  })

  test('[A-19] a stranger in the same network does not lock the known device', async () => {
    const { logIn } = await someone()
    for (let n = 0; n < 10; n++) await logIn(`203.0.113.${n}`, wrong, `somebody-elses-${n}`)
    expect((await logIn(home)).code).toBe('too_many_tries')
    expect((await logIn(home, undefined, device)).status).toBe(200)
  })

  test('[A-19] a known device has ten tries of its own', async () => {
    const { logIn } = await someone()
    for (let n = 0; n < 10; n++) expect((await logIn(`198.18.${n}.1`, wrong, device)).status).toBe(401)
    expect((await logIn(home, undefined, device)).code).toBe('too_many_tries')
  })

  test('[A-19] a hundred failures an hour in networks new to the account are the most', async () => {
    const { logIn } = await someone()
    await attack(logIn, 1)
    await exhaustElsewhere(99)
    expect((await logIn('198.18.98.1', wrong)).code).toBe('invalid_credentials')
    expect((await logIn('198.18.99.1')).code).toBe('too_many_tries')
  })

  test('[A-19] a login from elsewhere does not clear what strangers have used up', async () => {
    const { logIn } = await someone()
    await attack(logIn, 1)
    expect((await logIn('198.51.100.1')).status).toBe(200)
    const { rows } = await accounts.owner(
      `SELECT points FROM app.rate_limits WHERE key LIKE 'login:%:longer:elsewhere' ORDER BY expire DESC LIMIT 1`,
    )
    expect(rows).toEqual([{ points: 10 }])
  })

  test('[A-13, A-19] a reset clears the count, and makes its network known', async () => {
    const { email, logIn } = await someone()
    const away = '198.51.100.1'
    for (let n = 0; n < 10; n++) await logIn(away, wrong)
    await exhaustElsewhere()
    expect((await logIn(away)).code).toBe('too_many_tries')
    await accounts.call(call.forgotPassword, null, { body: { email } }, { ip: away })
    const body = { token: await accounts.resetTokenOf(email), password: 'battery staple' }
    expect((await accounts.call(call.resetPassword, null, { body }, { ip: away })).status).toBe(200)
    await attack(logIn, 1)
    await exhaustElsewhere()
    expect((await logIn(away, 'battery staple')).status).toBe(200)
  })

  test('[A-19, D8] an unknown email is locked like a known one', async () => {
    const logIn = (ip: string) =>
      accounts.call(
        call.login,
        null,
        { body: { email: 'nobody.here@probity.test', password: wrong } },
        { ip },
      )
    for (let n = 0; n < 10; n++) expect((await logIn('198.18.0.1')).code).toBe('invalid_credentials')
    expect((await logIn('198.18.0.2')).code).toBe('too_many_tries')
  })

  test('[A-17, A-19] a stolen session does not use up the tries of another one', async () => {
    const { password, token, logIn } = await someone()
    const { data } = await logIn(home, password, device)
    const reauthenticate = (token: string, typed: string) =>
      accounts.call(call.reauthenticate, null, { body: { password: typed } }, { token })
    for (let n = 0; n < 10; n++) await reauthenticate(token, wrong)
    expect((await reauthenticate(token, password)).code).toBe('too_many_tries')
    expect((await reauthenticate(data.token.accessToken, password)).status).toBe(200)
  })
})

describe("tries at an unverified owner's code", () => {
  test("[A-10, A-19] strangers' tries do not use up those of the account's sessions", async () => {
    const { email, token } = await someone()
    const otp = await accounts.codeOf(email)
    const guess = otp === '000000' ? '000001' : '000000'
    const enter = (otp: string, from: { ip?: string; token?: string }) =>
      accounts.call(call.verifyEmail, null, { body: { otp, email } }, from)
    for (let n = 0; n < 5; n++)
      expect((await enter(guess, { ip: `198.18.${n}.1` })).code).toBe('invalid_code')
    // All strangers together have five tries at one code.
    expect((await enter(otp, { ip: '198.18.77.1' })).code).toBe('too_many_tries')
    for (let n = 0; n < 4; n++) expect((await enter(guess, { token })).code).toBe('invalid_code')
    expect((await enter(otp, { token })).status).toBe(200)
  })
})

describe('tries at a second factor', () => {
  const { code, guarded, logIn, beginOf, confirmBy, accounts: factorAccounts } = secondFactors()

  test('[F-03] someone with the password does not lock the network where the owner used it', async () => {
    const person = await guarded()
    expect((await logIn(person, code(person.secret), home)).status).toBe(200)
    factorAccounts().clock.pass({ minutes: 1 })
    for (let network = 0; network < 5; network++) {
      for (let n = 0; n < 10; n++) {
        const typed = code(person.secret, 10 + n)
        expect((await logIn(person, typed, `198.18.${network}.1`)).code).toBe('invalid_code')
      }
    }
    // Fifty wrong codes a day from elsewhere are the most.
    expect((await logIn(person, code(person.secret), '198.18.77.1')).code).toBe('too_many_tries')
    expect((await logIn(person, code(person.secret), '203.0.113.9')).status).toBe(200)
  })

  test('[A-13, F-03] once a day, a reset ends what guessers elsewhere have used up', async () => {
    const { call: ask, owner, resetTokenOf } = factorAccounts()
    const person = await guarded()
    const away = '198.51.100.1'
    const exhaust = async () => {
      await logIn(person, code(person.secret, 9), '198.18.0.1')
      const { rows } = await owner(`UPDATE app.rate_limits SET points = 50
        WHERE key = 'factor:${person.answer.data.user._id}:longer:elsewhere' RETURNING key`)
      expect(rows).toHaveLength(1)
    }
    const reset = async (password: string) => {
      await ask(call.forgotPassword, null, { body: { email: person.email } })
      const body = { token: await resetTokenOf(person.email), password }
      expect((await ask(call.resetPassword, null, { body })).status).toBe(200)
      person.password = password
    }
    await exhaust()
    expect((await logIn(person, code(person.secret), away)).code).toBe('too_many_tries')
    await reset('battery staple')
    expect((await logIn(person, code(person.secret), away)).status).toBe(200)
    factorAccounts().clock.pass({ minutes: 1 })
    await exhaust()
    await reset('staple battery')
    expect((await logIn(person, code(person.secret), '198.51.101.1')).code).toBe('too_many_tries')
  })

  test('[F-03] a session opened with the password alone makes no network known', async () => {
    const { owner, registerVerified } = factorAccounts()
    const person = await registerVerified('Thea')
    const thief = '198.18.5.1'
    expect((await logIn(person, undefined, thief)).status).toBe(200)
    const { secret } = await beginOf(person)
    await confirmBy(tokenOf(person), code(secret))
    factorAccounts().clock.pass({ minutes: 1 })
    expect((await logIn(person, code(secret, 9), thief)).code).toBe('invalid_code')
    const { rows } = await owner(`UPDATE app.rate_limits SET points = 50
      WHERE key = 'factor:${person.answer.data.user._id}:longer:elsewhere' RETURNING key`)
    expect(rows).toHaveLength(1)
    expect((await logIn(person, code(secret), thief)).code).toBe('too_many_tries')
  })
})
