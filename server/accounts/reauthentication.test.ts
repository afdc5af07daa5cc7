import { beforeAll, expect, test } from 'vitest'
import * as call from '#shared/contract/accounts.ts'
import { newAddress } from '#shared/contract/addresses.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'

let accounts: Accounts
beforeAll(async () => {
  accounts = await openAccounts()
})

type Someone = { token: string; email: string; password: string }

async function verified(name: string): Promise<Someone> {
  const { answer, email, password } = await accounts.register(name)
  await accounts.verify(email)
  return { token: answer.data.token.accessToken, email, password }
}

const wallet = 'Bitcoin (BTC)'
const addresses = [
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
] as const

/** An action that needs a recent reauthentication. */
const act = (who: Someone, address: string = addresses[0]) =>
  accounts.call(newAddress, null, { body: { wallet, address } }, who)
const reauthenticate = (who: Someone, password = who.password) =>
  accounts.call(call.reauthenticate, null, { body: { password } }, who)
const actions = async (email: string) => {
  const { rows } =
    await accounts.owner(`SELECT a.action FROM app.audit_log a JOIN app.users u ON u.id = a.actor_id
     WHERE u.email = '${email}' ORDER BY a.id`)
  return rows.map(({ action }: { action: string }) => action)
}

test('[A-17] a login counts for ten minutes, then the password counts again', async () => {
  const person = await verified('Paula')
  accounts.clock.pass({ minutes: 9 })
  expect((await act(person)).status).toBe(200)
  accounts.clock.pass({ minutes: 2 })
  expect(await act(person, addresses[1])).toMatchObject({
    status: 403,
    code: 'proof_required',
    message: 'Enter your password again to continue',
  })
  expect((await reauthenticate(person)).status).toBe(200)
  expect((await act(person, addresses[1])).status).toBe(200)
  expect(await actions(person.email)).toContain('proof.given')
})

test('[A-17] counts for one session, and survives its token refresh', async () => {
  const person = await verified('Petra')
  accounts.clock.pass({ minutes: 11 })
  const { data } = await accounts.call(call.login, null, { body: person })
  expect((await act(person)).code).toBe('proof_required')
  const renewed = await accounts.call(call.refresh, null, { body: data.token })
  expect((await act({ ...person, token: renewed.data.token.accessToken })).status).toBe(200)
})

test('[A-17] audits a wrong password and allows ten tries', async () => {
  const person = await verified('Polly')
  accounts.clock.pass({ minutes: 11 })
  for (let tries = 0; tries < 10; tries += 1) {
    expect(await reauthenticate(person, 'not this one')).toMatchObject({
      status: 400,
      fields: { password: 'Incorrect password' },
    })
  }
  expect(await reauthenticate(person)).toMatchObject({ status: 429, code: 'too_many_tries' })
  const body = { oldPassword: person.password, newPassword: 'brand new words' }
  expect((await accounts.call(call.changePassword, null, { body }, person)).status).toBe(429)
  expect((await act(person)).code).toBe('proof_required')
  expect((await actions(person.email)).filter(action => action === 'proof.failed')).toHaveLength(10)
})
