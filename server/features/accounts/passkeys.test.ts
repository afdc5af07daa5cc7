import { beforeAll, describe, expect, test } from 'vitest'
import * as account from '#shared/contract/accounts.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import * as call from '#shared/contract/second-factor.ts'
import { listAudit } from '#shared/contract/site.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { type Faults, newAuthenticator } from '#test/support/authenticator.ts'
import { appCode } from '#test/support/totp.ts'

let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts()
})

type Registered = Awaited<ReturnType<Accounts['register']>>
type Authenticator = ReturnType<typeof newAuthenticator>
const tokenOf = ({ answer }: Registered) => answer.data.token.accessToken

async function add(person: Registered, authenticator: Authenticator, name = 'Laptop', faults: Faults = {}) {
  const token = tokenOf(person)
  const { data: options } = await accounts.call(call.beginPasskey, null, {}, { token })
  const body = { name, response: authenticator.create(options, faults) }
  return accounts.call(call.addPasskey, null, { body }, { token })
}

const askLogin = async () => (await accounts.call(call.beginPasskeyLogin, null)).data
const answerLogin = (response: ReturnType<Authenticator['get']>) =>
  accounts.call(call.loginByPasskey, null, { body: { response } })
const logIn = async (authenticator: Authenticator, faults: Faults = {}) =>
  answerLogin(authenticator.get(await askLogin(), faults))

/** Somebody with a passkey on an authenticator of his own. */
async function withPasskey(name = 'Pat', authenticator = newAuthenticator()) {
  const person = await accounts.register(name)
  const { data: passkey } = await add(person, authenticator)
  return { person, authenticator, passkey, token: tokenOf(person) }
}

const listOf = async (token: string) => (await accounts.call(call.passkeys, null, {}, { token })).data
const newsOf = async (token: string) => (await accounts.call(listNotifications, null, {}, { token })).data
const subjectsTo = async (email: string) => (await accounts.lettersTo(email)).map(({ subject }) => subject)
const actionsOn = async ({ answer }: Registered) => {
  const query = { q: answer.data.user._id }
  return (await accounts.call(listAudit, accounts.admin.caller, { query })).data.map(({ action }) => action)
}

describe('adding and removing', () => {
  test('[F-05] is asked for as one that is chosen on the device and unlocked by its owner', async () => {
    const person = await accounts.register('Asker')
    const { data } = await accounts.call(call.beginPasskey, null, {}, { token: tokenOf(person) })
    expect(data).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: person.email, displayName: 'Asker' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: [],
    })
  })

  test('[F-05, F-07] is listed under its name with when it was added and used, and told', async () => {
    const { person, authenticator, passkey, token } = await withPasskey()
    expect(await listOf(token)).toEqual([passkey])
    expect(passkey).toMatchObject({ name: 'Laptop', lastUsedAt: null, refused: false })
    await logIn(authenticator)
    expect((await listOf(token))[0]?.lastUsedAt).not.toBeNull()
    expect((await newsOf(token)).map(({ text }) => text)).toContain(
      "The passkey 'Laptop' was added to your account.",
    )
    expect(await subjectsTo(person.email)).toContain('A passkey was added to your account')
    expect(await actionsOn(person)).toContain('passkey.added')
  })

  test('[F-05] the same one is not added twice, and the device is told which there are', async () => {
    const { person, authenticator, token } = await withPasskey()
    const { data } = await accounts.call(call.beginPasskey, null, {}, { token })
    expect(data.excludeCredentials).toHaveLength(1)
    expect((await add(person, authenticator)).code).toBe('invalid_passkey')
    const other = await accounts.register('Other')
    expect((await add(other, authenticator)).code).toBe('invalid_passkey')
    expect(await listOf(tokenOf(other))).toEqual([])
  })

  test('[F-05] there are at most twenty of an account, also when they are added at once', async () => {
    const person = await accounts.register('Collector')
    for (let n = 0; n < 18; n++) await add(person, newAuthenticator(), `Key ${n}`)
    const answers = await Promise.all(Array.from({ length: 5 }, () => add(person, newAuthenticator())))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(await listOf(tokenOf(person))).toHaveLength(20)
  })

  test('[F-05] a removed one opens nothing any more; that it was there is still told', async () => {
    const { person, authenticator, passkey, token } = await withPasskey()
    const removed = await accounts.call(call.removePasskey, null, { params: { id: passkey._id } }, { token })
    expect(removed.status).toBe(200)
    expect(await listOf(token)).toEqual([])
    expect((await logIn(authenticator)).code).toBe('invalid_passkey')
    const letter = (await accounts.lettersTo(person.email)).at(-1)
    expect(letter).toMatchObject({ subject: 'A passkey was removed from your account' })
    expect(letter?.text).toContain("The passkey 'Laptop' was removed from your account.")
    expect((await newsOf(token)).map(({ kind, text }) => [kind, text])).toEqual([
      ['passkey.removed', 'A passkey was removed from your account.'],
      ['passkey.added', 'A passkey was added to your account.'],
    ])
    expect(await actionsOn(person)).toContain('passkey.removed')
  })

  test('[F-05] needs a proof of identity that is not old, for adding and for removing', async () => {
    const { passkey, token } = await withPasskey()
    accounts.clock.pass({ minutes: 11 })
    expect((await accounts.call(call.beginPasskey, null, {}, { token })).code).toBe('proof_required')
    const params = { id: passkey._id }
    expect((await accounts.call(call.removePasskey, null, { params }, { token })).code).toBe('proof_required')
    expect(await listOf(token)).toHaveLength(1)
  })

  test('[F-05] a device that did not unlock it, or another site, adds nothing', async () => {
    const person = await accounts.register('Faulty')
    const faults = [{ verified: false }, { origin: 'http://localhost:4000' }, { rpId: 'example.com' }]
    for (const fault of faults) {
      expect((await add(person, newAuthenticator(), 'Faulty', fault)).code).toBe('invalid_passkey')
    }
    expect(await listOf(tokenOf(person))).toEqual([])
  })
})

describe('signing in', () => {
  test('[F-05] needs no password and no code: it is both factors', async () => {
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

  test('[F-06] a challenge is answered once, also when the answer is sent many times at once', async () => {
    // One that does not count, so that nothing but the challenge tells the answers apart.
    const { authenticator } = await withPasskey('Once', newAuthenticator({ counts: false }))
    const response = authenticator.get(await askLogin())
    const answers = await Promise.all(Array.from({ length: 5 }, () => answerLogin(response)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400])
  })

  test('[F-06] a challenge is over after five minutes, and one for another purpose is none', async () => {
    const { authenticator, token } = await withPasskey()
    const late = authenticator.get(await askLogin())
    accounts.clock.pass({ minutes: 5 })
    expect((await answerLogin(late)).code).toBe('invalid_passkey')
    const { data: proof } = await accounts.call(call.beginPasskeyProof, null, {}, { token })
    expect((await answerLogin(authenticator.get(proof))).code).toBe('invalid_passkey')
    const made = authenticator.get({ ...proof, challenge: 'of-my-own-making' })
    expect((await answerLogin(made)).code).toBe('invalid_passkey')
  })

  test('[F-06] not unlocked, from another site, for another site, or not signed by it: refused', async () => {
    const { authenticator, person } = await withPasskey()
    const faults = [{ verified: false }, { origin: 'https://probity.example' }, { rpId: 'example.com' }]
    for (const fault of faults) expect((await logIn(authenticator, fault)).code).toBe('invalid_passkey')
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

  test('[F-06] a counter that goes back ends the passkey, which is told once', async () => {
    const { authenticator, person, token } = await withPasskey()
    expect((await logIn(authenticator)).status).toBe(200)
    const copy = await logIn(authenticator, { counter: 2 })
    expect(copy).toMatchObject({ status: 400, code: 'invalid_passkey' })
    expect(copy.message).toContain('there may be a copy of it')
    expect((await logIn(authenticator)).message).toBe(copy.message)
    expect((await listOf(token))[0]).toMatchObject({ refused: true })
    const told = (await newsOf(token)).filter(({ kind }) => kind === 'passkey.refused')
    expect(told).toHaveLength(1)
    const subject = 'A passkey of your account is not accepted any more'
    expect((await subjectsTo(person.email)).filter(each => each === subject)).toHaveLength(1)
    expect((await actionsOn(person)).filter(action => action === 'passkey.refused')).toHaveLength(1)
  })

  test('[F-06] an authenticator that does not count is accepted each time', async () => {
    const { authenticator } = await withPasskey('Synced', newAuthenticator({ counts: false }))
    for (let n = 0; n < 3; n++) expect((await logIn(authenticator)).status).toBe(200)
  })
})

describe('proving who one is', () => {
  test('[F-05] one of one’s own passkeys is as good as the password', async () => {
    const { authenticator, token } = await withPasskey()
    const other = await withPasskey('Other')
    accounts.clock.pass({ minutes: 11 })
    const { data } = await accounts.call(call.beginPasskeyProof, null, {}, { token })
    expect(data.allowCredentials).toHaveLength(1)
    const prove = (response: ReturnType<Authenticator['get']>) =>
      accounts.call(call.proveByPasskey, null, { body: { response } }, { token })
    expect((await prove(other.authenticator.get(data))).code).toBe('invalid_passkey')
    const { data: again } = await accounts.call(call.beginPasskeyProof, null, {}, { token })
    expect((await prove(authenticator.get(again))).status).toBe(200)
    expect((await accounts.call(call.beginPasskey, null, {}, { token })).status).toBe(200)
  })
})
