// @ts-check
import { fromDecimal } from './bytes.mjs'
import { ACCOUNTS, DECIMALS, isInvestors, NEVER_BELOW_ZERO } from './chart.mjs'
import { Invalid } from './errors.mjs'
import { amountIn, isDay, shown } from './journal.mjs'

/** The leaves of the log that end an epoch. */

/** @typedef {{ account: string, commodity: string, amount: bigint }} Balance debits are positive */
/** @typedef {{ leaves: number, sum: bigint, root: string, sha256: string }} LiabilitiesLine the hashes in hex */
/**
 * @typedef {object} Epoch
 * @property {number} epoch
 * @property {string} date
 * @property {number} leaves
 * @property {Balance[]} balances
 * @property {LiabilitiesLine | null} liabilities
 * @property {string | null} reserves SHA-256 in hex, as the next ones
 * @property {string | null} prices
 * @property {string | null} assets
 * @property {string | null} evidence
 * @property {string | null} verifier
 * @property {string | null} receipts the verifier key of receipts
 */

export const EPOCH_HEAD = '; probity-epoch/v1\n'
/** Sums of a tree of liabilities stay below it. */
export const MOST_CENTS = 2n ** 53n

/** What an epoch's end has hashes of, in the order of its lines. */
const HASHED = ['reserves', 'reserves-prices', 'assets', 'evidence', 'verifier']

const OUT_OF_ORDER = 'the balances are not in order, or one is zero or stated twice'

const ASSERT = /^; assert: (\S+) (-?)(0|[1-9]\d*)\.(\d+) ([A-Z]+)$/
const LIABILITIES =
  /^; pol: porl-1 investors-leaves=(\d+) sum=(\d+) root=([0-9a-f]{64}) sha256=([0-9a-f]{64})$/

/** @param {string} leaf */
export function isEpochEnd(leaf) {
  return leaf.startsWith(EPOCH_HEAD)
}

/**
 * @param {string} leaf
 * @returns {Epoch}
 * @throws {Invalid}
 */
export function parseEpoch(leaf) {
  if (!isEpochEnd(leaf) || !leaf.endsWith('\n\n')) throw new Invalid('it is not the end of an epoch')
  const rows = leaf.slice(EPOCH_HEAD.length, -2).split('\n')
  /** @param {string} name @param {RegExp} value */
  const required = (name, value) => {
    const found = optional(name, value)
    if (found === null) throw new Invalid(`it has no line "; ${name}: …" in its place: ${shown(rows[0])}`)
    return found
  }
  /** @param {string} name @param {RegExp} value */
  const optional = (name, value) => {
    const [, found] = new RegExp(`^; ${name}: (${value.source})$`).exec(rows[0] ?? '') ?? []
    if (found !== undefined) rows.shift()
    return found ?? null
  }
  const epoch = fromDecimal(required('epoch', /\d+/))
  const date = required('date', /\d{4}-\d\d-\d\d/)
  if (!isDay(date)) throw new Invalid(`there is no day ${date}`)
  const leaves = fromDecimal(required('leaves', /\d+/))
  const balances = []
  while (rows[0]?.startsWith('; assert: ')) balances.push(parseBalance(rows.shift() ?? ''))
  const liabilities = rows[0]?.startsWith('; pol: ') ? parseLiabilities(rows.shift() ?? '') : null
  const [reserves = null, prices = null, assets = null, evidence = null, verifier = null] = HASHED.map(
    name => optional(name, /sha256=[0-9a-f]{64}/)?.slice('sha256='.length) ?? null,
  )
  const receipts = optional('receipts', /\S+/)
  if (rows.length > 0) throw new Invalid(`an epoch's end has an unknown or misplaced line: ${shown(rows[0])}`)
  return {
    epoch,
    date,
    leaves,
    balances,
    liabilities,
    reserves,
    prices,
    assets,
    evidence,
    verifier,
    receipts,
  }
}

/**
 * @param {string} row
 * @returns {Balance}
 */
function parseBalance(row) {
  const [, account = '', sign = '', whole = '', fraction = '', commodity = ''] = ASSERT.exec(row) ?? []
  if (!ACCOUNTS.get(account)?.includes(commodity) || fraction.length !== DECIMALS.get(commodity))
    throw new Invalid(`not a balance of an account of the books: ${shown(row)}`)
  return { account, commodity, amount: BigInt(sign + whole + fraction) }
}

/**
 * @param {string} row
 * @returns {LiabilitiesLine}
 */
function parseLiabilities(row) {
  const [, count = '', sum = '', root = '', sha256 = ''] = LIABILITIES.exec(row) ?? []
  if (root === '') throw new Invalid(`not the line of a tree of liabilities: ${shown(row)}`)
  const leaves = fromDecimal(count)
  if (!Number.isInteger(Math.log2(leaves)))
    throw new Invalid(`a tree of ${leaves} leaves is not a power of two`)
  if (/^0\d/.test(sum) || BigInt(sum) >= MOST_CENTS) throw new Invalid(`the sum ${sum} is not below 2^53`)
  return { leaves, sum: BigInt(sum), root, sha256 }
}

/** @typedef {{ what: string, message: string }} Difference `what` stays the same while the difference does */

/**
 * Compares the stated balances with those of the journal.
 * @param {Balance[]} stated
 * @param {Balance[]} computed those that are not zero, in order
 * @returns {Difference[]}
 */
export function compareBalances(stated, computed) {
  const left = new Map(stated.map(balance => [nameOf(balance), balance]))
  const wrong = computed.flatMap(balance => {
    const name = nameOf(balance)
    const found = left.get(name)
    left.delete(name)
    if (found?.amount === balance.amount) return []
    const message = found
      ? `${balance.account} is stated as ${amountIn(found)}, the journal has ${amountIn(balance)}`
      : `${name} is missing, the journal has ${amountIn(balance)}`
    return [{ what: `${name} ${(found?.amount ?? 0n) - balance.amount}`, message }]
  })
  const extra = [...left.values()].map(balance => ({
    what: `${nameOf(balance)} ${balance.amount}`,
    message: `${balance.account} is stated as ${amountIn(balance)}, the journal has none`,
  }))
  if (wrong.length + extra.length > 0) return [...wrong, ...extra]
  const inOrder =
    stated.length === computed.length && stated.every((one, at) => nameOf(one) === nameOf(computed[at]))
  return inOrder ? [] : [{ what: 'order', message: OUT_OF_ORDER }]
}

/**
 * What must be true of stated balances, even where nobody can add up the journal: in each commodity they add up to zero.
 * @param {Balance[]} stated
 * @returns {Difference[]}
 */
export function checkStated(stated) {
  /** @type {Map<string, bigint>} */
  const sums = new Map()
  for (const { commodity, amount } of stated) sums.set(commodity, (sums.get(commodity) ?? 0n) + amount)
  const unbalanced = [...sums]
    .filter(([, amount]) => amount !== 0n)
    .map(([commodity, amount]) => ({
      what: `sum ${commodity} ${amount}`,
      message: `the stated balances do not add up to zero, but to ${amountIn({ amount, commodity })}`,
    }))
  const below = stated
    .filter(({ account, amount }) => NEVER_BELOW_ZERO.includes(account) && amount > 0n)
    .map(balance => ({
      what: `below ${nameOf(balance)} ${balance.amount}`,
      message: `${balance.account} is stated below zero: ${amountIn(balance)}`,
    }))
  const names = stated.map(nameOf)
  const inOrder = names.every((name, at) => at === 0 || (names[at - 1] ?? '') < name)
  const hasZero = stated.some(({ amount }) => amount === 0n)
  const form = inOrder && !hasZero ? [] : [{ what: 'order', message: OUT_OF_ORDER }]
  return [...unbalanced, ...below, ...form]
}

/**
 * What these balances owe to investors, in cents.
 * @param {Balance[]} balances
 */
export function owedIn(balances) {
  return balances.filter(({ account }) => isInvestors(account)).reduce((sum, { amount }) => sum - amount, 0n)
}

/** @param {Balance | undefined} balance */
function nameOf(balance) {
  return balance === undefined ? '' : `${balance.account} ${balance.commodity}`
}
