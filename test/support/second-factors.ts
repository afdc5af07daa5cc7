import { beforeAll } from 'vitest'
import * as account from '#shared/contract/accounts.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import * as call from '#shared/contract/second-factor.ts'
import { listAudit } from '#shared/contract/site.ts'
import { type Accounts, openAccounts } from './accounts.ts'
import { appCode } from './totp.ts'

export type Registered = Awaited<ReturnType<Accounts['register']>>
type Guarded = Registered & { token: string; secret: string; recoveryCodes: string[] }

export const tokenOf = ({ answer }: Registered) => answer.data.token.accessToken

/** The world of accounts.ts for a test file, with helpers for two-factor authentication. */
export function secondFactors() {
  let accounts: Accounts
  beforeAll(async () => {
    accounts = await openAccounts()
  })
  const code = (secret: string, stepsLater = 0) => appCode(secret, accounts.clock.now(), stepsLater)
  async function beginOf(person: Registered) {
    const { data } = await accounts.call(call.beginSecondFactor, null, {}, { token: tokenOf(person) })
    return data
  }
  const confirmBy = (token: string, typed: string) =>
    accounts.call(call.confirmSecondFactor, null, { body: { code: typed } }, { token })
  return {
    accounts: () => accounts,
    /** The app's current code, or that of a later step. */
    code,
    beginOf,
    confirmBy,
    /** A user with two-factor authentication and an unused code. */
    async guarded(name = 'Greta'): Promise<Guarded> {
      const person = await accounts.registerVerified(name)
      const { secret } = await beginOf(person)
      const { data } = await confirmBy(tokenOf(person), code(secret))
      accounts.clock.pass({ minutes: 1 })
      return { ...person, token: tokenOf(person), secret, recoveryCodes: data.recoveryCodes }
    },
    logIn({ email, password }: Registered, typed?: string, ip?: string) {
      const body = { email, password, ...(typed === undefined ? {} : { code: typed }) }
      return accounts.call(account.login, null, { body }, ip ? { ip } : {})
    },
    statusOf: async (token: string) => (await accounts.call(call.secondFactor, null, {}, { token })).data,
    notificationKindsOf: async (token: string) =>
      (await accounts.call(listNotifications, null, {}, { token })).data.map(({ kind }) => kind),
    subjectsTo: async (email: string) => (await accounts.emailsTo(email)).map(({ subject }) => subject),
    async actionsOn({ answer }: Registered) {
      const query = { q: answer.data.user._id }
      const { data } = await accounts.call(listAudit, accounts.admin.caller, { query })
      return data.map(({ action }) => action)
    },
  }
}
