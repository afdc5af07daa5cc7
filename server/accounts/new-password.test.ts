import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { isCommonPassword } from '#server/platform/passwords.ts'
import * as call from '#shared/contract/accounts.ts'
import { acceptInvitation, inviteStaff } from '#shared/contract/staff.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'

let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts()
})

const common = 'This password is too common. Choose another one.'
const weak =
  'This password is easy to guess. Three or four unrelated words are hard to guess and easy to remember.'
const short = 'Staff need a password of at least 12 characters'

const register = async (password: string, name = 'Wilma Weaver') =>
  (await accounts.register(name, { password })).answer

describe('the password of an investor', () => {
  test.each([
    ['Password1', common],
    ['lexxityler', common],
    ['Summer2025', common],
    ['qwertyuiopas', weak],
    ['aaaaaaaaaaaaaaaa', weak],
    ['monkey2019', weak],
    ['abc', 'Password must be at least six characters long'],
  ])('[A-06, A-20] %s is refused', async (password, message) => {
    expect(await register(password)).toMatchObject({ status: 400, fields: { password: message } })
  })

  test("[A-20] the site's words, and parts of the owner's name and email, are easy to guess", async () => {
    const name = 'Zaxwibo Quorndel'
    for (const password of ['probity77', 'Probity2025', 'zaxwibo90', 'Qu0rndel!']) {
      expect(await register(password, name), password).toMatchObject({
        status: 400,
        fields: { password: weak },
      })
    }
    expect((await register('zaxwibo90', 'Someone Else')).status).toBe(200)
  })

  test.each(['xk4#9q', 'correct horse', `${'plain words '.repeat(16)}ok`])(
    '[A-06, A-20] %s is good enough',
    async password => {
      expect((await register(password)).status).toBe(200)
    },
  )

  test('[A-20] is checked whenever it is set', async () => {
    const { email, password: oldPassword, answer } = await accounts.register('Nora')
    const { accessToken: token } = answer.data.token
    const change = { body: { oldPassword, newPassword: 'monkey2019' } }
    expect(await accounts.call(call.changePassword, null, change, { token })).toMatchObject({
      fields: { newPassword: weak },
    })
    await accounts.call(call.forgotPassword, null, { body: { email } })
    const reset = { body: { token: await accounts.resetTokenOf(email), password: 'monkey2019' } }
    expect(await accounts.call(call.resetPassword, null, reset)).toMatchObject({ fields: { password: weak } })
  })

  test('[A-20] is estimated sixty times an hour at most for one account', async () => {
    const { password: oldPassword, answer } = await accounts.register('Nell')
    const { token, user } = answer.data
    await accounts.owner(`
      INSERT INTO app.rate_limits (key, points, expire)
      VALUES ('auth.changePassword:${user._id}', 59, (extract(epoch FROM now()) + 50) * 1000)`)
    const change = () => {
      const body = { oldPassword, newPassword: 'monkey2019' }
      return accounts.call(call.changePassword, null, { body }, { token: token.accessToken })
    }
    expect((await change()).fields).toEqual({ newPassword: weak })
    expect(await change()).toMatchObject({ status: 429, code: 'rate_limited' })
  })

  test('[A-20] a random one is hardly ever taken for a common one', () => {
    const random = Array.from({ length: 2000 }, () => randomBytes(12).toString('base64'))
    expect(random.filter(isCommonPassword).length).toBeLessThan(3)
  })
})

describe('the password of staff', () => {
  const invited = async (email: string) => {
    const body = { name: 'Stella', email, role: 'auditor', reason: 'Joins us' } as const
    await accounts.call(inviteStaff, accounts.admin.caller, { body })
    const token = await accounts.resetTokenOf(email)
    return (password: string) => accounts.call(acceptInvitation, null, { body: { token, password } })
  }

  test('[W-01, A-20] has 12 characters and is harder to guess, whenever it is set', async () => {
    const email = accounts.newEmail()
    const accept = await invited(email)
    expect(await accept('xk4#9q-vLw2')).toMatchObject({ status: 400, fields: { password: short } })
    expect(await accept('monkey-dragon1')).toMatchObject({ status: 400, fields: { password: weak } })
    const password = 'seven quiet herons'
    expect((await accept(password)).status).toBe(200)

    const { data } = await accounts.call(call.login, null, { body: { email, password } })
    const change = { body: { oldPassword: password, newPassword: 'xk4#9q-vLw2' } }
    const { accessToken: token } = data.token
    expect(await accounts.call(call.changePassword, null, change, { token })).toMatchObject({
      status: 400,
      fields: { newPassword: short },
    })
    await accounts.call(call.forgotPassword, null, { body: { email } })
    const reset = { body: { token: await accounts.resetTokenOf(email), password: 'xk4#9q-vLw2' } }
    expect(await accounts.call(call.resetPassword, null, reset)).toMatchObject({
      fields: { password: short },
    })
  })

  test('[W-01] no investor becomes staff with the password they have', async () => {
    const { email } = await accounts.register('Ian Investor')
    const body = { name: 'Ian', email, role: 'auditor', reason: 'Joins us' } as const
    expect(await accounts.call(inviteStaff, accounts.admin.caller, { body })).toMatchObject({
      status: 409,
      code: 'email_taken',
    })
  })
})
