import { describe, expect, test } from 'vitest'
import { sampleFirm } from '#server/demo/firm.ts'
import * as account from '#shared/contract/accounts.ts'
import { closeAccount, closing, reopenUser } from '#shared/contract/closing.ts'
import { freezeUser, getUser, unfreezeUser } from '#shared/contract/console.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { newInvestment } from '#shared/contract/investments.ts'
import { listAudit } from '#shared/contract/site.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { type Registered, secondFactors, tokenOf } from '#test/support/second-factors.ts'
import type { Person } from '#test/support/world.ts'

const { accounts, guarded, code, logIn, subjectsTo } = secondFactors()
const world = () => accounts().world

const close = ({ password }: { password: string }, token: string, typed?: string) =>
  accounts().call(closeAccount, null, { body: { password, ...(typed && { code: typed }) } }, { token })

const personOf = ({ answer, email }: Registered): Person => {
  const { _id: id, name } = answer.data.user
  return { id, name, email, caller: { userId: id, role: null, sessionId: '' } }
}

/** An account that its owner has closed. */
async function closed(name: string) {
  const registered = await accounts().registerVerified(name)
  const answer = await close(registered, tokenOf(registered))
  expect(answer).toMatchObject({ status: 200, message: 'Your account is closed' })
  return { ...registered, id: registered.answer.data.user._id }
}

const reopen = (id: string, by: Person = world().admin) =>
  world().call(reopenUser, by, { params: { id }, body: { reason: 'They asked by phone' } })

test('the list of users is narrowed to closed, frozen and unverified accounts', async () => {
  const { id } = await closed('Cleo Closed')
  const frozen = await accounts().registerVerified('Finn Frozen')
  const frozenId = frozen.answer.data.user._id
  await world().call(freezeUser, world().admin, {
    params: { id: frozenId },
    body: { reason: 'A stolen phone' },
  })
  const { answer } = await accounts().register('Uma Unverified')
  const listed = async (status: string) => {
    const { data } = await world().call(account.listUsers, world().admin, { query: { status } })
    return data.map(user => user._id)
  }
  expect(await listed('closed')).toEqual([id])
  expect(await listed('frozen')).toEqual([frozenId])
  expect(await listed('unverified')).toContain(answer.data.user._id)
  expect(await listed('unverified')).not.toContain(frozenId)
})

describe('what is open', () => {
  const withdrawal = {
    amount: 100,
    wallet: 'Bitcoin (BTC)',
    walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  } as const

  async function investorWith(open: string) {
    const registered = await accounts().registerVerified('Oona Open')
    const who = await world().signIn(personOf(registered))
    const { fund, call } = world()
    if (open === 'deposit') await call(newDeposit, who, { body: { method: 'usdt', amount: 150 } })
    else await fund(who, 60_000n)
    const invest = { method: 'balance', plan: 'Basic', amount: 500 } as const
    if (open === 'investment') await call(newInvestment, who, { body: invest })
    if (open === 'withdrawal') await call(newWithdrawal, who, { body: withdrawal })
    return { registered, who }
  }

  test.each(['balance', 'deposit', 'investment', 'withdrawal'])('a %s stands in the way', async open => {
    const { registered, who } = await investorWith(open)
    const { data } = await world().call(closing, who)
    expect(data.matters.map(({ kind }) => kind)).toContain(open)
    const token = world().tokenOf(who)
    expect(await close(registered, token)).toMatchObject({ status: 409, reason: 'something_open' })
    expect((await world().call(account.me, who)).status).toBe(200)
  })

  test('the database refuses it too, from every role', async () => {
    const { who } = await investorWith('balance')
    const statement = `UPDATE app.users SET closed_at = now(), frozen_at = now(), frozen_by = id, freeze_reason = 'x' WHERE id = '${who.id}'`
    await expect(world().owner(statement)).rejects.toMatchObject({ code: 'PB916' })
    await expect(world().services.pool.query(statement)).rejects.toMatchObject({ code: 'PB916' })
  })

  test('nothing does in a new account', async () => {
    const registered = await accounts().registerVerified('Nora New')
    const { data } = await accounts().call(closing, null, {}, { token: tokenOf(registered) })
    expect(data).toEqual({ matters: [] })
  })
})

test('a wrong password closes nothing, and its tries are counted', async () => {
  const registered = await accounts().registerVerified('Wanda Wrong')
  const wrong = await close({ password: 'not this one' }, tokenOf(registered))
  expect(wrong).toMatchObject({ status: 400, fields: { password: 'Incorrect password' } })
  expect((await logIn(registered)).status).toBe(200)
})

test('the second factor is asked for, if it is on', async () => {
  const person = await guarded('Fay Factor')
  expect(await close(person, person.token)).toMatchObject({ code: 'second_factor_required' })
  expect((await close(person, person.token, code(person.secret))).status).toBe(200)
})

test('staff close no account, and nobody closes a frozen one', async () => {
  const registered = await accounts().registerVerified('Freda Frozen')
  const { _id: id } = registered.answer.data.user
  await world().call(freezeUser, world().admin, { params: { id }, body: { reason: 'Asked about a payment' } })
  expect(await close(registered, tokenOf(registered))).toMatchObject({ code: 'account_frozen' })
})

describe('a closed account', () => {
  test('ends every session, and says so after the right password alone', async () => {
    const person = await closed('Clara Closed')
    expect((await accounts().call(account.me, null, {}, { token: tokenOf(person) })).status).toBe(401)
    const right = await logIn(person)
    expect(right).toMatchObject({ status: 403, reason: 'account_closed' })
    expect(right.message).toContain(sampleFirm.supportEmail)
    expect(right.message).toMatch(/^This account was closed on \d+ \w+ \d{4}/)
    const [wrong, unknown] = [
      await logIn({ ...person, password: 'not this one' }),
      await logIn({ ...person, email: accounts().newEmail() }),
    ]
    expect(wrong).toMatchObject({ status: 401, message: unknown.message, code: unknown.code })
  })

  test('gets one last email, no codes, and its address opens no other account', async () => {
    const person = await closed('Lara Last')
    const before = await subjectsTo(person.email)
    expect(before.at(-1)).toBe('Your account is closed')
    const { call } = accounts()
    const forgot = await call(account.forgotPassword, null, { body: { email: person.email } })
    expect(forgot.status).toBe(200)
    await call(account.requestVerification, null, { body: { email: person.email } })
    expect(await subjectsTo(person.email)).toEqual(before)
    const { answer } = await accounts().register('Lara Again', { email: person.email })
    expect(answer).toMatchObject({ code: 'email_taken' })
  })

  test('refers nobody any more', async () => {
    const person = await closed('Rita Referrer')
    const referrer = person.answer.data.user.referralCode
    const { answer } = await accounts().register('Ned Newcomer', { referrer })
    expect(answer).toMatchObject({ status: 400, fields: { referrer: expect.any(String) } })
  })

  test('gets no session and no money row, not even from a thief with our login', async () => {
    const person = await closed('Dora Database')
    const session = `INSERT INTO app.sessions (id, user_id, refresh_hash, expires_at)
      VALUES (gen_random_uuid(), '${person.id}', 'x', now() + interval '1 day')`
    await expect(world().services.pool.query(session)).rejects.toMatchObject({ code: 'PB916' })
    await expect(
      world().services.pool.query(`SELECT app.require_unfrozen(ARRAY['${person.id}']::uuid[])`),
    ).rejects.toMatchObject({ code: 'PB911' })
    const unfrozen = `UPDATE app.users SET frozen_at = NULL, frozen_by = NULL, freeze_reason = NULL WHERE id = '${person.id}'`
    await expect(world().services.pool.query(unfrozen)).rejects.toThrow('users_closed')
  })

  test('is shown as closed, cannot be frozen, and keeps its lines in the log', async () => {
    const person = await closed('Stella Shown')
    const params = { id: person.id }
    const { call, admin } = world()
    const { data } = await call(getUser, admin, { params })
    expect(data).toMatchObject({ closedAt: expect.any(String), freeze: null })
    for (const of of [freezeUser, unfreezeUser]) {
      const answer = await call(of, admin, { params, body: { reason: 'Asked' } })
      expect(answer).toMatchObject({ status: 409, reason: 'account_closed' })
    }
    const { data: lines } = await call(listAudit, admin, { query: { q: 'Stella Shown' } })
    expect(lines[0]).toMatchObject({ action: 'account.closed', actor: person.id })
  })

  test('is reopened by staff with the right, with a line, a notice and the old password', async () => {
    const person = await closed('Rhoda Reopened')
    const auditor = await world().person('Al Auditor', 'auditor')
    expect((await reopen(person.id, auditor)).status).toBe(403)
    expect(await reopen(person.id)).toMatchObject({ status: 200, message: 'Account reopened' })
    expect(await reopen(person.id)).toMatchObject({ status: 409, reason: 'not_closed' })
    expect((await subjectsTo(person.email)).at(-1)).toBe('Your account is open again')
    expect((await logIn(person)).status).toBe(200)
    const { data: lines } = await world().call(listAudit, world().admin, {
      query: { q: 'Rhoda Reopened', status: 'account.reopened' },
    })
    expect(lines).toMatchObject([{ actor: world().admin.id, reason: 'They asked by phone' }])
  })
})

test('a request under way and a closing: one of them wins', async () => {
  const registered = await accounts().registerVerified('Rae Racer')
  const who = await world().signIn(personOf(registered))
  const [deposit, end] = await Promise.all([
    world().call(newDeposit, who, { body: { method: 'usdt', amount: 150 } }),
    close(registered, tokenOf(registered)),
  ])
  const isClosed = end.status === 200
  const { rows } = await world().owner(`SELECT FROM app.deposits WHERE user_id = '${who.id}'`)
  expect(rows).toHaveLength(isClosed ? 0 : 1)
  expect(deposit.status === 200).toBe(!isClosed)
})
