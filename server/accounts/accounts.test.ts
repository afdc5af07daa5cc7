import { beforeAll, describe, expect, test } from 'vitest'
import * as call from '#shared/contract/accounts.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'

let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts()
})

const someone = (name = 'Stranger') => accounts.register(name)

describe('signing up', () => {
  test('[C-01, A-03, A-15] opens an account with tokens, a referral code and an unverified email', async () => {
    const { answer, email } = await someone('Ada')
    expect(answer.status).toBe(200)
    expect(answer.data.token.accessToken).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(answer.data.user).toMatchObject({
      name: 'Ada',
      email,
      type: 'investor',
      role: null,
      emailVerified: false,
      balance: 0,
      referrer: null,
    })
    expect(answer.data.user.referralCode).toMatch(/^[A-HJ-NP-Z2-9]{8}$/)
  })

  test('[A-03] takes no type, role, balance or verification from the request', async () => {
    const own = { type: 'admin', role: 'admin', balance: '1000', emailVerified: 'true' }
    const { answer } = await accounts.register('Mallory', own)
    const kept = { type: 'investor', role: null, balance: 0, emailVerified: false }
    expect(answer).toMatchObject({ status: 200, data: { user: kept } })
  })

  test('[A-06] a long password of two kinds of characters counts exactly as typed', async () => {
    const password = ` ${'qz jx vk wq '.repeat(16)}`
    const { answer, email } = await accounts.register('Lonnie', { password })
    expect(answer.status).toBe(200)
    const logIn = async (typed: string) =>
      (await accounts.call(call.login, null, { body: { email, password: typed } })).status
    expect(await logIn(password)).toBe(200)
    for (const other of [password.trim(), password.toUpperCase(), password.slice(0, 72)])
      expect(await logIn(other)).toBe(401)
  })

  test('[A-15] links the referrer by referral code, in any case', async () => {
    const referrer = (await someone('Rita')).answer.data.user
    const { answer } = await accounts.register('Rob', { referrer: referrer.referralCode.toLowerCase() })
    expect(answer.data.user.referrer).toBe('Rita')
  })

  test('[A-07] refuses a taken email, in any case, and an unknown referral code', async () => {
    const { email } = await someone()
    const taken = await accounts.register('Twin', { email: ` ${email.toUpperCase()} ` })
    expect(taken.answer).toMatchObject({
      status: 409,
      code: 'email_taken',
      fields: { email: expect.any(String) },
    })
    const unknown = await accounts.register('Lost', { referrer: 'NOBODY22' })
    expect(unknown.answer).toMatchObject({
      status: 400,
      message: 'Unknown referral code',
      fields: { referrer: 'Unknown referral code' },
    })
  })

  test('[A-07] one of twenty parallel sign-ups with one email succeeds', async () => {
    const email = accounts.newEmail()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => accounts.register(`Twin ${n}`, { email })),
    )
    expect(answers.filter(({ answer }) => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(({ answer }) => answer.code === 'email_taken')).toHaveLength(19)
  })

  test('[A-04, A-05, A-06] names each invalid field with its message', async () => {
    const short = await accounts.register('Shorty', { password: '12345' })
    expect(short.answer).toMatchObject({
      status: 400,
      message: 'Password must be at least six characters long',
    })
    const differing = await accounts.register('Differ', { confirmPassword: 'something else' })
    expect(differing.answer).toMatchObject({
      status: 400,
      message: 'Password must be the same as its confirmation',
    })
    const empty = await accounts.call(call.signup, null, { body: {} as never })
    expect(Object.keys(empty.fields ?? {}).sort()).toEqual(['country', 'email', 'name', 'password', 'phone'])
  })

  test('[A-03] the country is one of the list, and the number is written with its dialling code', async () => {
    const signUp = (phone: string, country: string) => accounts.register('Far Away', { phone, country })
    expect((await signUp('020 7946 0018', 'United Kingdom')).answer.data.user).toMatchObject({
      phone: '+44 20 7946 0018',
      country: 'United Kingdom',
    })
    expect((await signUp('020 7946 0018', 'Atlantis')).answer).toMatchObject({
      status: 400,
      fields: { country: 'Choose a country from the list' },
    })
    const words = 'Enter a valid phone number for France, or start with the dialling code, such as +44'
    expect((await signUp('12345', 'France')).answer).toMatchObject({ status: 400, fields: { phone: words } })
  })

  test('[A-05, A-07] reports all invalid fields at once and opens nothing', async () => {
    const { email } = await someone()
    const { answer } = await accounts.register('Many Errors', {
      email,
      password: 'Password1',
      confirmPassword: 'Password2',
      referrer: 'NOBODY22',
    })
    expect(answer).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(answer.fields).toEqual({
      email: 'An account with this email already exists. Log in, or use another email.',
      password: 'This password is too common. Choose another one.',
      confirmPassword: 'Password must be the same as its confirmation',
      referrer: 'Unknown referral code',
    })
  })

  test('[A-07, A-20] refuses a taken email before it estimates the password', async () => {
    const { email } = await someone()
    const { answer } = await accounts.register('Twice', { email, password: 'monkey2019' })
    expect(answer).toMatchObject({ status: 409, code: 'email_taken' })
  })

  test('refuses a password that contains the name or email, whenever one is set', async () => {
    const refused = (answer: { status: number; fields?: object }, field: string, what: string) => {
      expect(answer).toMatchObject({ status: 400, fields: { [field]: expect.stringContaining(what) } })
    }
    const own = accounts.newEmail()
    for (const password of [own, `x${own.toUpperCase()}`]) {
      refused((await accounts.register('Olga Own', { email: own, password })).answer, 'password', 'email')
    }
    refused(
      (await accounts.register('Olga Own', { password: 'olga.own-77' })).answer,
      'password',
      'your name',
    )

    const { email, password: oldPassword, answer } = await someone('Olga Own')
    const token = answer.data.token.accessToken
    const change = await accounts.call(
      call.changePassword,
      null,
      { body: { oldPassword, newPassword: 'OlgaOwn1' } },
      { token },
    )
    refused(change, 'newPassword', 'your name')

    await accounts.call(call.forgotPassword, null, { body: { email } })
    const link = await accounts.resetTokenOf(email)
    const reset = (password: string) =>
      accounts.call(call.resetPassword, null, { body: { token: link, password } })
    refused(await reset(`${email}!`), 'password', 'email')
    expect((await reset('battery staple')).status).toBe(200)
  })

  test('refuses a common password', async () => {
    const { answer } = await accounts.register('Lazy', { password: 'Password1' })
    expect(answer).toMatchObject({ status: 400, fields: { password: expect.stringContaining('too common') } })
  })
})

describe('verifying the email', () => {
  test('[C-03, A-11] the mailed code verifies it, by token or by email', async () => {
    for (const how of ['token', 'address'] as const) {
      const { answer, email } = await someone()
      const token = answer.data.token.accessToken
      const otp = await accounts.codeOf(email)
      const verified =
        how === 'token'
          ? await accounts.call(call.verifyEmail, null, { body: { otp } }, { token })
          : await accounts.call(call.verifyEmail, null, { body: { otp, email } })
      expect(verified.status).toBe(200)
      expect((await accounts.call(call.me, null, {}, { token })).data.emailVerified).toBe(true)
    }
  })

  test('[A-09] a missing or malformed code does not count as a try', async () => {
    const { email } = await someone()
    const empty = await accounts.call(call.verifyEmail, null, { body: { otp: '', email } })
    expect(empty).toMatchObject({ status: 400, message: 'Email verification code is required' })
    const notDigits = await accounts.call(call.verifyEmail, null, { body: { otp: '12345a', email } })
    expect(notDigits).toMatchObject({ status: 400, message: 'The code has six digits' })
  })

  test('[A-10] five wrong tries end a code, also in parallel', async () => {
    const { email } = await someone()
    const otp = await accounts.codeOf(email)
    const wrong = otp === '000000' ? '000001' : '000000'
    const tries = await Promise.all(
      Array.from({ length: 20 }, () =>
        accounts.call(call.verifyEmail, null, { body: { otp: wrong, email } }),
      ),
    )
    expect(tries.filter(({ code }) => code === 'invalid_code')).toHaveLength(5)
    expect(tries.filter(({ code }) => code === 'too_many_tries')).toHaveLength(15)
    expect(await accounts.call(call.verifyEmail, null, { body: { otp, email } })).toMatchObject({
      status: 429,
      message: 'This code was tried too often. Request a new one, or log in to enter it.',
    })
  })

  test('[A-10] a code expires after ten minutes', async () => {
    const { email } = await someone()
    const otp = await accounts.codeOf(email)
    accounts.clock.pass({ minutes: 11 })
    expect(await accounts.call(call.verifyEmail, null, { body: { otp, email } })).toMatchObject({
      status: 400,
      code: 'code_expired',
      message: 'This code has expired. Request a new one.',
    })
  })

  test('[C-04, A-10] a new code replaces the old one, at most once a minute', async () => {
    const { email } = await someone()
    const first = await accounts.codeOf(email)
    const soon = await accounts.call(call.requestVerification, null, { query: { email }, body: { email } })
    expect(soon).toMatchObject({ status: 429, code: 'rate_limited' })
    expect(Number(soon.headers['retry-after'])).toBeGreaterThan(0)
    accounts.clock.pass({ minutes: 2 })
    expect((await accounts.call(call.requestVerification, null, { query: { email }, body: {} })).status).toBe(
      200,
    )
    const second = await accounts.codeOf(email)
    if (first !== second) {
      const old = await accounts.call(call.verifyEmail, null, { body: { otp: first, email } })
      expect(old.code).toBe('invalid_code')
    }
    expect((await accounts.call(call.verifyEmail, null, { body: { otp: second, email } })).status).toBe(200)
  })

  test('[C-04] takes the email from the query, the body, or both alike', async () => {
    const { email } = await someone()
    const other = accounts.newEmail()
    const ask = (query: { email?: string }, body: { email?: string }) =>
      accounts.call(call.requestVerification, null, { query, body })
    expect(await ask({}, {})).toMatchObject({ status: 400, fields: { email: 'Email is required' } })
    const differ = { status: 400, fields: { email: 'The two email addresses differ' } }
    expect(await ask({ email }, { email: other })).toMatchObject(differ)
    const before = (await accounts.emailsTo(email)).length
    for (const [n, [query, body]] of [[{}, { email }] as const, [{ email }, { email }] as const].entries()) {
      accounts.clock.pass({ minutes: 2 })
      expect((await ask(query, body)).status).toBe(200)
      expect(await accounts.emailsTo(email)).toHaveLength(before + n + 1)
    }
  })

  test('[C-04] an unknown email gets the same answer and nothing is sent', async () => {
    const email = accounts.newEmail()
    const answer = await accounts.call(call.requestVerification, null, { query: { email }, body: {} })
    expect(answer.status).toBe(200)
    expect(await accounts.emailsTo(email)).toEqual([])
  })

  test('[A-10, D8] a request for a code does not reveal whether the account exists', async () => {
    const { email: verified } = await accounts.register('Vera')
    await accounts.verify(verified)
    const resend = (email: string) =>
      accounts.call(call.requestVerification, null, { query: { email }, body: {} })
    for (const email of [verified, 'nobody.at.all@probity.test']) {
      const before = (await accounts.emailsTo(email)).length
      expect((await resend(email)).status).toBe(200)
      const soon = await resend(email)
      expect(soon).toMatchObject({ status: 429, code: 'rate_limited' })
      expect(soon.message).toMatch(/^A code was just sent. You can request another in \d+ seconds.$/)
      expect((await accounts.emailsTo(email)).length).toBe(before)
    }
  })

  test('[A-10, D8] limits codes to six an hour per email, half of them to strangers', async () => {
    const { email: unverified, answer } = await accounts.register('Una')
    const { email: verified } = await accounts.register('Vito')
    await accounts.verify(verified)
    const resend = async (email: string, token?: string) => {
      accounts.clock.pass({ minutes: 2 })
      // The rate limiter uses the database's clock.
      await accounts.owner(`DELETE FROM app.rate_limits WHERE key LIKE 'resend:%'`)
      const input = { query: { email }, body: {} }
      return accounts.call(call.requestVerification, null, input, token ? { token } : {})
    }
    const tooMany = {
      status: 429,
      code: 'rate_limited',
      message: 'Too many codes were sent to this address. Please try again in 60 minutes.',
    }
    for (const email of [unverified, verified, 'nobody.there@probity.test']) {
      for (let codes = 0; codes < 3; codes++) expect((await resend(email)).status).toBe(200)
      const before = (await accounts.emailsTo(email)).length
      expect(await resend(email)).toMatchObject(tooMany)
      expect(await accounts.emailsTo(email)).toHaveLength(before)
    }
    const body = { refreshToken: answer.data.token.refreshToken }
    const { accessToken } = (await accounts.call(call.refresh, null, { body })).data.token
    for (let codes = 0; codes < 3; codes++) expect((await resend(unverified, accessToken)).status).toBe(200)
    expect(await resend(unverified, accessToken)).toMatchObject(tooMany)
    expect(await accounts.emailsTo(unverified)).toHaveLength(7)
  })

  test('[A-10] limits tries over all codes of an account', async () => {
    const { email, answer } = await someone()
    const ip = '192.0.2.78'
    const owner = { token: answer.data.token.accessToken }
    const tryCode = () => accounts.call(call.verifyEmail, null, { body: { otp: '000000', email } }, { ip })
    const answers: string[] = []
    for (let codes = 0; codes < 7; codes++) {
      for (let tries = 0; tries < 5; tries++) answers.push((await tryCode()).code ?? 'verified')
      accounts.clock.pass({ minutes: 2 })
      await accounts.call(call.requestVerification, null, { query: { email }, body: {} }, owner)
    }
    expect(answers.slice(0, 30)).not.toContain('too_many_tries')
    expect(answers.slice(30)).toEqual(answers.slice(30).map(() => 'too_many_tries'))
  })

  test('a code works once', async () => {
    const { email } = await someone()
    const otp = await accounts.codeOf(email)
    const both = await Promise.all(
      [1, 2].map(() => accounts.call(call.verifyEmail, null, { body: { otp, email } })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  test('stores the code nowhere but in the queued email', async () => {
    const { email, answer } = await someone()
    const otp = await accounts.codeOf(email)
    const { rows } = await accounts.owner(
      `SELECT encode(code_hash, 'escape') AS hash FROM app.email_codes WHERE user_id = '${answer.data.user._id}'`,
    )
    expect(rows[0].hash).not.toContain(otp)
  })
})

test('limits sign-ups per IP address, refused ones included', async () => {
  const attempt = (ip: string) => accounts.register('Crowd', { password: 'password1' }, ip)
  const signups = await Promise.all(Array.from({ length: 205 }, () => attempt('2001:db8::1')))
  expect(signups.filter(({ answer }) => answer.code === 'invalid_input')).toHaveLength(200)
  const refused = signups.filter(({ answer }) => answer.status === 429)
  expect(refused).toHaveLength(5)
  expect(refused[0]?.answer.message).toMatch(/^Too many requests\. Please try again in \d+ minutes\.$/)
  // An IPv6 customer has 2^64 addresses: they count as one.
  expect((await attempt('2001:db8::2:1')).answer.status).toBe(429)
  expect((await attempt('2001:db8:0:1::1')).answer.status).toBe(400)
})

describe('logging in', () => {
  test('[C-02] returns tokens, the user, and their lists with sums', async () => {
    const { email, password } = await someone('Linus')
    const answer = await accounts.call(call.login, null, { body: { email: email.toUpperCase(), password } })
    expect(answer).toMatchObject({
      status: 200,
      message: 'Login successfull',
      data: {
        user: { name: 'Linus', email },
        investments: { total: 0, list: [] },
        withdrawals: { total: 0, list: [] },
        earnings: { total: 0, list: [] },
      },
    })
  })

  test('[C-02] a wrong password and an unknown email get the same answer', async () => {
    const { email } = await someone()
    const wrong = await accounts.call(call.login, null, { body: { email, password: 'not this one' } })
    const unknown = await accounts.call(call.login, null, {
      body: { email: accounts.newEmail(), password: 'not this one' },
    })
    expect(wrong).toMatchObject({ status: 401, code: 'invalid_credentials' })
    expect({ ...unknown, headers: null }).toEqual({ ...wrong, headers: null })
  })

  test('successful logins do not count against the limits', async () => {
    const { email, password } = await someone()
    const ip = '192.0.2.77'
    for (let n = 0; n < 12; n++) {
      const { status } = await accounts.call(call.login, null, { body: { email, password } }, { ip })
      expect(status).toBe(200)
    }
    const { rows } = await accounts.owner(`SELECT points FROM app.rate_limits WHERE key = 'auth.login:${ip}'`)
    expect(rows).toEqual([{ points: 0 }])
  })

  test('[N-12] audits a failed login without an actor and without the email', async () => {
    const { email, answer } = await someone()
    const other = await someone()
    const { token } = other.answer.data
    for (const tried of [email, 'nobody.at.all@example.com']) {
      const body = { email: tried, password: 'not this one' }
      await accounts.call(call.login, null, { body }, { token: token.accessToken })
    }
    const { rows } = await accounts.owner(
      `SELECT actor_id, subject_id, details FROM app.audit_log WHERE action = 'login.failed' ORDER BY id DESC LIMIT 2`,
    )
    expect(rows).toEqual([
      { actor_id: null, subject_id: null, details: { addressHash: expect.stringMatching(/^[\w-]{43}$/) } },
      { actor_id: null, subject_id: answer.data.user._id, details: {} },
    ])
  })
})
