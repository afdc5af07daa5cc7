import { createSigner } from 'fast-jwt'
import { beforeAll, describe, expect, test } from 'vitest'
import { mailResetLink } from '#server/accounts/password.ts'
import * as call from '#shared/contract/accounts.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'

let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts()
})

const me = (token: string) => accounts.call(call.me, null, {}, { token })
const renew = (refreshToken: string) => accounts.call(call.refresh, null, { body: { refreshToken } })
const pair = async () => (await accounts.register('Session')).answer.data.token

describe('tokens', () => {
  test.each(['Bearer', 'Token', 'bearer', 'TOKEN'])('[C-28] accepts the prefix %s', async prefix => {
    const { accessToken } = await pair()
    const response = await accounts.app.inject({
      url: '/api/auth/me',
      headers: { authorization: `${prefix} ${accessToken}` },
    })
    expect(response.statusCode).toBe(200)
  })

  test('[C-28] a missing, bad or expired token is 401, the last with its own code', async () => {
    const { accessToken } = await pair()
    expect(await accounts.call(call.me, null)).toMatchObject({ status: 401, code: 'token_missing' })
    for (const bad of ['nonsense', `${accessToken}x`, foreign('HS256'), foreign('none')]) {
      expect(await me(bad)).toMatchObject({ status: 401, code: 'token_invalid' })
    }
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString())
    const expired = createSigner({ key: accounts.tokenKey })({
      ...claims,
      exp: Math.floor(Date.now() / 1000) - 1,
    })
    expect(await me(expired)).toMatchObject({
      status: 401,
      code: 'token_expired',
      message: expect.stringContaining('expired'),
    })
  })

  function foreign(algorithm: 'HS256' | 'none'): string {
    const claims = { sub: 'x', type: 'admin', role: 'admin', sid: 'x' }
    return algorithm === 'none'
      ? `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`
      : createSigner({ key: 'y'.repeat(32) })(claims)
  }
})

describe('refreshing', () => {
  test('[R-06] returns a new pair, and both access tokens work', async () => {
    const first = await pair()
    const second = (await renew(first.refreshToken)).data.token
    expect(second.refreshToken).not.toBe(first.refreshToken)
    expect((await me(first.accessToken)).status).toBe(200)
    expect((await me(second.accessToken)).status).toBe(200)
  })

  test("knowing a session's id ends nothing", async () => {
    const { refreshToken } = await pair()
    const [id, secret = ''] = refreshToken.split('.')
    const forged = [`${id}.x`, `${id}.${secret.slice(0, -1)}`, `${id}.${secret.split('').reverse().join('')}`]
    for (const token of forged)
      expect(await renew(token)).toMatchObject({ status: 401, code: 'token_invalid' })
    expect((await renew(refreshToken)).status).toBe(200)
  })

  test('a reused refresh token ends its session at once', async () => {
    const first = await pair()
    const second = (await renew(first.refreshToken)).data.token
    expect(await renew(first.refreshToken)).toMatchObject({ status: 401, code: 'token_invalid' })
    expect(await renew(second.refreshToken)).toMatchObject({ status: 401, code: 'token_invalid' })
    expect((await me(second.accessToken)).status).toBe(401)
  })

  test('one of many parallel uses wins', async () => {
    const { refreshToken } = await pair()
    const answers = await Promise.all(Array.from({ length: 10 }, () => renew(refreshToken)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('[X-02] a refresh token expires after thirty days and says so', async () => {
    const { refreshToken } = await pair()
    accounts.clock.pass({ days: 31 })
    expect(await renew(refreshToken)).toMatchObject({
      status: 401,
      code: 'token_expired',
      message: expect.stringContaining('expired'),
    })
  })

  test('[X-02] a session ends thirty days after the login, however often it is refreshed', async () => {
    let token = await pair()
    for (let days = 0; days < 28; days += 7) {
      accounts.clock.pass({ days: 7 })
      token = (await renew(token.refreshToken)).data.token
    }
    accounts.clock.pass({ days: 2, minutes: -5 })
    const last = (await renew(token.refreshToken)).data.token
    // No access token outlives the session either.
    const { exp } = JSON.parse(Buffer.from(last.accessToken.split('.')[1]!, 'base64url').toString())
    expect(exp * 1000).toBeLessThan(accounts.clock.now().getTime() + 6 * 60_000)
    accounts.clock.pass({ minutes: 6 })
    expect(await renew(last.refreshToken)).toMatchObject({ status: 401, code: 'token_expired' })
  })

  test('[X-02, W-01] a session of staff ends when it is not used for twelve hours', async () => {
    const { email, password } = await accounts.registerVerified('Stella Staff')
    await accounts.owner(`UPDATE app.users SET type = 'admin', role = 'support' WHERE email = '${email}'`)
    let { token } = (await accounts.call(call.login, null, { body: { email, password } })).data
    for (let hours = 0; hours < 44; hours += 11) {
      accounts.clock.pass({ minutes: 11 * 60 })
      token = (await renew(token.refreshToken)).data.token
    }
    accounts.clock.pass({ minutes: 13 * 60 })
    expect(await renew(token.refreshToken)).toMatchObject({ status: 401, code: 'token_expired' })
  })

  test.each(['x', 'x.y', `${crypto.randomUUID()}.y`, '.', 'é'])(
    'refuses %j as a refresh token',
    async nonsense => {
      expect(await renew(nonsense)).toMatchObject({ status: 401, code: 'token_invalid' })
    },
  )
})

describe('ending sessions', () => {
  test('[A-12] logout ends the session and refuses both its tokens', async () => {
    const token = await pair()
    await accounts.call(call.logout, null, {}, { token: token.accessToken })
    expect((await me(token.accessToken)).status).toBe(401)
    expect(await renew(token.refreshToken)).toMatchObject({ status: 401 })
  })

  test('lists sessions for their owner, who alone can end them', async () => {
    const { email, password, answer } = await accounts.register('Lister')
    const here = answer.data.token.accessToken
    const there = (await accounts.call(call.login, null, { body: { email, password } })).data.token
      .accessToken
    const { data, page } = await accounts.call(call.listSessions, null, {}, { token: here })
    expect(page?.total).toBe(2)
    expect(data.map(({ current }) => current)).toEqual([false, true])
    const other = { params: { id: data[0]!._id } }
    const stranger = (await pair()).accessToken
    expect((await accounts.call(call.endSession, null, other, { token: stranger })).status).toBe(403)
    expect((await accounts.call(call.endSession, null, other, { token: here })).status).toBe(200)
    expect((await me(there)).status).toBe(401)
    expect((await me(here)).status).toBe(200)
  })
})

test('[A-18] ends all other sessions at once and keeps the current one', async () => {
  const { email, password, answer } = await accounts.register('Roamer')
  const here = answer.data.token.accessToken
  const elsewhere = [1, 2].map(() => accounts.call(call.login, null, { body: { email, password } }))
  const there = (await Promise.all(elsewhere)).map(({ data }) => data.token)
  const stranger = await pair()
  const end = () => accounts.call(call.endOtherSessions, null, {}, { token: here })
  expect(await end()).toMatchObject({ status: 200, message: 'Other sessions ended', data: { ended: 2 } })
  for (const { accessToken, refreshToken } of there) {
    expect((await me(accessToken)).status).toBe(401)
    expect((await renew(refreshToken)).status).toBe(401)
  }
  expect((await me(here)).status).toBe(200)
  expect((await me(stranger.accessToken)).status).toBe(200)
  expect((await end()).data.ended).toBe(0)
})

test('[A-17, A-18] ending other sessions needs a recent reauthentication, ending this one none', async () => {
  const { email, password, answer } = await accounts.register('Rhea')
  const here = { token: answer.data.token.accessToken }
  const there = (await accounts.call(call.login, null, { body: { email, password } })).data.token.accessToken
  const { data } = await accounts.call(call.listSessions, null, {}, here)
  const end = (current: boolean) => {
    const id = data.find(session => session.current === current)!._id
    return accounts.call(call.endSession, null, { params: { id } }, here)
  }
  accounts.clock.pass({ minutes: 11 })
  expect((await end(false)).code).toBe('proof_required')
  expect((await accounts.call(call.endOtherSessions, null, {}, here)).code).toBe('proof_required')
  expect((await me(there)).status).toBe(200)
  await accounts.call(call.reauthenticate, null, { body: { password } }, here)
  expect((await end(false)).status).toBe(200)
  expect((await me(there)).status).toBe(401)
  accounts.clock.pass({ minutes: 11 })
  here.token = (await renew(answer.data.token.refreshToken)).data.token.accessToken
  expect((await end(true)).status).toBe(200)
})

describe('passwords', () => {
  test('[C-08] changing it needs the current one, ends other sessions and is mailed', async () => {
    const { email, password, answer } = await accounts.register('Changer')
    const here = answer.data.token.accessToken
    const there = (await accounts.call(call.login, null, { body: { email, password } })).data.token
      .accessToken
    const change = (oldPassword: string, newPassword: string) =>
      accounts.call(call.changePassword, null, { body: { oldPassword, newPassword } }, { token: here })
    expect(await change('not this one', 'brand new words')).toMatchObject({
      status: 400,
      fields: { oldPassword: 'Current password is incorrect' },
    })
    expect(await change(password, 'short')).toMatchObject({
      message: 'Password must be at least six characters long',
    })
    expect(await change(password, 'brand new words')).toMatchObject({
      status: 200,
      message: 'Password updated successfully',
    })
    expect((await me(there)).status).toBe(401)
    expect((await me(here)).status).toBe(200)
    expect((await accounts.call(call.login, null, { body: { email, password } })).status).toBe(401)
    const again = await accounts.call(call.login, null, { body: { email, password: 'brand new words' } })
    expect(again.status).toBe(200)
    expect((await accounts.emailsTo(email)).map(({ subject }) => subject)).toContain(
      'Your password was changed',
    )
  })

  test('[A-19, A-20] weak new passwords do not use up the tries at the current one', async () => {
    const { password, answer } = await accounts.register('Weaver')
    const change = (oldPassword: string, newPassword: string) => {
      const { accessToken: token } = answer.data.token
      return accounts.call(call.changePassword, null, { body: { oldPassword, newPassword } }, { token })
    }
    for (let n = 0; n < 11; n++)
      expect((await change(password, 'monkey2019')).fields).toHaveProperty('newPassword')
    for (let n = 0; n < 10; n++)
      expect((await change('not this one', 'monkey2019')).fields).toHaveProperty('oldPassword')
    expect((await change(password, 'brand new words')).code).toBe('too_many_tries')
  })

  test('[A-13] a job that failed is repeated, and uses up no email of the account', async () => {
    const { email } = await accounts.register('Patient')
    const job = { email, ip: '192.0.2.1', requestId: crypto.randomUUID() }
    await accounts.owner('ALTER TABLE app.password_resets RENAME TO resets_gone')
    for (let n = 0; n < 4; n++)
      await expect(mailResetLink(accounts.services, job)).rejects.toThrow('password_resets')
    await accounts.owner('ALTER TABLE app.resets_gone RENAME TO password_resets')
    for (let n = 0; n < 4; n++) await mailResetLink(accounts.services, job)
    const links = (await accounts.emailsTo(email)).filter(({ subject }) => subject === 'Set a new password')
    expect(links).toHaveLength(3)
  })

  test('[A-13] the secret of a mailed link stands in the fragment, which no server gets', async () => {
    const { email } = await accounts.register('Fragment')
    await accounts.call(call.forgotPassword, null, { body: { email } })
    const { text } = (await accounts.emailsTo(email)).at(-1)!
    const { publicUrl } = accounts.services.config
    expect(text.match(/http\S+/g)).toEqual([expect.stringContaining(`${publicUrl}/reset-password#token=`)])
  })

  test('[A-13] a mailed link sets a new password once and ends every session', async () => {
    const { email, answer } = await accounts.register('Forgetful')
    expect((await accounts.call(call.forgotPassword, null, { body: { email } })).status).toBe(200)
    const token = await accounts.resetTokenOf(email)
    const reset = (password: string) => accounts.call(call.resetPassword, null, { body: { token, password } })
    expect((await reset('123456')).status).toBe(400)
    const both = await Promise.all([reset('brand new words'), reset('other new words')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await me(answer.data.token.accessToken)).status).toBe(401)
  })

  test('[A-13] refuses an expired link; an unknown email gets the same answer, no email', async () => {
    const { email } = await accounts.register('Late')
    await accounts.call(call.forgotPassword, null, { body: { email } })
    const token = await accounts.resetTokenOf(email)
    accounts.clock.pass({ minutes: 61 })
    const late = await accounts.call(call.resetPassword, null, {
      body: { token, password: 'brand new words' },
    })
    expect(late).toMatchObject({ status: 400, code: 'invalid_reset_token' })
    const unknown = accounts.newEmail()
    expect((await accounts.call(call.forgotPassword, null, { body: { email: unknown } })).status).toBe(200)
    expect(await accounts.emailsTo(unknown)).toEqual([])
  })
})
