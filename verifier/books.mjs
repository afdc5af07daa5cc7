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
  /** @type {Map<string, Balance>} by account and commodity */
  #balances = new Map()

  /**
   * @param {Transaction} transaction
   * @param {{ isWhole: boolean }} books false if transactions before it are closed, so that no balance is known
   * @throws {Invalid} if it breaks a rule about balances; it is counted all the same
   */
  add({ lines }, { isWhole }) {
    this.transactions += 1
    for (const { account, commodity, amount } of lines) this.#account(account, commodity).amount += amount
    if (!isWhole) return
    for (const account of NEVER_BELOW_ZERO) {
      const owed = -(this.#balances.get(`${account} USD`)?.amount ?? 0n)
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

  /** Copies of all balances that are not zero, by account and commodity in the order of their bytes. */
  balances() {
    return [...this.#balances.entries()]
      .filter(([, { amount }]) => amount !== 0n)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, balance]) => ({ ...balance }))
  }
}

/**
 * The public figures, in cents unless a commodity is named. Each is a balance: only returns become earnings.
 * @param {Balance[]} balances
 */
export function figuresOf(balances) {
  const owed = (/** @type {string} */ account) =>
    balances
      .filter(balance => balance.account === account && balance.commodity === 'USD')
      .reduce((sum, { amount }) => sum - amount, 0n)
  const returnsRecorded = -owed(RETURNS_RECEIVED)
  const returnsLeft = owed(RECORDED_RETURNS)
  const [available, held, invested] = [owed(AVAILABLE), owed(HELD), owed(INVESTED)]
  return {
    received: -owed(EXCHANGE),
    withdrawn: owed(PAYOUTS),
    earningsPaid: returnsRecorded - returnsLeft,
    returnsRecorded,
    returnsLeft,
    available,
    held,
    invested,
    investors: available + held + invested,
    receivable: -owed(RECEIVABLE),
    coins: balances.filter(({ account }) => account === CUSTODY),
  }
}

/** @typedef {ReturnType<typeof figuresOf>} Figures */
