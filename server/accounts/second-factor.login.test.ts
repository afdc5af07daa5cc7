import { describe, expect, test } from 'vitest'
import * as account from '#shared/contract/accounts.ts'
import { secondFactors, tokenOf } from '#test/support/second-factors.ts'

const { accounts, code, beginOf, confirmBy, guarded, logIn, actionsOn } = secondFactors()

describe('logging in', () => {
  test('[F-03, C-02] asks for the code only after the right password, before any session', async () => {
    const person = await guarded()
    const asked = await logIn(person)
    expect(asked).toMatchObject({ status: 401, code: 'second_factor_required' })
    expect(asked.data).toBeUndefined()
    const stranger = await logIn({ ...person, password: 'not the password' })
    expect(stranger).toMatchObject({ status: 401, code: 'invalid_credentials' })
    const withCode = await logIn({ ...person, password: 'not the password' }, code(person.secret))
    expect(withCode.code).toBe('invalid_credentials')
    const { rows } = await accounts().owner(
      `SELECT count(*) AS open FROM app.sessions WHERE revoked_at IS NULL AND user_id = '${person.answer.data.user._id}'`,
    )
    expect(Number(rows[0].open)).toBe(1)
    const answer = await logIn(person, code(person.secret))
    expect(answer.status).toBe(200)
    expect(answer.data.token.accessToken).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  test('[F-03] a code counts once, also in parallel', async () => {
    const person = await guarded()
    const typed = code(person.secret)
    const answers = await Promise.all(Array.from({ length: 5 }, () => logIn(person, typed)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400])
    expect((await logIn(person, typed)).code).toBe('invalid_code')
    expect((await logIn(person, code(person.secret, -1))).code).toBe('invalid_code')
    expect((await logIn(person, code(person.secret, 1))).status).toBe(200)
  })

  test('[F-03] counts wrong codes per account and network, and audits them', async () => {
    const person = await guarded()
    for (let n = 0; n < 10; n++) {
      expect((await logIn(person, code(person.secret, 10 + n), `10.9.0.${n}`)).code).toBe('invalid_code')
    }
    const right = await logIn(person, code(person.secret), '10.9.0.99')
    expect(right).toMatchObject({ status: 429, code: 'too_many_tries' })
    expect(right.headers['retry-after']).toBeDefined()
    expect((await actionsOn(person)).filter(action => action === 'second_factor.failed')).toHaveLength(10)
  })

  test('[F-03] an account without a second factor needs no code; a sent one is ignored', async () => {
    const person = await accounts().registerVerified('Plain')
    expect((await logIn(person)).status).toBe(200)
    expect((await logIn(person, '123456')).status).toBe(200)
  })
})

describe('a login under way', () => {
  test('[F-11] opens no session once the password has changed', async () => {
    const person = await accounts().registerVerified('Swift')
    const id = person.answer.data.user._id
    const change = "UPDATE app.users SET password_hash = 'another' WHERE id = $1"
    const answer = await accounts().meanwhile(id, change, () => logIn(person))
    expect(answer).toMatchObject({ status: 401, code: 'invalid_credentials' })
  })

  test('[F-11] opens no session once a second factor is on', async () => {
    const person = await accounts().registerVerified('Sudden')
    await beginOf(person)
    const change = 'UPDATE app.second_factors SET confirmed_at = now(), last_used_step = 0 WHERE user_id = $1'
    const answer = await accounts().meanwhile(person.answer.data.user._id, change, () => logIn(person))
    expect(answer).toMatchObject({ status: 401, code: 'second_factor_required' })
  })

  test.each([
    ['off', 'DELETE FROM app.second_factors WHERE user_id = $1'],
    [
      'to another app',
      `UPDATE app.second_factors SET confirmed_at = confirmed_at + '1 s' WHERE user_id = $1`,
    ],
  ])('[F-11] opens no session once its second factor is switched %s', async (_how, change) => {
    const person = await guarded()
    const typed = code(person.secret)
    const id = person.answer.data.user._id
    const answer = await accounts().meanwhile(id, change, () => logIn(person, typed))
    expect(answer).toMatchObject({ status: 400, code: 'invalid_code' })
  })

  test('[F-11] ends with the other sessions when a second factor is switched on', async () => {
    const person = await accounts().registerVerified('Soon')
    const { secret } = await beginOf(person)
    const other = await logIn(person)
    // The lock holds back the login's session until the row is free.
    await accounts().call(account.logout, null, {}, { token: other.data.token.accessToken })
    const change = 'UPDATE app.sessions SET revoked_at = NULL WHERE user_id = $1'
    const id = person.answer.data.user._id
    await accounts().meanwhile(id, change, () => confirmBy(tokenOf(person), code(secret)))
    const body = { refreshToken: other.data.token.refreshToken }
    expect((await accounts().call(account.refresh, null, { body })).status).toBe(401)
  })
})

describe('no bypass', () => {
  test('[F-04] a new sign-up with the email opens nothing', async () => {
    const person = await guarded()
    const { answer } = await accounts().register('Impostor', { email: person.email })
    expect(answer).toMatchObject({ status: 409, code: 'email_taken' })
    expect(answer.data).toBeUndefined()
  })

  test('[F-04] a password reset logs nobody in, and login still asks for the code', async () => {
    const person = await guarded()
    await accounts().call(account.forgotPassword, null, { body: { email: person.email } })
    const token = await accounts().resetTokenOf(person.email)
    const reset = await accounts().call(account.resetPassword, null, {
      body: { token, password: 'a new horse' },
    })
    expect(reset).toMatchObject({ status: 200, data: {} })
    const renewed = { ...person, password: 'a new horse' }
    expect((await logIn(renewed)).code).toBe('second_factor_required')
    const { refreshToken } = person.answer.data.token
    expect((await accounts().call(account.refresh, null, { body: { refreshToken } })).status).toBe(401)
    expect((await logIn(renewed, code(person.secret))).status).toBe(200)
  })

  test('[F-04] verifying the email gives no session, and login still asks for the code', async () => {
    const person = await guarded()
    await accounts().owner(`UPDATE app.users SET email_verified_at = NULL WHERE email = '${person.email}'`)
    await accounts().call(account.requestVerification, null, { query: { email: person.email }, body: {} })
    const verified = await accounts().verify(person.email)
    expect(verified).toMatchObject({ status: 200, data: {} })
    expect((await logIn(person)).code).toBe('second_factor_required')
  })

  test('[F-04] changing the profile or password leaves it on', async () => {
    const person = await guarded()
    const { token } = person
    const profile = { name: 'Other', email: person.email, phone: '+61 2 1234 5678', country: 'Chile' }
    await accounts().call(account.updateProfile, null, { body: profile }, { token })
    const passwords = { oldPassword: person.password, newPassword: 'a new horse' }
    await accounts().call(account.changePassword, null, { body: passwords }, { token })
    expect((await logIn({ ...person, password: 'a new horse' })).code).toBe('second_factor_required')
  })

  test('[F-04] changing the email leaves it on, and its code gives no session', async () => {
    const { token, ...person } = await guarded()
    const email = accounts().newEmail()
    const profile = { name: 'Mover', email, phone: '+61 2 1234 5678', country: 'Chile' }
    await accounts().call(account.updateProfile, null, { body: profile }, { token })
    const otp = await accounts().codeOf(email)
    const verified = await accounts().call(account.verifyEmail, null, { body: { otp } }, { token })
    expect(verified).toMatchObject({ status: 200, data: {} })
    expect((await logIn({ ...person, email })).code).toBe('second_factor_required')
  })

  test('[F-04] a session opened with it continues by its refresh token', async () => {
    const person = await guarded()
    const { data } = await logIn(person, code(person.secret))
    const body = { refreshToken: data.token.refreshToken }
    expect((await accounts().call(account.refresh, null, { body })).status).toBe(200)
  })

  test('[F-04] reauthentication asks for it too', async () => {
    const person = await guarded()
    const reauthenticate = (typed?: string) =>
      accounts().call(
        account.reauthenticate,
        null,
        { body: { password: person.password, ...(typed ? { code: typed } : {}) } },
        { token: person.token },
      )
    expect((await reauthenticate()).code).toBe('second_factor_required')
    expect((await reauthenticate(code(person.secret, 7))).code).toBe('invalid_code')
    expect((await reauthenticate(code(person.secret))).status).toBe(200)
  })
})
