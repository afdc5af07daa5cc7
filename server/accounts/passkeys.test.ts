import { beforeAll, describe, expect, test } from 'vitest'
import * as account from '#shared/contract/accounts.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import * as call from '#shared/contract/second-factor.ts'
import { listAudit } from '#shared/contract/site.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { type Defects, newAuthenticator } from '#test/support/authenticator.ts'
import { appCode } from '#test/support/totp.ts'

let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts()
})

type Registered = Awaited<ReturnType<Accounts['register']>>
type Authenticator = ReturnType<typeof newAuthenticator>
const tokenOf = ({ answer }: Registered) => answer.data.token.accessToken

async function add(person: Registered, authenticator: Authenticator, name = 'Laptop', defects: Defects = {}) {
  const token = tokenOf(person)
  const { data: options } = await accounts.call(call.beginPasskey, null, {}, { token })
  const body = { name, response: authenticator.create(options, defects) }
  return accounts.call(call.addPasskey, null, { body }, { token })
}

const askLogin = async () => (await accounts.call(call.beginPasskeyLogin, null)).data
const answerLogin = (response: ReturnType<Authenticator['get']>) =>
  accounts.call(call.loginByPasskey, null, { body: { response } })
const logIn = async (authenticator: Authenticator, defects: Defects = {}) =>
  answerLogin(authenticator.get(await askLogin(), defects))

/** A person with a passkey on their own authenticator. */
async function withPasskey(name = 'Pat', authenticator = newAuthenticator()) {
  const person = await accounts.registerVerified(name)
  const { data: passkey } = await add(person, authenticator)
  return { person, authenticator, passkey, token: tokenOf(person) }
}

/** The access token of a session opened by the password alone. */
const byPassword = async ({ email, password }: Registered): Promise<string> =>
  (await accounts.call(account.login, null, { body: { email, password } })).data.token.accessToken
const standing = async (token: string) => (await accounts.call(account.me, null, {}, { token })).status
const listOf = async (token: string) => (await accounts.call(call.passkeys, null, {}, { token })).data
const notificationsOf = async (token: string) =>
  (await accounts.call(listNotifications, null, {}, { token })).data
const subjectsTo = async (email: string) => (await accounts.emailsTo(email)).map(({ subject }) => subject)
const actionsOn = async ({ answer }: Registered) => {
  const query = { q: answer.data.user._id }
  return (await accounts.call(listAudit, accounts.admin.caller, { query })).data.map(({ action }) => action)
}

describe('adding and removing', () => {
  test('[F-05] requests a discoverable passkey with user verification', async () => {
    const person = await accounts.registerVerified('Asker')
    const { data } = await accounts.call(call.beginPasskey, null, {}, { token: tokenOf(person) })
    expect(data).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: person.email, displayName: 'Asker' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: [],
    })
  })

  test('[F-05, F-07] lists a passkey with its name and times, and notifies the owner', async () => {
    const { person, authenticator, passkey, token } = await withPasskey()
    expect(await listOf(token)).toEqual([passkey])
    expect(passkey).toMatchObject({ name: 'Laptop', lastUsedAt: null, refused: false })
    await logIn(authenticator)
    expect((await listOf(token))[0]?.lastUsedAt).not.toBeNull()
    expect((await notificationsOf(token)).map(({ text }) => text)).toContain(
      "The passkey 'Laptop' was added to your account.",
    )
    expect(await subjectsTo(person.email)).toContain('A passkey was added to your account')
    expect(await actionsOn(person)).toContain('passkey.added')
  })

  test('[F-05] refuses the same passkey twice and excludes existing ones', async () => {
    const { person, authenticator, token } = await withPasskey()
    const { data } = await accounts.call(call.beginPasskey, null, {}, { token })
    expect(data.excludeCredentials).toHaveLength(1)
    expect((await add(person, authenticator)).code).toBe('invalid_passkey')
    const other = await accounts.registerVerified('Other')
    expect((await add(other, authenticator)).code).toBe('invalid_passkey')
    expect(await listOf(tokenOf(other))).toEqual([])
  })

  test('[F-05] an account has at most twenty, also when added in parallel', async () => {
    const person = await accounts.registerVerified('Collector')
    for (let n = 0; n < 18; n++) await add(person, newAuthenticator(), `Key ${n}`)
    const token = tokenOf(person)
    // Start all before adding the first, so that none is refused at the start.
    const begin = () => accounts.call(call.beginPasskey, null, {}, { token })
    const begun = await Promise.all(Array.from({ length: 5 }, begin))
    const answers = await Promise.all(
      begun.map(({ data }) => {
        const body = { name: 'Laptop', response: newAuthenticator().create(data) }
        return accounts.call(call.addPasskey, null, { body }, { token })
      }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(await listOf(tokenOf(person))).toHaveLength(20)
  })

  test('[F-05] a removed passkey opens nothing; its notification stays', async () => {
    const { person, authenticator, passkey, token } = await withPasskey()
    const removed = await accounts.call(call.removePasskey, null, { params: { id: passkey._id } }, { token })
    expect(removed.status).toBe(200)
    expect(await listOf(token)).toEqual([])
    expect((await logIn(authenticator)).code).toBe('invalid_passkey')
    const email = (await accounts.emailsTo(person.email)).at(-1)
    expect(email).toMatchObject({ subject: 'A passkey was removed from your account' })
    expect(email?.text).toContain("The passkey 'Laptop' was removed from your account.")
    expect((await notificationsOf(token)).map(({ kind, text }) => [kind, text])).toEqual([
      ['passkey.removed', 'A passkey was removed from your account.'],
      ['passkey.added', 'A passkey was added to your account.'],
    ])
    expect(await actionsOn(person)).toContain('passkey.removed')
  })

  test('[F-05] adding and removing need a recent reauthentication', async () => {
    const { passkey, token } = await withPasskey()
    accounts.clock.pass({ minutes: 11 })
    expect((await accounts.call(call.beginPasskey, null, {}, { token })).code).toBe('proof_required')
    const params = { id: passkey._id }
    expect((await accounts.call(call.removePasskey, null, { params }, { token })).code).toBe('proof_required')
    expect(await listOf(token)).toHaveLength(1)
  })

  test('[F-05] refuses a passkey without user verification or from another site', async () => {
    const person = await accounts.registerVerified('Defective')
    const defects = [{ verified: false }, { origin: 'http://localhost:4000' }, { rpId: 'example.com' }]
    for (const defect of defects) {
      expect((await add(person, newAuthenticator(), 'Defective', defect)).code).toBe('invalid_passkey')
    }
    expect(await listOf(tokenOf(person))).toEqual([])
  })
})

describe('logging in', () => {
  test('[F-05] needs no password and no code: a passkey is both factors', async () => {
    const { person, authenticator, token } = await withPasskey()
    const { data } = await accounts.call(call.beginSecondFactor, null, {}, { token })
    const body = { code: appCode(data.secret, accounts.clock.now()) }
    await accounts.call(call.confirmSecondFactor, null, { body }, { token })
    const answer = await logIn(authenticator)
    expect(answer).toMatchObject({ status: 200, message: 'Login successfull' })
    expect(answer.data.user.email).toBe(person.email)
    const own = await accounts.call(account.me, null, {}, { token: answer.data.token.accessToken })
    expect(own.data.email).toBe(person.email)
    const byPassword = { email: person.email, password: person.password }
    expect((await accounts.call(account.login, null, { body: byPassword })).code).toBe(
      'second_factor_required',
    )
  })

  test('[F-06] a challenge is answered once, also by parallel answers', async () => {
    // Without a counter, so that only the challenge distinguishes the answers.
    const { authenticator } = await withPasskey('Once', newAuthenticator({ counts: false }))
    const response = authenticator.get(await askLogin())
    const answers = await Promise.all(Array.from({ length: 5 }, () => answerLogin(response)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400])
  })

  test('[F-06] a challenge expires after five minutes and serves one purpose', async () => {
    const { authenticator, token } = await withPasskey()
    const late = authenticator.get(await askLogin())
    accounts.clock.pass({ minutes: 5 })
    expect((await answerLogin(late)).code).toBe('invalid_passkey')
    const { data: options } = await accounts.call(call.beginPasskeyReauthentication, null, {}, { token })
    expect((await answerLogin(authenticator.get(options))).code).toBe('invalid_passkey')
    const made = authenticator.get({ ...options, challenge: 'of-my-own-making' })
    expect((await answerLogin(made)).code).toBe('invalid_passkey')
  })

  test('[F-06] refuses a bad signature, another site, or no user verification', async () => {
    const { authenticator, person } = await withPasskey()
    const defects = [{ verified: false }, { origin: 'https://probity.example' }, { rpId: 'example.com' }]
    for (const defect of defects) expect((await logIn(authenticator, defect)).code).toBe('invalid_passkey')
    const { response, ...rest } = authenticator.get(await askLogin())
    const forged = { ...response, signature: newAuthenticator().get(await askLogin()).response.signature }
    expect((await answerLogin({ ...rest, response: forged })).code).toBe('invalid_passkey')
    const other = await withPasskey('Other')
    const stolen = other.authenticator.get(await askLogin()).response.userHandle
    const handed = authenticator.get(await askLogin())
    handed.response.userHandle = stolen
    expect((await answerLogin(handed)).code).toBe('invalid_passkey')
    expect(await actionsOn(person)).toContain('login.failed')
    expect((await logIn(authenticator)).status).toBe(200)
  })

  test('[F-06] a counter that goes backwards refuses the passkey, notified once', async () => {
    const { authenticator, person } = await withPasskey()
    expect((await logIn(authenticator)).status).toBe(200)
    const copy = await logIn(authenticator, { counter: 2 })
    expect(copy).toMatchObject({ status: 400, code: 'invalid_passkey' })
    expect(copy.message).toContain('someone may have copied it')
    expect((await logIn(authenticator)).message).toBe(copy.message)
    const again = await byPassword(person)
    expect((await listOf(again))[0]).toMatchObject({ refused: true })
    const notified = (await notificationsOf(again)).filter(({ kind }) => kind === 'passkey.refused')
    expect(notified).toHaveLength(1)
    const subject = 'One of your passkeys is no longer accepted'
    expect((await subjectsTo(person.email)).filter(each => each === subject)).toHaveLength(1)
    expect((await actionsOn(person)).filter(action => action === 'passkey.refused')).toHaveLength(1)
  })

  test('[F-06] refusing or removing a passkey ends the sessions it opened', async () => {
    const { authenticator, token } = await withPasskey()
    const opened = (await logIn(authenticator)).data.token.accessToken
    await logIn(authenticator, { counter: 2 })
    expect([await standing(token), await standing(opened)]).toEqual([401, 401])

    const other = await withPasskey('Other')
    const byKey = (await logIn(other.authenticator)).data.token.accessToken
    const params = { id: other.passkey._id }
    await accounts.call(call.removePasskey, null, { params }, { token: other.token })
    expect([await standing(other.token), await standing(byKey)]).toEqual([200, 401])
  })

  test('[F-06] the password is enough to remove a refused passkey', async () => {
    const { authenticator, person, passkey } = await withPasskey()
    await logIn(authenticator, { counter: 1 })
    const token = await byPassword(person)
    const params = { id: passkey._id }
    expect((await accounts.call(call.removePasskey, null, { params }, { token })).status).toBe(200)
  })

  test('[F-11] a login under way opens no session once the passkey is removed', async () => {
    const { authenticator, person } = await withPasskey()
    const change = 'DELETE FROM app.passkeys WHERE user_id = $1'
    const answer = await accounts.meanwhile(person.answer.data.user._id, change, () => logIn(authenticator))
    expect(answer).toMatchObject({ status: 400, code: 'invalid_passkey' })
  })

  test('[F-06] accepts an authenticator without a counter each time', async () => {
    const { authenticator } = await withPasskey('Synced', newAuthenticator({ counts: false }))
    for (let n = 0; n < 3; n++) expect((await logIn(authenticator)).status).toBe(200)
  })
})

describe('reauthenticating', () => {
  test("[F-05] one of the caller's passkeys counts like the password", async () => {
    const { authenticator, token } = await withPasskey()
    const other = await withPasskey('Other')
    accounts.clock.pass({ minutes: 11 })
    const { data } = await accounts.call(call.beginPasskeyReauthentication, null, {}, { token })
    expect(data.allowCredentials).toHaveLength(1)
    const reauthenticate = (response: ReturnType<Authenticator['get']>) =>
      accounts.call(call.reauthenticateByPasskey, null, { body: { response } }, { token })
    expect((await reauthenticate(other.authenticator.get(data))).code).toBe('invalid_passkey')
    const { data: again } = await accounts.call(call.beginPasskeyReauthentication, null, {}, { token })
    expect((await reauthenticate(authenticator.get(again))).status).toBe(200)
    expect((await accounts.call(call.beginPasskey, null, {}, { token })).status).toBe(200)
  })
})

describe('the password alone', () => {
  test('[F-12] changes no factor and no email until the passkey is shown', async () => {
    const { authenticator, person, passkey } = await withPasskey()
    const token = await byPassword(person)
    const profile = { name: 'Pat', phone: '+61 2 1234 5678', country: 'Australia' }
    const params = { id: passkey._id }
    const tries = () => [
      accounts.call(call.beginPasskey, null, {}, { token }),
      accounts.call(call.beginSecondFactor, null, {}, { token }),
      accounts.call(
        account.updateProfile,
        null,
        { body: { ...profile, email: accounts.newEmail() } },
        { token },
      ),
      accounts.call(call.removePasskey, null, { params }, { token }),
    ]
    for (const refused of await Promise.all(tries())) {
      expect(refused).toMatchObject({ status: 403, code: 'forbidden' })
      expect(refused.message).toContain('If you have lost it, contact us')
    }
    expect(await listOf(token)).toHaveLength(1)
    const same = { body: { ...profile, name: 'Patricia', email: person.email } }
    expect((await accounts.call(account.updateProfile, null, same, { token })).status).toBe(200)

    const { data } = await accounts.call(call.beginPasskeyReauthentication, null, {}, { token })
    const body = { response: authenticator.get(data) }
    expect((await accounts.call(call.reauthenticateByPasskey, null, { body }, { token })).status).toBe(200)
    for (const done of await Promise.all(tries())) expect(done.status).toBe(200)
  })

  test('[F-12] does not confirm a second factor started before the passkey', async () => {
    const person = await accounts.registerVerified('Early')
    const token = await byPassword(person)
    const { data } = await accounts.call(call.beginSecondFactor, null, {}, { token })
    await add(person, newAuthenticator())
    const body = { code: appCode(data.secret, accounts.clock.now()) }
    expect((await accounts.call(call.confirmSecondFactor, null, { body }, { token })).code).toBe('forbidden')
  })

  test('[F-12] changes an account that has no passkey', async () => {
    const person = await accounts.registerVerified('Simple')
    const token = await byPassword(person)
    expect((await accounts.call(call.beginSecondFactor, null, {}, { token })).status).toBe(200)
    expect((await accounts.call(call.beginPasskey, null, {}, { token })).status).toBe(200)
  })
})

describe('an account that was never verified', () => {
  const unverify = (email: string) =>
    accounts.owner(`UPDATE app.users SET email_verified_at = NULL WHERE email = '${email}'`)

  test('[F-10] cannot start or add a passkey', async () => {
    const person = await accounts.register('Squatter')
    const token = tokenOf(person)
    const refused = { status: 401, code: 'email_not_verified' }
    expect(await accounts.call(call.beginPasskey, null, {}, { token })).toMatchObject(refused)
    await accounts.verify(person.email)
    const { data } = await accounts.call(call.beginPasskey, null, {}, { token })
    await unverify(person.email)
    const body = { name: 'Laptop', response: newAuthenticator().create(data) }
    expect(await accounts.call(call.addPasskey, null, { body }, { token })).toMatchObject(refused)
    expect(await listOf(token)).toEqual([])
  })

  test('[F-10] a password reset removes its passkeys; a verified account keeps its own', async () => {
    const [squatted, owned] = [await withPasskey('Squatted'), await withPasskey('Owned')]
    await unverify(squatted.person.email)
    for (const { person } of [squatted, owned]) {
      await accounts.call(account.forgotPassword, null, { body: { email: person.email } })
      const body = { token: await accounts.resetTokenOf(person.email), password: 'a new horse' }
      expect((await accounts.call(account.resetPassword, null, { body })).status).toBe(200)
    }
    expect((await logIn(squatted.authenticator)).code).toBe('invalid_passkey')
    expect((await logIn(owned.authenticator)).status).toBe(200)
    expect(await subjectsTo(squatted.person.email)).toContain('A passkey was removed from your account')
    expect(await actionsOn(squatted.person)).toContain('passkey.removed')
  })
})
