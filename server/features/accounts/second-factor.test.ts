import { base32nopad } from '@scure/base'
import { beforeAll, describe, expect, test } from 'vitest'
import * as account from '#shared/contract/accounts.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import * as call from '#shared/contract/second-factor.ts'
import { listAudit } from '#shared/contract/site.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { appCode } from '#test/support/totp.ts'

let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts()
})

type Registered = Awaited<ReturnType<Accounts['register']>>
type Guarded = Registered & { token: string; secret: string; recoveryCodes: string[] }

const tokenOf = ({ answer }: Registered) => answer.data.token.accessToken
const code = (secret: string, stepsLater = 0) => appCode(secret, accounts.clock.now(), stepsLater)
/** So that a code of the app is one that was not used yet. */
const nextStep = () => accounts.clock.pass({ minutes: 1 })

async function beginOf(person: Registered) {
  const { data } = await accounts.call(call.beginSecondFactor, null, {}, { token: tokenOf(person) })
  return data
}
const confirmBy = (token: string, typed: string) =>
  accounts.call(call.confirmSecondFactor, null, { body: { code: typed } }, { token })

/** Somebody whose second factor is on, and whose app has a code that was not used yet. */
async function guarded(name = 'Greta'): Promise<Guarded> {
  const person = await accounts.registerVerified(name)
  const { secret } = await beginOf(person)
  const { data } = await confirmBy(tokenOf(person), code(secret))
  nextStep()
  return { ...person, token: tokenOf(person), secret, recoveryCodes: data.recoveryCodes }
}

function logIn({ email, password }: Registered, typed?: string, ip?: string) {
  const body = { email, password, ...(typed === undefined ? {} : { code: typed }) }
  return accounts.call(account.login, null, { body }, ip ? { ip } : {})
}

const statusOf = async (token: string) => (await accounts.call(call.secondFactor, null, {}, { token })).data
const newsOf = async (token: string) =>
  (await accounts.call(listNotifications, null, {}, { token })).data.map(({ kind }) => kind)
const subjectsTo = async (email: string) => (await accounts.lettersTo(email)).map(({ subject }) => subject)

async function actionsOn({ answer }: Registered) {
  const query = { q: answer.data.user._id }
  const { data } = await accounts.call(listAudit, accounts.admin.caller, { query })
  return data.map(({ action }) => action)
}

describe('switching on', () => {
  test('[F-01] counts only after the first right code', async () => {
    const person = await accounts.registerVerified('Olga')
    const { secret, uri } = await beginOf(person)
    expect(new URL(uri).searchParams.get('secret')).toBe(secret.replaceAll(' ', ''))
    expect(await statusOf(tokenOf(person))).toEqual({ on: false, since: null, recoveryCodesLeft: 0 })
    expect((await logIn(person)).status).toBe(200)
    const wrong = await confirmBy(tokenOf(person), code(secret, 5))
    expect(wrong).toMatchObject({ status: 400, code: 'invalid_code', fields: { code: expect.any(String) } })
    expect((await statusOf(tokenOf(person))).on).toBe(false)
    const right = await confirmBy(tokenOf(person), code(secret).replace(/^(...)/, '$1 '))
    expect(right.status).toBe(200)
    expect(await statusOf(tokenOf(person))).toMatchObject({ on: true, recoveryCodesLeft: 10 })
    expect(await newsOf(tokenOf(person))).toContain('second_factor.on')
    expect(await subjectsTo(person.email)).toContain('Your second factor was switched on')
    expect(await actionsOn(person)).toContain('second_factor.on')
  })

  test('[F-01] ends every other session, so that none goes on that was opened without it', async () => {
    const person = await accounts.registerVerified('Ophelia')
    const { data: other } = await logIn(person)
    const { secret } = await beginOf(person)
    await confirmBy(tokenOf(person), code(secret))
    const body = { refreshToken: other.token.refreshToken }
    expect((await accounts.call(account.refresh, null, { body })).status).toBe(401)
    const asked = await accounts.call(account.me, null, {}, { token: other.token.accessToken })
    expect(asked.code).toBe('token_invalid')
    expect((await statusOf(tokenOf(person))).on).toBe(true)
  })

  test('[F-01] a secret is replaced by a new one until it counts, and not afterwards', async () => {
    const person = await accounts.registerVerified('Renate')
    const first = await beginOf(person)
    const { secret } = await beginOf(person)
    expect((await confirmBy(tokenOf(person), code(first.secret))).code).toBe('invalid_code')
    await confirmBy(tokenOf(person), code(secret))
    const again = await accounts.call(call.beginSecondFactor, null, {}, { token: tokenOf(person) })
    expect(again).toMatchObject({ status: 409, code: 'wrong_state' })
    expect((await confirmBy(tokenOf(person), code(secret, 1))).code).toBe('wrong_state')
  })

  test('[F-01] a secret waits half an hour for its first code', async () => {
    const person = await accounts.registerVerified('Late')
    const { secret } = await beginOf(person)
    accounts.clock.pass({ minutes: 31 })
    expect((await confirmBy(tokenOf(person), code(secret))).code).toBe('wrong_state')
  })

  test('[F-01] of two first codes at the same time one counts, and makes the recovery codes', async () => {
    const person = await accounts.registerVerified('Twin')
    const { secret } = await beginOf(person)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => confirmBy(tokenOf(person), code(secret))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await statusOf(tokenOf(person))).recoveryCodesLeft).toBe(10)
  })

  test('[F-01] neither the secret nor a recovery code can be read in the database', async () => {
    const person = await guarded('Sealed')
    const id = person.answer.data.user._id
    const { rows } = await accounts.owner(`
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
      expect(recovery).toMatch(/^[A-HJ-NP-Z2-9]{5}-[A-HJ-NP-Z2-9]{5}$/)
  })

  test('[F-01] needs a proof of identity that is not old', async () => {
    const person = await accounts.registerVerified('Stale')
    accounts.clock.pass({ minutes: 11 })
    const refused = await accounts.call(call.beginSecondFactor, null, {}, { token: tokenOf(person) })
    expect(refused).toMatchObject({ status: 403, code: 'proof_required' })
    const body = { password: person.password }
    await accounts.call(account.giveProof, null, { body }, { token: tokenOf(person) })
    expect((await accounts.call(call.beginSecondFactor, null, {}, { token: tokenOf(person) })).status).toBe(
      200,
    )
  })
})

describe('an address that was never verified', () => {
  test('[F-10] gets no second factor, neither begun nor confirmed', async () => {
    const stranger = await accounts.register('Squatter')
    const token = tokenOf(stranger)
    const refused = { status: 401, code: 'email_not_verified' }
    expect(await accounts.call(call.beginSecondFactor, null, {}, { token })).toMatchObject(refused)
    await accounts.verify(stranger.email)
    const { secret } = await beginOf(stranger)
    await accounts.owner(`UPDATE app.users SET email_verified_at = NULL WHERE email = '${stranger.email}'`)
    expect(await confirmBy(token, code(secret))).toMatchObject(refused)
    expect((await statusOf(token)).on).toBe(false)
  })

  test('[F-10] a new password by a mailed link leaves no second factor that was set up before', async () => {
    const person = await guarded('Squatted')
    await accounts.owner(`UPDATE app.users SET email_verified_at = NULL WHERE email = '${person.email}'`)
    await accounts.call(account.forgotPassword, null, { body: { email: person.email } })
    const body = { token: await accounts.resetTokenOf(person.email), password: 'a new horse' }
    await accounts.call(account.resetPassword, null, { body })
    expect((await logIn({ ...person, password: body.password })).status).toBe(200)
    expect(await actionsOn(person)).toContain('second_factor.off')
    expect(await subjectsTo(person.email)).toContain('Your second factor was switched off')
  })
})

describe('a login that is under way', () => {
  test('[F-11] opens no session where the password is another by then', async () => {
    const person = await accounts.registerVerified('Swift')
    const id = person.answer.data.user._id
    const change = "UPDATE app.users SET password_hash = 'another' WHERE id = $1"
    const answer = await accounts.meanwhile(id, change, () => logIn(person))
    expect(answer).toMatchObject({ status: 401, code: 'invalid_credentials' })
  })

  test('[F-11] opens no session where a second factor is on by then', async () => {
    const person = await accounts.registerVerified('Sudden')
    await beginOf(person)
    const change = 'UPDATE app.second_factors SET confirmed_at = now(), last_step = 0 WHERE user_id = $1'
    const answer = await accounts.meanwhile(person.answer.data.user._id, change, () => logIn(person))
    expect(answer).toMatchObject({ status: 401, code: 'second_factor_required' })
  })

  test('[F-11] is ended with the others where the second factor is switched on after it', async () => {
    const person = await accounts.registerVerified('Soon')
    const { secret } = await beginOf(person)
    const other = await logIn(person)
    // Its session is there only when the row is free, as that of a login that commits then.
    await accounts.call(account.logout, null, {}, { token: other.data.token.accessToken })
    const change = 'UPDATE app.sessions SET revoked_at = NULL WHERE user_id = $1'
    const id = person.answer.data.user._id
    await accounts.meanwhile(id, change, () => confirmBy(tokenOf(person), code(secret)))
    const body = { refreshToken: other.data.token.refreshToken }
    expect((await accounts.call(account.refresh, null, { body })).status).toBe(401)
  })
})

describe('logging in', () => {
  test('[F-03, C-02] asks for the code after the right password only, and gives no session before it', async () => {
    const person = await guarded()
    const asked = await logIn(person)
    expect(asked).toMatchObject({ status: 401, code: 'second_factor_required' })
    expect(asked.data).toBeUndefined()
    const stranger = await logIn({ ...person, password: 'not the password' })
    expect(stranger).toMatchObject({ status: 401, code: 'invalid_credentials' })
    const withCode = await logIn({ ...person, password: 'not the password' }, code(person.secret))
    expect(withCode.code).toBe('invalid_credentials')
    const { rows } = await accounts.owner(
      `SELECT count(*) AS open FROM app.sessions WHERE revoked_at IS NULL AND user_id = '${person.answer.data.user._id}'`,
    )
    expect(Number(rows[0].open)).toBe(1)
    const answer = await logIn(person, code(person.secret))
    expect(answer.status).toBe(200)
    expect(answer.data.token.accessToken).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  test('[F-03] a code counts once, also when it is sent many times at once', async () => {
    const person = await guarded()
    const typed = code(person.secret)
    const answers = await Promise.all(Array.from({ length: 5 }, () => logIn(person, typed)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400])
    expect((await logIn(person, typed)).code).toBe('invalid_code')
    expect((await logIn(person, code(person.secret, -1))).code).toBe('invalid_code')
    expect((await logIn(person, code(person.secret, 1))).status).toBe(200)
  })

  test('[F-03] wrong codes are counted for the account, wherever they come from, and written down', async () => {
    const person = await guarded()
    for (let n = 0; n < 10; n++) {
      expect((await logIn(person, code(person.secret, 10 + n), `10.9.0.${n}`)).code).toBe('invalid_code')
    }
    const right = await logIn(person, code(person.secret), '10.9.1.1')
    expect(right).toMatchObject({ status: 429, code: 'too_many_tries' })
    expect(right.headers['retry-after']).toBeDefined()
    expect((await actionsOn(person)).filter(action => action === 'second_factor.failed')).toHaveLength(10)
  })

  test('[F-03] an account without a second factor is not asked, and what it sends as a code is not looked at', async () => {
    const person = await accounts.registerVerified('Plain')
    expect((await logIn(person)).status).toBe(200)
    expect((await logIn(person, '123456')).status).toBe(200)
  })
})

describe('no way around it', () => {
  test('[F-04] a new sign-up with the address opens nothing', async () => {
    const person = await guarded()
    const { answer } = await accounts.register('Impostor', { email: person.email })
    expect(answer).toMatchObject({ status: 409, code: 'email_taken' })
    expect(answer.data).toBeUndefined()
  })

  test('[F-04] a new password by a mailed link signs nobody in, and the code is still asked for', async () => {
    const person = await guarded()
    await accounts.call(account.forgotPassword, null, { body: { email: person.email } })
    const token = await accounts.resetTokenOf(person.email)
    const reset = await accounts.call(account.resetPassword, null, {
      body: { token, password: 'a new horse' },
    })
    expect(reset).toMatchObject({ status: 200, data: {} })
    const renewed = { ...person, password: 'a new horse' }
    expect((await logIn(renewed)).code).toBe('second_factor_required')
    const { refreshToken } = person.answer.data.token
    expect((await accounts.call(account.refresh, null, { body: { refreshToken } })).status).toBe(401)
    expect((await logIn(renewed, code(person.secret))).status).toBe(200)
  })

  test('[F-04] verifying the e-mail address gives no session, and the code is still asked for', async () => {
    const person = await guarded()
    await accounts.owner(`UPDATE app.users SET email_verified_at = NULL WHERE email = '${person.email}'`)
    await accounts.call(account.requestVerification, null, { query: { email: person.email }, body: {} })
    const verified = await accounts.verify(person.email)
    expect(verified).toMatchObject({ status: 200, data: {} })
    expect((await logIn(person)).code).toBe('second_factor_required')
  })

  test('[F-04] a changed profile or password leaves it on', async () => {
    const person = await guarded()
    const { token } = person
    const profile = { name: 'Other', email: person.email, phone: '+61 2 1234 5678', country: 'Chile' }
    await accounts.call(account.updateProfile, null, { body: profile }, { token })
    const passwords = { oldPassword: person.password, newPassword: 'a new horse' }
    await accounts.call(account.changePassword, null, { body: passwords }, { token })
    expect((await logIn({ ...person, password: 'a new horse' })).code).toBe('second_factor_required')
  })

  test('[F-04] a changed e-mail address leaves it on, and its code gives no session', async () => {
    const { token, ...person } = await guarded()
    const email = accounts.newEmail()
    const profile = { name: 'Mover', email, phone: '+61 2 1234 5678', country: 'Chile' }
    await accounts.call(account.updateProfile, null, { body: profile }, { token })
    const otp = await accounts.codeOf(email)
    const verified = await accounts.call(account.verifyEmail, null, { body: { otp } }, { token })
    expect(verified).toMatchObject({ status: 200, data: {} })
    expect((await logIn({ ...person, email })).code).toBe('second_factor_required')
  })

  test('[F-04] a session that was opened with it goes on by its refresh token', async () => {
    const person = await guarded()
    const { data } = await logIn(person, code(person.secret))
    const body = { refreshToken: data.token.refreshToken }
    expect((await accounts.call(account.refresh, null, { body })).status).toBe(200)
  })

  test('[F-04] proving who one is asks for it, too', async () => {
    const person = await guarded()
    const prove = (typed?: string) =>
      accounts.call(
        account.giveProof,
        null,
        { body: { password: person.password, ...(typed ? { code: typed } : {}) } },
        { token: person.token },
      )
    expect((await prove()).code).toBe('second_factor_required')
    expect((await prove(code(person.secret, 7))).code).toBe('invalid_code')
    expect((await prove(code(person.secret))).status).toBe(200)
  })
})

describe('recovery codes', () => {
  test('[F-02] each opens the account once, however it is typed, and its use is told', async () => {
    const person = await guarded()
    const [first = '', second = ''] = person.recoveryCodes
    expect((await logIn(person, first.toLowerCase().replace('-', ' '))).status).toBe(200)
    expect((await logIn(person, first)).code).toBe('invalid_code')
    const { status, data } = await logIn(person, second)
    expect(status).toBe(200)
    expect(await statusOf(data.token.accessToken)).toMatchObject({ recoveryCodesLeft: 8 })
    const told = await newsOf(data.token.accessToken)
    expect(told.filter(kind => kind === 'recovery_code.used')).toHaveLength(2)
    expect(await subjectsTo(person.email)).toContain('A recovery code was used')
    expect(await actionsOn(person)).toContain('recovery_code.used')
  })

  test('[F-02] of many uses of one at the same time one counts', async () => {
    const person = await guarded()
    const answers = await Promise.all(Array.from({ length: 5 }, () => logIn(person, person.recoveryCodes[0])))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('[F-02] new ones replace those before', async () => {
    const person = await guarded()
    const { token, recoveryCodes, secret } = person
    const renew = (typed: string) =>
      accounts.call(call.renewRecoveryCodes, null, { body: { code: typed } }, { token })
    expect((await renew(code(secret, 9))).code).toBe('invalid_code')
    const { data } = await renew(code(secret))
    expect(data.recoveryCodes).toHaveLength(10)
    expect((await logIn(person, recoveryCodes[0])).code).toBe('invalid_code')
    expect((await logIn(person, data.recoveryCodes[0])).status).toBe(200)
    expect(await newsOf(token)).toContain('recovery_codes.renewed')
    expect(await actionsOn(person)).toContain('recovery_codes.renewed')
  })

  test("[F-02] one opens the account after somebody with the password has used up the app's tries of a day", async () => {
    const person = await guarded()
    const { rows } = await accounts.owner(`
      INSERT INTO app.rate_limits (key, points, expire)
      SELECT 'factor-day:' || id, 50, (extract(epoch FROM now()) + 80000) * 1000
        FROM app.users WHERE email = '${person.email}' RETURNING key`)
    expect(rows).toHaveLength(1)
    expect((await logIn(person, code(person.secret))).code).toBe('too_many_tries')
    expect((await logIn(person, person.recoveryCodes[0])).status).toBe(200)
  })

  test('[F-02] wrong ones are counted for the account, and do not use up the tries of the app', async () => {
    const person = await guarded()
    for (let n = 0; n < 11; n++) {
      expect((await logIn(person, `AAAAA-AAAA${n}`, `10.8.0.${n}`)).code).toBe('invalid_code')
    }
    const { rows } = await accounts.owner(`
      UPDATE app.rate_limits SET points = 60 WHERE points = 11
         AND key = (SELECT 'recovery:' || id FROM app.users WHERE email = '${person.email}') RETURNING key`)
    expect(rows).toHaveLength(1)
    expect((await logIn(person, person.recoveryCodes[0])).code).toBe('too_many_tries')
    expect((await logIn(person, code(person.secret))).status).toBe(200)
  })

  test('[F-02] those of one account open no other', async () => {
    const [person, other] = [await guarded('One'), await guarded('Two')]
    expect((await logIn(other, person.recoveryCodes[0])).code).toBe('invalid_code')
  })
})

describe('switching off', () => {
  const off = (token: string, typed: string) =>
    accounts.call(call.endSecondFactor, null, { body: { code: typed } }, { token })

  test('[F-01] needs a right code, and the password alone opens the account again', async () => {
    const person = await guarded()
    expect((await off(person.token, code(person.secret, 9))).code).toBe('invalid_code')
    expect((await statusOf(person.token)).on).toBe(true)
    expect((await off(person.token, code(person.secret))).status).toBe(200)
    expect(await statusOf(person.token)).toEqual({ on: false, since: null, recoveryCodesLeft: 0 })
    expect((await logIn(person)).status).toBe(200)
    expect(await newsOf(person.token)).toContain('second_factor.off')
    expect(await subjectsTo(person.email)).toContain('Your second factor was switched off')
    expect(await actionsOn(person)).toContain('second_factor.off')
    expect((await off(person.token, code(person.secret, 1))).code).toBe('wrong_state')
  })

  test('[F-02] a recovery code does it where the app is lost', async () => {
    const person = await guarded()
    expect((await off(person.token, person.recoveryCodes[3]!)).status).toBe(200)
    expect((await logIn(person)).status).toBe(200)
  })

  test('[F-01] needs a proof of identity that is not old, and uses up no code without it', async () => {
    const person = await guarded()
    accounts.clock.pass({ minutes: 11 })
    expect((await off(person.token, person.recoveryCodes[0]!)).code).toBe('proof_required')
    expect((await statusOf(person.token)).recoveryCodesLeft).toBe(10)
  })
})
