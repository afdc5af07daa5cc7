import { describe, expect, test } from 'vitest'
import * as call from '#shared/contract/second-factor.ts'
import { secondFactors } from '#test/support/second-factors.ts'

const { accounts, code, guarded, logIn, statusOf, notificationKindsOf, subjectsTo, actionsOn } =
  secondFactors()

describe('recovery codes', () => {
  test('[F-02] each opens the account once, however typed, and is notified', async () => {
    const person = await guarded()
    const [first = '', second = ''] = person.recoveryCodes
    expect((await logIn(person, first.toLowerCase().replaceAll('-', ' '))).status).toBe(200)
    expect((await logIn(person, first)).code).toBe('invalid_code')
    const { status, data } = await logIn(person, second)
    expect(status).toBe(200)
    expect(await statusOf(data.token.accessToken)).toMatchObject({ recoveryCodesLeft: 8 })
    const notified = await notificationKindsOf(data.token.accessToken)
    expect(notified.filter(kind => kind === 'recovery_code.used')).toHaveLength(2)
    expect(await subjectsTo(person.email)).toContain('A recovery code was used')
    expect(await actionsOn(person)).toContain('recovery_code.used')
  })

  test('[F-02] one of many parallel uses counts', async () => {
    const person = await guarded()
    const answers = await Promise.all(Array.from({ length: 5 }, () => logIn(person, person.recoveryCodes[0])))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('[F-02] new codes replace the old ones', async () => {
    const person = await guarded()
    const { token, recoveryCodes, secret } = person
    const renew = (typed: string) =>
      accounts().call(call.renewRecoveryCodes, null, { body: { code: typed } }, { token })
    expect((await renew(code(secret, 9))).code).toBe('invalid_code')
    const { data } = await renew(code(secret))
    expect(data.recoveryCodes).toHaveLength(10)
    expect((await logIn(person, recoveryCodes[0])).code).toBe('invalid_code')
    expect((await logIn(person, data.recoveryCodes[0])).status).toBe(200)
    expect(await notificationKindsOf(token)).toContain('recovery_codes.renewed')
    expect(await actionsOn(person)).toContain('recovery_codes.renewed')
  })

  test("[F-02] one works after an attacker has used up the app's daily tries", async () => {
    const person = await guarded()
    const { rows } = await accounts().owner(`
      INSERT INTO app.rate_limits (key, points, expire)
      SELECT 'factor:' || id || ':longer:elsewhere', 50, (extract(epoch FROM now()) + 80000) * 1000
        FROM app.users WHERE email = '${person.email}' RETURNING key`)
    expect(rows).toHaveLength(1)
    const ip = '192.0.2.1'
    expect((await logIn(person, code(person.secret), ip)).code).toBe('too_many_tries')
    expect((await logIn(person, person.recoveryCodes[0], ip)).status).toBe(200)
  })

  test("[F-02] wrong ones count for the account, apart from the app's tries", async () => {
    const person = await guarded()
    for (let n = 0; n < 11; n++) {
      expect((await logIn(person, `AAAA-AAAA-AAAA-AA${n + 10}`, `10.8.0.${n}`)).code).toBe('invalid_code')
    }
    const { rows } = await accounts().owner(`
      UPDATE app.rate_limits SET points = 60 WHERE points = 11
         AND key = (SELECT 'recovery:' || id || ':network:10.8.0.0/24' FROM app.users
                     WHERE email = '${person.email}') RETURNING key`)
    expect(rows).toHaveLength(1)
    expect((await logIn(person, person.recoveryCodes[0], '10.8.0.99')).code).toBe('too_many_tries')
    expect((await logIn(person, code(person.secret), '10.8.0.99')).status).toBe(200)
  })

  test("[F-02] one account's codes open no other account", async () => {
    const [person, other] = [await guarded('One'), await guarded('Two')]
    expect((await logIn(other, person.recoveryCodes[0])).code).toBe('invalid_code')
  })
})
