import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Address } from 'viem'
import { expect } from 'vitest'
import { demoAccount } from '#server/demo/chain.ts'
import * as accounts from '#shared/contract/accounts.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { parseDecimal } from '#shared/money.ts'
import { openAnvil, type TestChain, withoutAnvil } from '#test/support/anvil.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { type LieName, type LyingNode, lieNames, openLyingNode } from '#test/support/lying-node.ts'
import type { Client } from './clients.ts'
import type { Product } from './product.ts'
import type { Random } from './random.ts'
import type { Companion, Disturbance, Joining } from './run.ts'

const CONFIRMATIONS = 3
/** Blocks of anvil are a second apart at least, and none may be of the future. */
const BLOCK_MS = 1_000
/** Several syncs: one that meets the beginning of a lie may fail, and the next one waits. */
const LIE_MS = 8_000
/** Between two looks at what was credited, which must be shorter than a lie. */
const LOOK_MS = 250
/** A second source that disagreed is asked again after 15 s, and a failed sync after a pause that grows. */
const SETTLED_MS = 120_000
/** Payments under way; an investor may have ten open deposits, some of which nobody ever pays. */
const MOST_OPEN = 5
const UNPAID = 3
const weiPerGwei = 10n ** 9n

/** A network of the run: the true chain, and the node by which the product reads it. */
export type Network = {
  readonly chain: TestChain
  readonly node: LyingNode
  /** Of the product's processes. Two sources must show each payment, as for large ones otherwise. */
  readonly environment: Record<string, string>
}

/** @returns null if there is no anvil */
export async function openNetwork(): Promise<Network | null> {
  if (withoutAnvil !== undefined) return null
  const chain = await openAnvil()
  const node = await openLyingNode(chain.url)
  let isOver = false
  const mining = (async () => {
    while (!isOver) {
      await chain.mine()
      await delay(BLOCK_MS)
    }
  })()
  atEnd(async () => {
    isOver = true
    await mining
  })
  const environment = {
    ETHEREUM_XPUB: demoAccount,
    ETHEREUM_CHAIN_ID: String(chain.client.chain.id),
    ETHEREUM_RPC_URL: node.url,
    ETHEREUM_SECOND_RPC_URL: chain.url,
    ETHEREUM_CONFIRMATIONS: String(CONFIRMATIONS),
    CREDIT_SECOND_SOURCE_FROM: '1',
  }
  return { chain, node, environment }
}

type Payment = { hash: string; gwei: bigint; cents: number }
type Credited = { credit: string; hash: string; gwei: string }

/** An investor who pays deposits on the true chain; what the product credits is compared with it. */
export class Payer implements Companion {
  readonly #payments: Payment[] = []
  /** Addresses of deposits that nobody pays; lies say otherwise. */
  readonly #unpaid: string[] = []
  /** Credits that were compared, and the payments of the true ones. */
  readonly #compared = new Set<string>()
  readonly #credited = new Set<string>()
  readonly #wrong: string[] = []
  readonly #token: string
  readonly #client: Client
  readonly #random: Random
  readonly #network: Network
  readonly #product: Product

  private constructor(token: string, client: Client, random: Random, network: Network, product: Product) {
    this.#token = token
    this.#client = client
    this.#random = random
    this.#network = network
    this.#product = product
  }

  static async register(
    product: Product,
    network: Network,
    { client, random, codeOf }: Joining,
  ): Promise<Payer> {
    const email = `${randomUUID()}@example.com`
    const person = { name: 'Chaos Payer', email, phone: '+61 400 000 000', country: 'Australia' }
    const signedUp = await client.make(accounts.signup, { body: { ...person, password: 'correct horse' } })
    await client.make(accounts.verifyEmail, { body: { otp: await codeOf(email), email } })
    const payer = new Payer(signedUp.token.accessToken, client, random, network, product)
    for (let count = 0; count < UNPAID; count++) payer.#unpaid.push((await payer.#ask()).address)
    return payer
  }

  /** Lies about the unpaid deposits, for a while each. */
  get disturbances(): Record<string, Disturbance> {
    const { node } = this.#network
    const tell = (name: LieName) => async () => {
      const invented = this.#unpaid.map(to => ({
        to,
        value: (1n + BigInt(this.#random.below(20))) * 10n ** 15n,
      }))
      await node.tell(name, invented)
      await delay(LIE_MS)
      await node.tell(null)
    }
    return Object.fromEntries(
      lieNames.map(name => [`the node of Ethereum lies for ${LIE_MS / 1000} s: ${name}`, tell(name)]),
    )
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
    const paid = this.#payments.map(({ hash, gwei }) => `${hash} ${gwei}`).toSorted()
    const credited = async () => {
      await this.#look()
      const { rows } = await this.#product.owner.query<{ line: string }>(
        `SELECT transaction_id || ' ' || credited_units AS line FROM app.chain_transfers
          WHERE rail = 'ethereum' AND credited_units > 0`,
      )
      return rows.map(({ line }) => line).toSorted()
    }
    expect(this.#wrong).toEqual([])
    await expect.poll(credited, { timeout: SETTLED_MS }).toEqual(paid)
    expect(this.#wrong).toEqual([])
    const { rows } = await this.#product.owner.query(
      `SELECT c.id FROM app.deposit_credits c JOIN app.payment_addresses a ON a.deposit_id = c.deposit_id
        WHERE app.address_key(a.address) = ANY ($1)`,
      [this.#unpaid.map(address => address.toLowerCase())],
    )
    expect(rows).toEqual([])
    const { balance } = await this.#client.make(accounts.me, {}, this.#token)
    expect(Math.round(balance * 100)).toBe(this.#payments.reduce((sum, { cents }) => sum + cents, 0))
  }

  /** Of the payments: how many there were, and how many that nobody made reached the product. */
  async summary(): Promise<string> {
    const { rows } = await this.#product.owner.query<{ invented: number }>(
      `SELECT count(*)::int AS invented FROM app.chain_transfers
        WHERE rail = 'ethereum' AND transaction_id <> ALL ($1::text[])`,
      [this.#payments.map(({ hash }) => hash)],
    )
    return `${this.#payments.length} payments on the true chain, each credited once; ${rows[0]!.invented} invented ones stored, none credited.`
  }

  async #ask(): Promise<{ address: Address; gwei: bigint; cents: number }> {
    const amount = 100 + this.#random.below(80)
    const body = { method: 'ethereum', amount } as const
    const { payment } = await this.#client.make(newDeposit, { body }, this.#token)
    const gwei = parseDecimal(payment.amountCrypto, 9)!
    return { address: payment.address as Address, gwei, cents: amount * 100 }
  }

  async #pay(): Promise<void> {
    const { address: to, gwei, cents } = await this.#ask()
    const hash = await this.#network.chain.send(1, { to, value: gwei * weiPerGwei })
    this.#payments.push({ hash, gwei, cents })
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
      `SELECT c.id::text AS credit, t.transaction_id AS hash, c.units::text AS gwei
         FROM app.deposit_credits c JOIN app.chain_transfers t ON t.id = c.transfer_id
        WHERE t.rail = 'ethereum'`,
    )
    for (const credited of rows) {
      if (this.#compared.has(credited.credit)) continue
      if (await this.#isTrue(credited)) this.#credited.add(credited.hash)
      else this.#wrong.push(`${credited.hash} ${credited.gwei}`)
      this.#compared.add(credited.credit)
    }
  }

  async #isTrue({ hash, gwei }: Credited): Promise<boolean> {
    const payment = this.#payments.find(one => one.hash === hash)
    if (payment === undefined || payment.gwei !== BigInt(gwei)) return false
    const { client } = this.#network.chain
    const { blockNumber } = await client.getTransactionReceipt({ hash: payment.hash as Address })
    return (await client.getBlockNumber()) - blockNumber + 1n >= BigInt(CONFIRMATIONS)
  }
}
