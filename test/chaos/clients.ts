import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as accounts from '#shared/contract/accounts.ts'
import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import {
  approveInvestment,
  closeInvestment,
  declineInvestment,
  newInvestment,
} from '#shared/contract/investments.ts'
import {
  approveWithdrawal,
  declineWithdrawal,
  newWithdrawal,
  payWithdrawal,
} from '#shared/contract/withdrawals.ts'
import { request } from '#test/support/cluster.ts'
import type { Random } from './random.ts'

/** How long a client waits for an answer, and how long it goes on asking, in milliseconds. */
const ANSWER_MS = 5_000
/** Without a key a call cannot be asked again; such calls are made while nothing fails. */
const KEYLESS_ANSWER_MS = 60_000
const PATIENCE_MS = 120_000
const PAUSE_MS = 50
const FUNDS_USD = 100_000
const BITCOIN_ADDRESS = 'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp'

/** A record of an investor, with the acts on it that were acknowledged, in their order. */
export type Fact = {
  kind: 'withdrawal' | 'investment'
  id: string
  invoiceId: string
  cents: number
  acts: string[]
}

/** When each act was acknowledged, in epoch milliseconds, and how many requests were made. */
export type History = { acknowledged: number[]; tries: number }

/** A visitor's way to all web processes: it asks another one if the first gives no answer. */
export class Client {
  readonly #origins: readonly string[]
  readonly #random: Random
  readonly #history: History

  constructor(origins: readonly string[], random: Random, history: History) {
    this.#origins = origins
    this.#random = random
    this.#history = history
  }

  /**
   * Makes a call with one key until somebody answers: an answer that was lost, or a 5xx, leaves the outcome open.
   * @throws Error if it is refused, or nobody answers for two minutes
   */
  async make<C extends CallDefinition>(
    call: C,
    input: Partial<CallInput<C>>,
    token?: string,
  ): Promise<CallData<C>> {
    const options = {
      limitMs: call.money ? ANSWER_MS : KEYLESS_ANSWER_MS,
      ...(token ? { token } : {}),
      ...(call.money ? { key: randomUUID() } : {}),
    }
    const deadline = Date.now() + PATIENCE_MS
    while (Date.now() < deadline) {
      this.#history.tries++
      const origin = this.#random.pick(this.#origins)
      const answer = await request(origin, call, input, options).catch(() => undefined)
      if (answer !== undefined && answer.status < 400) {
        if (call.money) this.#history.acknowledged.push(Date.now())
        return answer.data
      }
      if (answer !== undefined && answer.status < 500) {
        throw new Error(`${call.id} was refused: ${answer.code}: ${answer.message}`)
      }
      await delay(PAUSE_MS)
    }
    throw new Error(`${call.id}: nobody has answered for ${PATIENCE_MS / 1000} s`)
  }
}

export type Staff = { first: string; second: string }

export async function logInStaff(client: Client): Promise<Staff> {
  const tokenOf = async (email: string, password: string) =>
    (await client.make(accounts.login, { body: { email, password } })).token.accessToken
  return {
    first: await tokenOf('admin@probity.test', 'demo-admin'),
    second: await tokenOf('admin2@probity.test', 'demo-admin2'),
  }
}

/** An investor with money, and a model of their balances in cents that only acknowledged acts change. */
export class Investor {
  readonly facts: Fact[] = []
  readonly model = { balance: FUNDS_USD * 100, held: 0, invested: 0 }
  readonly id: string
  readonly email: string
  readonly token: string
  readonly #client: Client
  readonly #staff: Staff
  readonly #random: Random

  private constructor(
    { id, email, token }: { id: string; email: string; token: string },
    client: Client,
    staff: Staff,
    random: Random,
  ) {
    this.id = id
    this.email = email
    this.token = token
    this.#client = client
    this.#staff = staff
    this.#random = random
  }

  /** @param codeOf reads the code that was sent to an address */
  static async register(
    client: Client,
    staff: Staff,
    random: Random,
    codeOf: (email: string) => Promise<string>,
  ): Promise<Investor> {
    const email = `${randomUUID()}@example.com`
    const person = { name: 'Chaos Client', email, phone: '+61 400 000 000', country: 'Australia' }
    const signedUp = await client.make(accounts.signup, { body: { ...person, password: 'correct horse' } })
    const token = signedUp.token.accessToken
    await client.make(accounts.verifyEmail, { body: { otp: await codeOf(email), email } })
    const body = { method: 'usdt', amount: FUNDS_USD } as const
    const deposit = await client.make(newDeposit, { body }, token)
    await client.make(approveDeposit, { params: { id: deposit._id } }, staff.first)
    return new Investor({ id: signedUp.user._id, email, token }, client, staff, random)
  }

  /** One act after the other until `isOver`; records stay as they are then. */
  async actUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#act()
  }

  async #act(): Promise<void> {
    const open = this.facts.filter(fact => nextActs(fact).length > 0)
    if (open.length === 0 || (open.length < 5 && this.#random.below(2) === 0)) return await this.#begin()
    const fact = this.#random.pick(open)
    await this.#decide(fact, this.#random.pick(nextActs(fact)))
  }

  async #begin(): Promise<void> {
    const isWithdrawal = this.#random.below(3) > 0
    // The model says what is there: so nothing is refused.
    const amount = isWithdrawal ? 1 + this.#random.below(50) : 500
    const made = isWithdrawal
      ? await this.#client.make(
          newWithdrawal,
          { body: { amount, wallet: 'Bitcoin (BTC)', walletAddress: BITCOIN_ADDRESS } },
          this.token,
        )
      : await this.#client.make(
          newInvestment,
          { body: { amount, method: 'balance', plan: 'Basic' } },
          this.token,
        )
    const kind = isWithdrawal ? 'withdrawal' : 'investment'
    const { _id: id, invoiceId } = made
    this.facts.push({ kind, id, invoiceId, cents: amount * 100, acts: ['requested'] })
    this.#move('balance', 'held', amount * 100)
  }

  async #decide(fact: Fact, act: string): Promise<void> {
    const { first, second } = this.#staff
    const params = { id: fact.id }
    const because = { reason: 'Chosen by chance' }
    const make = this.#client.make.bind(this.#client)
    if (fact.kind === 'withdrawal') {
      if (act === 'approved') await make(approveWithdrawal, { params }, first)
      if (act === 'declined') await make(declineWithdrawal, { params, body: because }, first)
      if (act === 'paid')
        await make(payWithdrawal, { params, body: { transactionId: newTransaction() } }, second)
      if (act === 'declined') this.#move('held', 'balance', fact.cents)
      if (act === 'paid') this.model.held -= fact.cents
    } else {
      if (act === 'approved') await make(approveInvestment, { params }, first)
      if (act === 'declined') await make(declineInvestment, { params, body: because }, first)
      if (act === 'closed') await make(closeInvestment, { params, body: because }, first)
      if (act === 'approved') this.#move('held', 'invested', fact.cents)
      if (act === 'declined') this.#move('held', 'balance', fact.cents)
      if (act === 'closed') this.#move('invested', 'balance', fact.cents)
    }
    fact.acts.push(act)
  }

  #move(from: keyof Investor['model'], to: keyof Investor['model'], cents: number): void {
    this.model[from] -= cents
    this.model[to] += cents
  }
}

/** What staff can do with a record after its latest act. */
function nextActs({ kind, acts }: Fact): readonly string[] {
  const latest = acts.at(-1)
  if (latest === 'requested') return ['approved', 'declined']
  if (latest === 'approved') return kind === 'withdrawal' ? ['paid'] : ['closed']
  return []
}

function newTransaction(): string {
  return randomUUID().replaceAll('-', '').repeat(2)
}
