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

type Someone = Awaited<ReturnType<typeof someone>>

/** Requests another email and leaves the rest of the profile unchanged. */
const ask = (who: Someone, email: string, name = who.user.name) => {
  const body = { name, email, phone: who.user.phone, country: who.user.country }
  return accounts.call(call.updateProfile, null, { body }, who)
}
const confirm = async (who: Someone, email: string) => {
  const body = { otp: await accounts.codeOf(email), email }
  return accounts.call(call.verifyEmail, null, { body }, who)
}
const me = (who: Someone) => accounts.call(call.me, null, {}, who)
const logIn = (email: string, password: string) =>
  accounts.call(call.login, null, { body: { email, password } })
const subjectsTo = async (email: string) => (await accounts.emailsTo(email)).map(({ subject }) => subject)

describe('profile', () => {
  test('[C-09, C-17] reads what was updated', async () => {
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

  test('[D-04] the phone number gets its dialling code; a wrong one changes nothing', async () => {
    const { token, email } = await someone('Caller')
    const update = (phone: string, country: string) =>
      accounts.call(call.updateProfile, null, { body: { name: 'Caller', email, phone, country } }, { token })
    expect((await update('030 1234567', 'Germany')).data.user.phone).toBe('+49 30 1234567')
    expect((await update('(0412) 345-678', 'Australia')).data.user.phone).toBe('+61 412 345 678')
    expect((await update('+44 20 7946 0018', 'Australia')).data.user.phone).toBe('+44 20 7946 0018')
    const before = await accounts.world.state()
    const words = 'Enter a valid phone number for Chile, or start with the dialling code, such as +44'
    expect(await update('12 345', 'Chile')).toMatchObject({ status: 400, fields: { phone: words } })
    expect(await update('12 345', 'Antarctica')).toMatchObject({ status: 400 })
    expect(await update('+44 20 7946 0018', 'Atlantis')).toMatchObject({
      status: 400,
      fields: { country: 'Choose a country from the list' },
    })
    expect(await accounts.world.state()).toEqual(before)
  })

  test('[D-04] an older account keeps its own country and phone number until it changes them', async () => {
    const { token, email, user } = await someone('Elder')
    await accounts.owner(
      `UPDATE app.users SET country = 'Atlantis', phone = '12 345' WHERE id = '${user._id}'`,
    )
    const body = { name: 'Elder Still', email, phone: '12 345', country: 'Atlantis' }
    const updated = await accounts.call(call.updateProfile, null, { body }, { token })
    expect(updated).toMatchObject({ status: 200, data: { user: body } })
  })

  test('[A-16] a new email counts once its code is entered; the old one is notified', async () => {
    const mover = await someone('Mover')
    await accounts.verify(mover.email)
    const next = accounts.newEmail()
    expect((await ask(mover, next)).data.user).toMatchObject({
      email: mover.email,
      emailVerified: true,
      pendingEmail: next,
    })
    expect(await subjectsTo(mover.email)).toContain('A change of your email address was requested')
    expect((await logIn(next, mover.password)).status).toBe(401)
    expect((await logIn(mover.email, mover.password)).status).toBe(200)
    const deposit = { body: { method: 'usdt', amount: 100 } } as const
    expect((await accounts.call(newDeposit, null, deposit, mover)).status).toBe(200)

    expect((await confirm(mover, next)).status).toBe(200)
    expect((await me(mover)).data).toMatchObject({ email: next, emailVerified: true, pendingEmail: null })
    expect((await logIn(mover.email, mover.password)).status).toBe(401)
    expect((await logIn(next, mover.password)).status).toBe(200)
    expect((await subjectsTo(mover.email)).at(-1)).toBe('Your email address was changed')
    expect(await subjectsTo(next)).not.toContain('Your email address was changed')
  })

  test("[A-16] the code works only in the account's session and for its own email", async () => {
    const mover = await someone('Mover')
    await accounts.verify(mover.email)
    const next = accounts.newEmail()
    await ask(mover, next)
    const otp = await accounts.codeOf(next)
    const stranger = await someone('Stranger')
    const enter = (body: { otp: string; email?: string }, who?: { token: string }) =>
      accounts.call(call.verifyEmail, null, { body }, who)
    for (const email of [next, mover.email]) {
      expect(await enter({ otp, email })).toMatchObject({ status: 400, code: 'invalid_code' })
      expect(await enter({ otp, email }, stranger)).toMatchObject({ status: 400, code: 'invalid_code' })
    }
    expect((await me(mover)).data).toMatchObject({ email: mover.email, pendingEmail: next })
    const another = accounts.newEmail()
    await ask(mover, another)
    expect(await enter({ otp, email: next }, mover)).toMatchObject({ status: 400, code: 'invalid_code' })
    expect((await confirm(mover, another)).status).toBe(200)
  })

  test('[A-16] a new email gets three codes an hour, however many accounts request it', async () => {
    const next = accounts.newEmail()
    const many = await Promise.all(Array.from({ length: 8 }, (_, n) => someone(`Flooder ${n}`)))
    const answers = await Promise.all(many.map(who => ask(who, next)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    const refused = answers.find(({ status }) => status !== 200)
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited' })
    expect(refused?.message).toMatch(
      /^Too many codes were sent to this address\. Please try again in \d+ minutes\.$/,
    )
    expect(await accounts.emailsTo(next)).toHaveLength(3)
    const waiting = await Promise.all(many.map(who => me(who)))
    expect(waiting.filter(({ data }) => data.pendingEmail === next)).toHaveLength(3)
    expect((await ask(many[0]!, accounts.newEmail())).status).toBe(200)
  })

  test('[A-16, A-10] sends a new code at most once a minute, and only to its requester', async () => {
    const mover = await someone('Mover')
    const next = accounts.newEmail()
    await ask(mover, next)
    const resend = (who?: { token: string }) =>
      accounts.call(call.requestVerification, null, { query: { email: next }, body: {} }, who)
    expect(await resend(mover)).toMatchObject({ status: 429, code: 'rate_limited' })
    accounts.clock.pass({ minutes: 1.1 })
    expect((await resend()).status).toBe(200)
    expect(await accounts.emailsTo(next)).toHaveLength(1)
    expect((await resend(mover)).status).toBe(200)
    expect(await accounts.emailsTo(next)).toHaveLength(2)
  })

  test('[A-16] a pending email can be dropped, which voids its code', async () => {
    const mover = await someone('Mover')
    const next = accounts.newEmail()
    await ask(mover, next)
    const otp = await accounts.codeOf(next)
    const dropped = await accounts.call(call.dropEmailChange, null, {}, mover)
    expect(dropped.data.user).toMatchObject({ email: mover.email, pendingEmail: null })
    const late = await accounts.call(call.verifyEmail, null, { body: { otp } }, mover)
    expect(late).toMatchObject({ status: 400, code: 'invalid_code' })
    expect((await me(mover)).data.email).toBe(mover.email)
  })

  test("[C-09] refuses another account's email and changes nothing", async () => {
    const [one, other] = [await someone('One'), await someone('Other')]
    expect(await ask(one, other.email)).toMatchObject({ status: 409, code: 'email_taken' })
    expect((await me(one)).data).toMatchObject({ email: one.email, pendingEmail: null })
  })

  test('[A-10, A-16] who wants an address cannot use up the codes of its owner', async () => {
    const mover = await someone('Mover')
    const email = accounts.newEmail()
    expect((await ask(mover, email)).status).toBe(200)
    const { answer } = await accounts.register('Owner', { email })
    const { accessToken: token } = answer.data.token
    const resend = async (caller: { token: string }) => {
      accounts.clock.pass({ minutes: 2 })
      const input = { query: { email }, body: {} }
      return (await accounts.call(call.requestVerification, null, input, caller)).status
    }
    for (let codes = 0; codes < 2; codes++) expect(await resend(mover)).toBe(200)
    expect(await resend(mover)).toBe(429)
    for (let codes = 0; codes < 3; codes++) expect(await resend({ token })).toBe(200)
  })

  test('[A-16] of several accounts, the first to enter its code gets the email', async () => {
    const people = await Promise.all(['One', 'Two', 'Three'].map(name => someone(name)))
    const email = accounts.newEmail()
    const otps: string[] = []
    for (const person of people) {
      expect((await ask(person, email)).status).toBe(200)
      otps.push(await accounts.codeOf(email))
    }
    const answers = await Promise.all(
      people.map((person, place) =>
        accounts.call(call.verifyEmail, null, { body: { otp: otps[place]!, email } }, person),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject({
      code: 'email_taken',
      message: 'Another account now uses this email address. Yours has not changed.',
    })
    const now = await Promise.all(people.map(person => me(person)))
    expect(now.filter(({ data }) => data.email === email)).toHaveLength(1)
    expect(now.map(({ data }) => data.pendingEmail)).toEqual([null, null, null])
  })

  test('[A-17] only a new email needs a recent reauthentication', async () => {
    const mover = await someone('Mover')
    accounts.clock.pass({ minutes: 11 })
    const next = accounts.newEmail()
    expect(await ask(mover, next)).toMatchObject({ status: 403, code: 'proof_required' })
    expect((await me(mover)).data).toMatchObject({ name: 'Mover', pendingEmail: null })
    expect((await ask(mover, mover.email, 'Renamed')).data.user.name).toBe('Renamed')
    await accounts.call(call.reauthenticate, null, { body: mover }, mover)
    expect((await ask(mover, next)).data.user.pendingEmail).toBe(next)
  })

  test('[A-13] a changed email voids reset links sent to the old one', async () => {
    const mover = await someone('Mover')
    await accounts.call(call.forgotPassword, null, { body: mover })
    const link = await accounts.resetTokenOf(mover.email)
    const next = accounts.newEmail()
    await ask(mover, next)
    await confirm(mover, next)
    const reset = await accounts.call(call.resetPassword, null, {
      body: { token: link, password: 'brand new words' },
    })
    expect(reset).toMatchObject({ status: 400, code: 'invalid_reset_token' })
  })

  test('[A-13, A-16] a password reset drops a pending email', async () => {
    const mover = await someone('Mover')
    await ask(mover, accounts.newEmail())
    await accounts.call(call.forgotPassword, null, { body: mover })
    const body = { token: await accounts.resetTokenOf(mover.email), password: 'brand new words' }
    await accounts.call(call.resetPassword, null, { body })
    const again = await logIn(mover.email, 'brand new words')
    expect(again.data.user.pendingEmail).toBeNull()
  })

  test('[A-16] a password change drops a pending email', async () => {
    const mover = await someone('Mover')
    await ask(mover, accounts.newEmail())
    const body = { oldPassword: mover.password, newPassword: 'brand new words' }
    expect((await accounts.call(call.changePassword, null, { body }, mover)).status).toBe(200)
    expect((await me(mover)).data.pendingEmail).toBeNull()
  })
})

describe('reading accounts', () => {
  test('[C-16] echo answers for the caller and refuses others, known or unknown', async () => {
    const [one, other] = [await someone('Echo'), await someone('Silence')]
    const echo = (email: string, token: string) =>
      accounts.call(call.echo, null, { query: { email } }, { token })
    expect((await echo(one.email, one.token)).data.user.name).toBe('Echo')
    const known = await echo(other.email, one.token)
    const unknown = await echo(accounts.newEmail(), one.token)
    expect(known).toMatchObject({ status: 403, code: 'forbidden' })
    expect({ ...unknown, headers: null }).toEqual({ ...known, headers: null })
  })

  test('[C-16, C-18] an admin reads any user and searches by part of name or email', async () => {
    const { email } = await someone('Needle Haystack')
    const admin = accounts.admin.caller
    expect((await accounts.call(call.echo, admin, { query: { email } })).data.user.email).toBe(email)
    const found = await accounts.call(call.listUsers, admin, { query: { q: 'needle hay' } })
    expect(found.data).toMatchObject([{ email, activeInvestments: 0 }])
    expect(found.page).toEqual({ total: 1, nextCursor: null })
  })

  test('[C-18, R-07] lists users for admins, in pages without gaps or repeats', async () => {
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

  test('[C-17] an account without postings has zeros', async () => {
    const { token } = await someone('Fresh')
    expect((await accounts.call(call.summary, null, {}, { token })).data).toMatchObject({
      balance: 0,
      invested: 0,
      held: 0,
      withdrawals: { total: 0, approved: 0, pending: 0, times: 0 },
    })
  })
})
