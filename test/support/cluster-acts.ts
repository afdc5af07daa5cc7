import { randomUUID } from 'node:crypto'
import * as accounts from '#shared/contract/accounts.ts'
import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { addEarning, approveEarning } from '#shared/contract/earnings.ts'
import { approveInvestment, closeInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { demoMailbox } from '#shared/contract/site.ts'
import { approveWithdrawal, newWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import type { balanced } from './cluster.ts'
import { until } from './processes.ts'

export type Person = { email: string; token: string }

const bitcoinAddress = 'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp'
/** Body of a request for a withdrawal. */
export const withdrawal = (amount: number) =>
  ({ amount, wallet: 'Bitcoin (BTC)', address: bitcoinAddress }) as const

/** What people do on the processes of a demonstration. */
export function actsWith(call: ReturnType<typeof balanced>) {
  async function signIn(email: string, password: string): Promise<Person> {
    const { token } = await call(accounts.login, { body: { email, password } })
    return { email, token: token.accessToken }
  }

  /** A visitor who registers and reads the code in the mailbox. */
  async function register(name: string): Promise<Person> {
    const email = `${randomUUID()}@example.com`
    const person = { name, email, phone: '+61 400 000 000', country: 'Australia' }
    const { token } = await call(accounts.signup, { body: { ...person, password: 'correct horse' } })
    const subject = await emailTo(email, /is your verification code/)
    await call(accounts.verifyEmail, { body: { otp: subject.slice(0, 6), email } })
    return { email, token: token.accessToken }
  }

  async function emailsTo(email: string): Promise<string[]> {
    const emails = await call(demoMailbox, { query: { to: email } })
    return emails.map(({ subject }) => subject)
  }

  /** Waits for the email; another worker takes over from one that was killed while sending it. */
  async function emailTo(email: string, subject: RegExp): Promise<string> {
    let found: string | undefined
    await until(async () => {
      found = (await emailsTo(email)).find(text => subject.test(text))
      return found !== undefined
    })
    return found!
  }

  /** A call that moves money, as the web client makes it: with one key for all its tries. */
  function pay<C extends CallDefinition>(of: C, { token }: Person, input: Partial<CallInput<C>>) {
    return call(of, input, { token, key: randomUUID() })
  }

  async function funded(name: string, amount: number): Promise<{ person: Person; admin: Person }> {
    const admin = await signIn('admin@probity.test', 'demo-admin')
    const person = await register(name)
    const deposit = await pay(newDeposit, person, { body: { method: 'usdt', amount } })
    await pay(approveDeposit, admin, { params: { id: deposit._id } })
    return { person, admin }
  }

  /** From a balance of $10,000: invests 900, earns 33.33, gets the 900 back, withdraws 5,000. */
  async function investEarnAndWithdraw(person: Person, admin: Person) {
    const { _id: userId } = await call(accounts.me, {}, person)
    const { _id: investment } = await pay(newInvestment, person, {
      body: { method: 'balance', plan: 'Basic', amount: 900 },
    })
    await pay(approveInvestment, admin, { params: { id: investment } })
    await pay(newReturn, admin, {
      body: { amount: 100, source: 'Rent', realisedAt: '2026-01-31', evidence: 'https://example.com' },
    })
    const second = await signIn('admin2@probity.test', 'demo-admin2')
    const [earning] = await pay(addEarning, admin, { params: { userId }, body: { amount: 33.33 } })
    await pay(approveEarning, second, { params: { id: earning!._id } })
    await pay(closeInvestment, admin, { params: { id: investment }, body: { reason: 'Closed early' } })
    const { _id: last } = await pay(newWithdrawal, person, { body: withdrawal(5_000) })
    await pay(approveWithdrawal, admin, { params: { id: last } })
    await pay(payWithdrawal, second, { params: { id: last }, body: { transactionId: 'f00d'.repeat(16) } })
  }

  return { signIn, register, pay, funded, investEarnAndWithdraw }
}
