import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { addressKey } from '#shared/addresses.ts'
import * as accounts from '#shared/contract/accounts.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { parseDecimal } from '#shared/money.ts'
import { CONFIRMATIONS, type LyingNetwork, type Paid } from '#test/support/lying-networks/network.ts'
import type { Client } from './clients.ts'
import type { Product } from './product.ts'
import type { Random } from './random.ts'
import type { Companion, Disturbance, Joining } from './run.ts'

/** Several syncs: one that meets the beginning of a lie may fail, and the next one waits. */
const LIE_MS = 8_000
/** How long a lie waits for a product that has not read the last blocks, after a failure or a lie before this one. */
const READING_MS = 10_000
const NEAR_BLOCKS = 5
/** Between two looks at what was credited, which must be shorter than a lie. */
const LOOK_MS = 250
/** A second source that disagreed is asked again after 15 s, and a failed sync after a pause that grows. */
const SETTLED_MS = 120_000
/** Payments under way; an investor may have ten open deposits, some of which nobody ever pays. */
const MOST_OPEN = 5
const UNPAID = 3

type Asked = Paid & { cents: number }
type Payment = Asked & { id: string }
/** A transfer as the product has stored it. */
type Shown = { id: string; address: string; units: string; byContract: boolean }
type Credited = Shown & { credit: string }

/** An investor who pays deposits on the true chain; what the product credits is compared with it. */
export class Payer implements Companion {
  readonly #payments: Payment[] = []
  /** Addresses of deposits that nobody pays; lies say otherwise. */
  readonly #unpaid: Asked[] = []
  /** Credits that were compared, and the payments of the true ones. */
  readonly #compared = new Set<string>()
  readonly #credited = new Set<string>()
  readonly #wrong: string[] = []
  readonly #lies = { told: 0, heard: 0 }
  readonly #token: string
  readonly #client: Client
  readonly #random: Random
  readonly #network: LyingNetwork
  readonly #product: Product

  private constructor(
    token: string,
    client: Client,
    random: Random,
    network: LyingNetwork,
    product: Product,
  ) {
    this.#token = token
    this.#client = client
    this.#random = random
    this.#network = network
    this.#product = product
  }

  static async register(
    product: Product,
    network: LyingNetwork,
    { client, random, codeOf }: Joining,
  ): Promise<Payer> {
    const email = `${randomUUID()}@example.com`
    const person = { name: 'Chaos Payer', email, phone: '+61 400 000 000', country: 'Australia' }
    const signedUp = await client.make(accounts.signup, { body: { ...person, password: 'correct horse' } })
    await client.make(accounts.verifyEmail, { body: { otp: await codeOf(email), email } })
    const payer = new Payer(signedUp.token.accessToken, client, random, network, product)
    for (let count = 0; count < UNPAID; count++) payer.#unpaid.push(await payer.#ask())
    return payer
  }

  /** Lies about the unpaid deposits, for a while each. */
  get disturbances(): Record<string, Disturbance> {
    const { name, lies } = this.#network
    return Object.fromEntries(
      lies.map(lie => [`the node of ${name} lies for ${LIE_MS / 1000} s: ${lie}`, () => this.#lie(lie)]),
    )
  }

  async #lie(lie: string): Promise<void> {
    const { tell, height, lasting } = this.#network
    const invented = this.#unpaid.map(({ address, units }) => ({
      address,
      units: (units * (1n + BigInt(this.#random.below(20)))) / 20n,
    }))
    await this.#letRead()
    const before = await height()
    await tell(lie, invented)
    await delay(LIE_MS)
    const answers = await tell(null)
    this.#lies.told += 1
    if (answers > 0) this.#lies.heard += 1
    if (lasting.includes(lie) && (await this.#syncedHeight()) > before)
      // What an operator does about a node that has lied (docs/operate.md).
      await this.#product.run('tools/chain-resume.ts', this.#network.rail, String(before))
  }

  /** A product that still reads older blocks would not ask about the ones that the node lies about. */
  async #letRead(): Promise<void> {
    const deadline = Date.now() + READING_MS
    const isBehind = async () => (await this.#syncedHeight()) < (await this.#network.height()) - NEAR_BLOCKS
    while (Date.now() < deadline && (await isBehind())) await delay(LOOK_MS)
  }

  async #syncedHeight(): Promise<number> {
    const { rows } = await this.#product.owner.query<{ height: number }>(
      'SELECT synced_height AS height FROM app.chain_cursors WHERE rail = $1',
      [this.#network.rail],
    )
    return rows[0]?.height ?? 0
  }

  async actUntil(isOver: () => boolean): Promise<void> {
    const watching = this.#watchUntil(isOver)
    while (!isOver()) {
      if (this.#payments.length - this.#credited.size < MOST_OPEN) await this.#pay()
      await delay(LOOK_MS)
    }
    await watching
  }

  /** Each payment of the true chain is credited once, and nothing else ever was. */
  async expectTruth(): Promise<void> {
    const paid = this.#payments.map(lineOf).toSorted()
    const credited = async () => {
      await this.#look()
      const { rows } = await this.#product.owner.query<Shown>(
        `SELECT transaction_id AS id, address, credited_units::text AS units, by_contract AS "byContract"
           FROM app.chain_transfers WHERE rail = $1 AND credited_units > 0`,
        [this.#network.rail],
      )
      return rows.map(row => this.#ownLineOf(row)).toSorted()
    }
    expect(this.#wrong).toEqual([])
    await expect.poll(credited, { timeout: SETTLED_MS }).toEqual(paid)
    expect(this.#wrong).toEqual([])
    const { rows } = await this.#product.owner.query(
      `SELECT c.id FROM app.deposit_credits c JOIN app.payment_addresses a ON a.deposit_id = c.deposit_id
        WHERE a.address = ANY ($1)`,
      [this.#unpaid.map(({ address }) => address)],
    )
    expect(rows).toEqual([])
    const { balance } = await this.#client.make(accounts.me, {}, this.#token)
    expect(Math.round(balance * 100)).toBe(this.#payments.reduce((sum, { cents }) => sum + cents, 0))
  }

  /** A row of `paymentsTable`. */
  async summary(): Promise<string> {
    const { name, rail } = this.#network
    const { rows } = await this.#product.owner.query<Shown>(
      `SELECT transaction_id AS id, address, units::text, by_contract AS "byContract"
         FROM app.chain_transfers WHERE rail = $1`,
      [rail],
    )
    const paid = new Set(this.#payments.map(lineOf))
    const invented = rows.filter(row => !paid.has(this.#ownLineOf(row))).length
    const { told, heard } = this.#lies
    return `| ${name} | ${paid.size} | ${paid.size} | ${told} | ${heard} | ${invented} | 0 |`
  }

  async #ask(): Promise<Asked> {
    const { method, decimals } = this.#network
    const amount = 100 + this.#random.below(80)
    const { payment } = await this.#client.make(newDeposit, { body: { method, amount } }, this.#token)
    const units = parseDecimal(payment.amountCrypto, decimals)!
    return { address: payment.address, units, cents: amount * 100 }
  }

  async #pay(): Promise<void> {
    const asked = await this.#ask()
    this.#payments.push({ ...asked, id: await this.#network.pay(asked) })
  }

  async #watchUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      // PostgreSQL may be away.
      await this.#look().catch(() => {})
      await delay(LOOK_MS)
    }
  }

  /** Compares each new credit with the true chain, which only grows. */
  async #look(): Promise<void> {
    const { rows } = await this.#product.owner.query<Credited>(
      `SELECT c.id::text AS credit, t.transaction_id AS id, t.address, c.units::text, t.by_contract AS "byContract"
         FROM app.deposit_credits c JOIN app.chain_transfers t ON t.id = c.transfer_id
        WHERE t.rail = $1`,
      [this.#network.rail],
    )
    for (const credited of rows) {
      if (this.#compared.has(credited.credit)) continue
      if (await this.#isTrue(credited)) this.#credited.add(this.#ownLineOf(credited))
      else this.#wrong.push(lineOf(credited))
      this.#compared.add(credited.credit)
    }
  }

  async #isTrue(credited: Credited): Promise<boolean> {
    const payment = this.#payments.find(one => lineOf(one) === this.#ownLineOf(credited))
    return payment !== undefined && (await this.#network.confirmationsOf(payment.id)) >= CONFIRMATIONS
  }

  /** Of the payment to that address, if the node showed only its balance: the product then names its block. */
  #ownLineOf(row: Shown): string {
    const own = row.byContract
      ? this.#payments.find(({ address }) => addressKey(address) === addressKey(row.address))
      : undefined
    return lineOf({ ...row, id: own?.id ?? row.id })
  }
}

/** Addresses as the product compares them. */
function lineOf({ id, address, units }: { id: string; address: string; units: bigint | string }): string {
  return `${id} ${addressKey(address)} ${units}`
}
