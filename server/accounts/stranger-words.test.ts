import { beforeAll, describe, expect, test } from 'vitest'
import * as call from '#shared/contract/accounts.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { statementsIn } from '#test/support/statements.ts'

let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts()
})

const words = 'Cheap coins at https://evil.example'
const phone = '+61 2 1234 5678'

describe('emails to an address that is not verified', () => {
  test('[A-21] carry no word of the person who registered it', async () => {
    const device = 'the-browser-at-home'
    const { email, password, answer } = await accounts.register(words, { device })
    const token = answer.data.token.accessToken
    accounts.clock.pass({ minutes: 2 })
    await accounts.call(call.requestVerification, null, { query: {}, body: { email } }, { token })
    const body = { email, password, device: 'another-browser-1' }
    await accounts.call(call.login, null, { body }, { ip: '192.0.2.9' })
    await accounts.call(call.forgotPassword, null, { body: { email } })
    const reset = { token: await accounts.resetTokenOf(email), password: 'battery staple' }
    expect((await accounts.call(call.resetPassword, null, { body: reset })).status).toBe(200)

    const sent = await accounts.emailsTo(email)
    expect(sent.map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/is your verification code$/),
      expect.stringMatching(/is your verification code$/),
      'New login to your account',
      'Set a new password',
      'Your password was changed',
    ])
    for (const mail of sent) {
      expect(mail.text).toMatch(/^Hello,\n/)
      expect(JSON.stringify(mail)).not.toMatch(/evil|cheap/i)
    }
  })

  test('[A-16, A-21] nor a new address that an account asks for, nor the old one', async () => {
    const { email: old, answer } = await accounts.register('Milo')
    const { accessToken: token } = answer.data.token
    const email = accounts.newEmail()
    const body = { name: words, email, phone, country: 'Chile' }
    expect((await accounts.call(call.updateProfile, null, { body }, { token })).status).toBe(200)
    const sent = [...(await accounts.emailsTo(email)), ...(await accounts.emailsTo(old))]
    expect(sent).toHaveLength(3)
    expect(JSON.stringify(sent)).not.toMatch(/evil|cheap/i)
  })

  test('[A-21] a verified address is greeted by name', async () => {
    const { email } = await accounts.registerVerified('Vera')
    await accounts.call(call.forgotPassword, null, { body: { email } })
    expect((await accounts.emailsTo(email)).at(-1)?.text).toMatch(/^Hello Vera,\n/)
  })
})

describe('a forgotten password', () => {
  const statementsOf = (email: string) =>
    statementsIn(accounts.services.pool, async () => {
      const answer = await accounts.call(call.forgotPassword, null, { body: { email } }, { ip: '192.0.2.1' })
      expect(answer.status).toBe(200)
    })

  test('[A-13, D8] is the same work with and without an account, before the answer', async () => {
    const { email: verified } = await accounts.registerVerified('Vito')
    const { email: unverified } = await accounts.register('Una')
    const unknown = await statementsOf(accounts.newEmail())
    expect(unknown.length).toBeGreaterThan(2)
    expect(unknown.join()).not.toContain('app.users')
    expect(await statementsOf(verified)).toEqual(unknown)
    expect(await statementsOf(unverified)).toEqual(unknown)
    expect((await accounts.emailsTo(verified)).at(-1)?.subject).toBe('Set a new password')
  })
})
