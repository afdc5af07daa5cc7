import { beforeAll, describe, expect, test } from 'vitest'
import * as call from '#shared/contract/accounts.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'

let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts()
})

async function someone(name: string) {
  const { answer, email, password } = await accounts.register(name)
  const token = answer.data.token.accessToken
  return { token, email, password, user: answer.data.user }
}

describe('profile', () => {
  test('[C-09, C-17] what is updated is what is read', async () => {
    const { token, email } = await someone('Before')
    const body = { name: 'After Wards', email, phone: '+49 30 1234567', country: 'Germany' }
    const updated = await accounts.call(call.updateProfile, null, { body }, { token })
    expect(updated).toMatchObject({
      status: 200,
      message: 'Profile updated successfully',
      data: { user: body },
    })
    expect((await accounts.call(call.me, null, {}, { token })).data).toMatchObject(body)
  })

  test('[C-09] a changed address must be verified again before money moves, and the old one is told', async () => {
    const { token, email, user } = await someone('Mover')
    await accounts.verify(email)
    const next = accounts.newEmail()
    const body = { name: 'Mover', email: next, phone: user.phone, country: user.country }
    await accounts.call(call.updateProfile, null, { body }, { token })
    expect((await accounts.lettersTo(email)).at(-1)?.subject).toBe('Your email address was changed')
    const deposit = { body: { method: 'usdt', amount: 100 } } as const
    expect(await accounts.call(newDeposit, null, deposit, { token })).toMatchObject({
      status: 401,
      code: 'email_not_verified',
      message: expect.stringContaining('Please verify email address'),
    })
    await accounts.verify(next)
    expect((await accounts.call(newDeposit, null, deposit, { token })).status).toBe(200)
  })

  test("[C-09] somebody else's address is refused and nothing changes", async () => {
    const [one, other] = [await someone('One'), await someone('Other')]
    const body = { name: 'One', email: other.email, phone: '+61 2 1234 5678', country: 'Australia' }
    expect(await accounts.call(call.updateProfile, null, { body }, { token: one.token })).toMatchObject({
      status: 409,
      code: 'email_taken',
    })
    expect((await accounts.call(call.me, null, {}, { token: one.token })).data.email).toBe(one.email)
  })

  test('[C-09] of two who want one address at the same time one gets it, the other the words', async () => {
    const people = await Promise.all(['One', 'Two', 'Three', 'Four'].map(name => someone(name)))
    const email = accounts.newEmail()
    const body = { name: 'Somebody', email, phone: '+61 2 1234 5678', country: 'Australia' }
    const answers = await Promise.all(
      people.map(({ token }) => accounts.call(call.updateProfile, null, { body }, { token })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
  })

  test('[A-13] a link that was mailed to the old address dies with it', async () => {
    const { token, email, user } = await someone('Mover')
    await accounts.call(call.forgotPassword, null, { body: { email } })
    const link = await accounts.resetTokenOf(email)
    const body = { name: 'Mover', email: accounts.newEmail(), phone: user.phone, country: user.country }
    await accounts.call(call.updateProfile, null, { body }, { token })
    const reset = await accounts.call(call.resetPassword, null, {
      body: { token: link, password: 'brand new words' },
    })
    expect(reset).toMatchObject({ status: 400, code: 'invalid_reset_token' })
  })
})

describe('reading accounts', () => {
  test('[C-16] echo answers for oneself, and refuses others whether they are there or not', async () => {
    const [one, other] = [await someone('Echo'), await someone('Silence')]
    const echo = (email: string, token: string) =>
      accounts.call(call.echo, null, { query: { email } }, { token })
    expect((await echo(one.email, one.token)).data.user.name).toBe('Echo')
    const known = await echo(other.email, one.token)
    const unknown = await echo(accounts.newEmail(), one.token)
    expect(known).toMatchObject({ status: 403, code: 'forbidden' })
    expect({ ...unknown, headers: null }).toEqual({ ...known, headers: null })
  })

  test('[C-16, C-18] an admin reads anybody, and finds users by a part of name or address', async () => {
    const { email } = await someone('Needle Haystack')
    const admin = accounts.admin.caller
    expect((await accounts.call(call.echo, admin, { query: { email } })).data.user.email).toBe(email)
    const found = await accounts.call(call.listUsers, admin, { query: { q: 'needle hay' } })
    expect(found.data).toMatchObject([{ email, activeInvestments: 0 }])
    expect(found.page).toEqual({ total: 1, nextCursor: null })
  })

  test('[C-18, R-07] the list of users is for admins, in pages without gaps or repeats', async () => {
    const { token } = await someone('Curious')
    expect((await accounts.call(call.listUsers, null, {}, { token })).status).toBe(403)
    const names: string[] = []
    let cursor: string | undefined
    do {
      const answer = await accounts.call(call.listUsers, accounts.admin.caller, {
        query: { limit: 3, cursor },
      })
      names.push(...answer.data.map(({ _id }) => _id))
      cursor = answer.page?.nextCursor ?? undefined
    } while (cursor !== undefined)
    const { rows } = await accounts.owner('SELECT id FROM app.users ORDER BY id DESC')
    expect(names).toEqual(rows.map(({ id }) => id))
  })

  test('[C-17] an account without any posting has zeros', async () => {
    const { token } = await someone('Fresh')
    expect((await accounts.call(call.summary, null, {}, { token })).data).toMatchObject({
      balance: 0,
      invested: 0,
      held: 0,
      withdrawals: { total: 0, approved: 0, pending: 0, times: 0 },
    })
  })
})
