import { base32nopad } from '@scure/base'
import { describe, expect, test } from 'vitest'
import * as account from '#shared/contract/accounts.ts'
import * as call from '#shared/contract/second-factor.ts'
import { secondFactors, tokenOf } from '#test/support/second-factors.ts'

const {
  accounts,
  code,
  beginOf,
  confirmBy,
  guarded,
  logIn,
  statusOf,
  notificationKindsOf,
  subjectsTo,
  actionsOn,
} = secondFactors()

describe('switching on', () => {
  test('[F-01] counts only after the first correct code', async () => {
    const person = await accounts().registerVerified('Olga')
    const { secret, uri } = await beginOf(person)
    expect(new URL(uri).searchParams.get('secret')).toBe(secret.replaceAll(' ', ''))
    expect(await statusOf(tokenOf(person))).toEqual({ on: false, since: null, recoveryCodesLeft: 0 })
    expect((await logIn(person)).status).toBe(200)
    const wrong = await confirmBy(tokenOf(person), code(secret, 5))
    expect(wrong).toMatchObject({
      status: 400,
      code: 'invalid_code',
      message: "That code didn't match. Enter the one your app shows now.",
      fields: { code: expect.any(String) },
    })
    expect((await statusOf(tokenOf(person))).on).toBe(false)
    const right = await confirmBy(tokenOf(person), code(secret).replace(/^(...)/, '$1 '))
    expect(right.status).toBe(200)
    expect(await statusOf(tokenOf(person))).toMatchObject({ on: true, recoveryCodesLeft: 10 })
    expect(await notificationKindsOf(tokenOf(person))).toContain('second_factor.on')
    expect(await subjectsTo(person.email)).toContain('Two-factor authentication was turned on')
    expect(await actionsOn(person)).toContain('second_factor.on')
  })

  test('[F-01] ends every other session', async () => {
    const person = await accounts().registerVerified('Ophelia')
    const { data: other } = await logIn(person)
    const { secret } = await beginOf(person)
    await confirmBy(tokenOf(person), code(secret))
    const body = { refreshToken: other.token.refreshToken }
    expect((await accounts().call(account.refresh, null, { body })).status).toBe(401)
    const asked = await accounts().call(account.me, null, {}, { token: other.token.accessToken })
    expect(asked.code).toBe('token_invalid')
    expect((await statusOf(tokenOf(person))).on).toBe(true)
  })

  test('[F-01] a new setup replaces an unconfirmed secret, not a confirmed one', async () => {
    const person = await accounts().registerVerified('Renate')
    const first = await beginOf(person)
    const { secret } = await beginOf(person)
    expect((await confirmBy(tokenOf(person), code(first.secret))).code).toBe('invalid_code')
    await confirmBy(tokenOf(person), code(secret))
    const again = await accounts().call(call.beginSecondFactor, null, {}, { token: tokenOf(person) })
    expect(again).toMatchObject({ status: 409, code: 'wrong_state', reason: 'second_factor_on' })
    expect(await confirmBy(tokenOf(person), code(secret, 1))).toMatchObject({ reason: 'setup_expired' })
  })

  test('[F-01] the setup expires after half an hour', async () => {
    const person = await accounts().registerVerified('Late')
    const { secret } = await beginOf(person)
    accounts().clock.pass({ minutes: 31 })
    const body = { refreshToken: person.answer.data.token.refreshToken }
    const { token } = (await accounts().call(account.refresh, null, { body })).data
    expect(await confirmBy(token.accessToken, code(secret))).toMatchObject({ reason: 'setup_expired' })
  })

  test('[F-01] one of two parallel first codes counts and creates the recovery codes', async () => {
    const person = await accounts().registerVerified('Twin')
    const { secret } = await beginOf(person)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => confirmBy(tokenOf(person), code(secret))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await statusOf(tokenOf(person))).recoveryCodesLeft).toBe(10)
  })

  test('[F-01] the database holds neither the secret nor a recovery code in plain text', async () => {
    const person = await guarded('Sealed')
    const id = person.answer.data.user._id
    const { rows } = await accounts().owner(`
      SELECT sealed_secret FROM app.second_factors WHERE user_id = '${id}'
       UNION ALL SELECT code_hash FROM app.recovery_codes WHERE user_id = '${id}'`)
    const kept: Buffer[] = rows.map(({ sealed_secret }) => sealed_secret)
    expect(kept).toHaveLength(11)
    const plain = [person.secret, ...person.recoveryCodes].map(text => text.replace(/[ -]/g, ''))
    for (const text of [...plain, ...person.recoveryCodes, base32nopad.decode(plain[0]!)]) {
      for (const bytes of kept) expect(bytes.includes(Buffer.from(text))).toBe(false)
    }
    expect(person.recoveryCodes).toHaveLength(10)
    expect(new Set(person.recoveryCodes).size).toBe(10)
    for (const recovery of person.recoveryCodes)
      expect(recovery).toMatch(/^[A-HJ-NP-Z2-9]{4}(-[A-HJ-NP-Z2-9]{4}){5}$/)
  })

  test('[F-01] needs a recent reauthentication', async () => {
    const person = await accounts().registerVerified('Stale')
    accounts().clock.pass({ minutes: 11 })
    const refused = await accounts().call(call.beginSecondFactor, null, {}, { token: tokenOf(person) })
    expect(refused).toMatchObject({ status: 403, code: 'proof_required' })
    const body = { password: person.password }
    await accounts().call(account.reauthenticate, null, { body }, { token: tokenOf(person) })
    expect((await accounts().call(call.beginSecondFactor, null, {}, { token: tokenOf(person) })).status).toBe(
      200,
    )
  })
})

describe('switching off', () => {
  const off = (token: string, typed: string) =>
    accounts().call(call.endSecondFactor, null, { body: { code: typed } }, { token })

  test('[F-01] needs a correct code, then the password alone opens the account', async () => {
    const person = await guarded()
    expect((await off(person.token, code(person.secret, 9))).code).toBe('invalid_code')
    expect((await statusOf(person.token)).on).toBe(true)
    expect((await off(person.token, code(person.secret))).status).toBe(200)
    expect(await statusOf(person.token)).toEqual({ on: false, since: null, recoveryCodesLeft: 0 })
    expect((await logIn(person)).status).toBe(200)
    expect(await notificationKindsOf(person.token)).toContain('second_factor.off')
    expect(await subjectsTo(person.email)).toContain('Two-factor authentication was turned off')
    expect(await actionsOn(person)).toContain('second_factor.off')
    expect((await off(person.token, code(person.secret, 1))).code).toBe('wrong_state')
  })

  test('[F-02] a recovery code works when the app is lost', async () => {
    const person = await guarded()
    expect((await off(person.token, person.recoveryCodes[3]!)).status).toBe(200)
    expect((await logIn(person)).status).toBe(200)
  })

  test('[F-01] needs a recent reauthentication, and spends no code without it', async () => {
    const person = await guarded()
    accounts().clock.pass({ minutes: 11 })
    expect((await off(person.token, person.recoveryCodes[0]!)).code).toBe('proof_required')
    expect((await statusOf(person.token)).recoveryCodesLeft).toBe(10)
  })
})

describe('an account that was never verified', () => {
  test('[F-10] cannot start or confirm a second factor', async () => {
    const stranger = await accounts().register('Squatter')
    const token = tokenOf(stranger)
    const refused = { status: 401, code: 'email_not_verified' }
    expect(await accounts().call(call.beginSecondFactor, null, {}, { token })).toMatchObject(refused)
    await accounts().verify(stranger.email)
    const { secret } = await beginOf(stranger)
    await accounts().owner(`UPDATE app.users SET email_verified_at = NULL WHERE email = '${stranger.email}'`)
    expect(await confirmBy(token, code(secret))).toMatchObject(refused)
    expect((await statusOf(token)).on).toBe(false)
  })

  test('[F-10] a password reset removes its second factor', async () => {
    const person = await guarded('Squatted')
    await accounts().owner(`UPDATE app.users SET email_verified_at = NULL WHERE email = '${person.email}'`)
    await accounts().call(account.forgotPassword, null, { body: { email: person.email } })
    const body = { token: await accounts().resetTokenOf(person.email), password: 'a new horse' }
    await accounts().call(account.resetPassword, null, { body })
    expect((await logIn({ ...person, password: body.password })).status).toBe(200)
    expect(await actionsOn(person)).toContain('second_factor.off')
    expect(await subjectsTo(person.email)).toContain('Two-factor authentication was turned off')
  })
})
