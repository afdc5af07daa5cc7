import { beforeAll, expect, test } from 'vitest'
import { sampleFirm } from '#server/demo/firm.ts'
import * as account from '#shared/contract/accounts.ts'
import * as call from '#shared/contract/second-factor.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { newAuthenticator } from '#test/support/authenticator.ts'
import { appCode } from '#test/support/totp.ts'

/** Admins in live mode before and after showing a second factor. */
let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts({ mode: 'live', firm: sampleFirm, publicUrl: 'http://localhost:3000' })
})

/** An account that the operator has made an admin. */
async function newAdmin(name: string) {
  const { email, password } = await accounts.registerVerified(name)
  await accounts.owner(`UPDATE app.users SET type = 'admin', role = 'admin' WHERE email = '${email}'`)
  return { email, password }
}
type Admin = Awaited<ReturnType<typeof newAdmin>>

const logIn = async (body: Admin & { code?: string }) =>
  (await accounts.call(account.login, null, { body })).data.token
const listUsers = (token: string) => accounts.call(account.listUsers, null, { query: {} }, { token })
const renewed = async (refreshToken: string) =>
  (await accounts.call(account.refresh, null, { body: { refreshToken } })).data.token

async function switchOn(token: string): Promise<string> {
  const { data } = await accounts.call(call.beginSecondFactor, null, {}, { token })
  const body = { code: appCode(data.secret, accounts.clock.now()) }
  const { status } = await accounts.call(call.confirmSecondFactor, null, { body }, { token })
  expect(status).toBe(200)
  return data.secret
}

test('[F-08] an admin has no rights before showing a second factor', async () => {
  const admin = await newAdmin('Adam')
  const other = await accounts.register('Ines')
  const { accessToken } = await logIn(admin)
  expect(await listUsers(accessToken)).toMatchObject({ status: 403, code: 'second_factor_setup_required' })
  const echo = { query: { email: other.email } }
  expect((await accounts.call(account.echo, null, echo, { token: accessToken })).status).toBe(403)
  const own = await accounts.call(account.me, null, {}, { token: accessToken })
  expect(own.data.type).toBe('admin')
})

test('[F-08] sets one up and continues with the next tokens of the same session', async () => {
  const admin = await newAdmin('Aida')
  const { accessToken, refreshToken } = await logIn(admin)
  const secret = await switchOn(accessToken)
  const next = await renewed(refreshToken)
  expect((await listUsers(next.accessToken)).status).toBe(200)
  accounts.clock.pass({ minutes: 1 })
  const again = await logIn({ ...admin, code: appCode(secret, accounts.clock.now()) })
  expect((await listUsers(again.accessToken)).status).toBe(200)
})

test('[F-08] a passkey counts too; the password alone neither enters nor replaces it', async () => {
  const admin = await newAdmin('Abel')
  const { accessToken: token } = await logIn(admin)
  const authenticator = newAuthenticator()
  const { data: options } = await accounts.call(call.beginPasskey, null, {}, { token })
  const body = { name: 'Key', response: authenticator.create(options) }
  const { data: passkey } = await accounts.call(call.addPasskey, null, { body }, { token })
  const asked = await accounts.call(call.beginPasskeyLogin, null)
  const byPasskey = { body: { response: authenticator.get(asked.data) } }
  const { data } = await accounts.call(call.loginByPasskey, null, byPasskey)
  expect((await listUsers(data.token.accessToken)).status).toBe(200)

  const weak = { token: (await logIn(admin)).accessToken }
  expect((await listUsers(weak.token)).code).toBe('second_factor_setup_required')
  const refused = { status: 403, message: expect.stringContaining('Log in with your passkey first') }
  expect(await accounts.call(call.beginSecondFactor, null, {}, weak)).toMatchObject(refused)
  expect(await accounts.call(call.beginPasskey, null, {}, weak)).toMatchObject(refused)
  const params = { id: passkey._id }
  expect(await accounts.call(call.removePasskey, null, { params }, weak)).toMatchObject(refused)
})

test('[F-08] an admin who switches the last one off loses their rights at once', async () => {
  const admin = await newAdmin('Alma')
  const { accessToken, refreshToken } = await logIn(admin)
  const secret = await switchOn(accessToken)
  accounts.clock.pass({ minutes: 1 })
  const body = { code: appCode(secret, accounts.clock.now()) }
  const { accessToken: token } = await renewed(refreshToken)
  expect((await listUsers(token)).status).toBe(200)
  expect((await accounts.call(call.endSecondFactor, null, { body }, { token })).status).toBe(200)
  expect((await listUsers(token)).status).toBe(401)
  expect((await listUsers(accessToken)).status).toBe(401)
  expect((await listUsers((await logIn(admin)).accessToken)).code).toBe('second_factor_setup_required')
})

test('[F-08] an admin who removes the only passkey loses their rights at once', async () => {
  const admin = await newAdmin('Anna')
  const { accessToken: token } = await logIn(admin)
  const authenticator = newAuthenticator()
  const { data: options } = await accounts.call(call.beginPasskey, null, {}, { token })
  const body = { name: 'Key', response: authenticator.create(options) }
  const { data: passkey } = await accounts.call(call.addPasskey, null, { body }, { token })
  const asked = await accounts.call(call.beginPasskeyLogin, null)
  const byPasskey = { body: { response: authenticator.get(asked.data) } }
  const { accessToken } = (await accounts.call(call.loginByPasskey, null, byPasskey)).data.token
  const remove = { params: { id: passkey._id } }
  expect((await accounts.call(call.removePasskey, null, remove, { token: accessToken })).status).toBe(200)
  expect((await listUsers(accessToken)).status).toBe(401)
})

test('[F-08] a refused passkey keeps no rights once app codes are off', async () => {
  const admin = await newAdmin('Agda')
  const { accessToken, refreshToken } = await logIn(admin)
  const secret = await switchOn(accessToken)
  const { accessToken: token } = await renewed(refreshToken)
  const authenticator = newAuthenticator()
  const { data: options } = await accounts.call(call.beginPasskey, null, {}, { token })
  const added = { body: { name: 'Key', response: authenticator.create(options) } }
  const { data: passkey } = await accounts.call(call.addPasskey, null, added, { token })
  await accounts.owner(`UPDATE app.passkeys SET refused_at = now() WHERE id = '${passkey._id}'`)
  accounts.clock.pass({ minutes: 1 })
  const body = { code: appCode(secret, accounts.clock.now()) }
  expect((await accounts.call(call.endSecondFactor, null, { body }, { token })).status).toBe(200)
  expect((await listUsers(token)).status).toBe(401)
  expect((await listUsers((await logIn(admin)).accessToken)).code).toBe('second_factor_setup_required')
})

test('[F-08] an investor needs no second factor', async () => {
  const { answer } = await accounts.register('Inge')
  const { accessToken: token } = answer.data.token
  expect((await listUsers(token)).code).toBe('forbidden')
  expect((await accounts.call(account.me, null, {}, { token })).status).toBe(200)
})
