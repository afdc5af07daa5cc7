// @ts-check
import {
  AVAILABLE,
  CUSTODY,
  EXCHANGE,
  HELD,
  INVESTED,
  NEVER_BELOW_ZERO,
  PAYOUTS,
  RECEIVABLE,
  RECORDED_RETURNS,
  RETURNS_RECEIVED,
} from './chart.mjs'
import { Invalid } from './errors.mjs'
import { decimal } from './journal.mjs'

/** Balances over the journal, and the figures that follow from them. */

/** @typedef {import('./journal.mjs').Transaction} Transaction */
/** @typedef {import('./epoch.mjs').Balance} Balance */

export class Books {
  transactions = 0
  /** Cents paid as earnings. */
  earnings = 0n
  /** Cents received from investors, less reversals. */
  received = 0n
  /** @type {Map<string, Balance>} by account and commodity */
  #balances = new Map()

  /**
   * @param {Transaction} transaction
   * @throws {Invalid} if it breaks a rule about balances; it is counted all the same
   */
  add({ event, lines }) {
    this.transactions += 1
    for (const line of lines) {
      this.#account(line.account, line.commodity).amount += line.amount
      if (line.account === EXCHANGE && line.commodity === 'USD') this.received += line.amount
      if (event === 'earning.paid' && line.account === RECORDED_RETURNS) this.earnings += line.amount
    }
    for (const account of NEVER_BELOW_ZERO) {
      const owed = this.owed(account)
      if (owed < 0n) throw new Invalid(`${account} falls below zero, to ${decimal(owed, 'USD')} USD`)
    }
  }

  /**
   * @param {string} account
   * @param {string} commodity
   */
  #account(account, commodity) {
    const name = `${account} ${commodity}`
    let found = this.#balances.get(name)
    if (found === undefined) {
      found = { account, commodity, amount: 0n }
      this.#balances.set(name, found)
    }
    return found
  }

  /**
   * The credit balance of an account in cents.
   * @param {string} account
   */
  owed(account) {
    return -(this.#balances.get(`${account} USD`)?.amount ?? 0n)
  }

  /** What investors have together, in cents. */
  investors() {
    return this.owed(AVAILABLE) + this.owed(HELD) + this.owed(INVESTED)
  }

  /** Copies of all balances that are not zero, by account and commodity in the order of their bytes. */
  balances() {
    return [...this.#balances.entries()]
      .filter(([, { amount }]) => amount !== 0n)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, balance]) => ({ ...balance }))
  }

  /** The public figures, in cents unless a commodity is named. */
  figures() {
    return {
      received: this.received,
      withdrawn: this.owed(PAYOUTS),
      earningsPaid: this.earnings,
      returnsRecorded: -this.owed(RETURNS_RECEIVED),
      returnsLeft: this.owed(RECORDED_RETURNS),
      available: this.owed(AVAILABLE),
      held: this.owed(HELD),
      invested: this.owed(INVESTED),
      investors: this.investors(),
      receivable: -this.owed(RECEIVABLE),
      coins: this.balances().filter(({ account }) => account === CUSTODY),
    }
  }
}

/** @typedef {ReturnType<Books['figures']>} Figures */
