// @ts-check
import { ACCOUNTS, DECIMALS, EVENTS, isInvestors } from './chart.mjs'
import { Invalid } from './errors.mjs'

/** The leaves of the log that are transactions: their form to the byte. */

/**
 * @typedef {object} Line
 * @property {string} account
 * @property {string} commodity
 * @property {bigint} amount in minor units; debits are positive
 * @property {string | null} tag base64, on investors' lines only
 */
/** @typedef {{ date: string, event: string, lines: Line[] }} Transaction */

const HEAD = /^(\d{4}-\d\d-\d\d) \* "([a-z]+\.[a-z]+)"$/
const LINE =
  /^ {2}([A-Z][A-Za-z:-]*) {2}(-?)(0|[1-9]\d*)\.(\d+) ([A-Z]+)(?: {2}; leg:([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=))?$/

/**
 * @param {string} leaf
 * @returns {Transaction}
 * @throws {Invalid}
 */
export function parseTransaction(leaf) {
  const rows = leaf.split('\n')
  const [, date = '', event = ''] = HEAD.exec(rows[0] ?? '') ?? []
  if (date === '') throw new Invalid(`its first line is not <date> * "<event>": ${shown(rows[0])}`)
  if (!isDay(date)) throw new Invalid(`there is no day ${date}`)
  if (!EVENTS.has(event)) throw new Invalid(`the books have no event "${event}"`)
  if (rows.length < 5 || rows.at(-1) !== '' || rows.at(-2) !== '')
    throw new Invalid('a transaction has at least two lines and ends with an empty line')
  const lines = rows.slice(1, -2).map(parseLine)
  requirePostings(event, lines)
  return { date, event, lines }
}

/**
 * @param {string} row
 * @returns {Line}
 */
function parseLine(row) {
  const [, account, sign, whole, fraction, commodity, tag] = LINE.exec(row) ?? []
  if (account === undefined || whole === undefined || fraction === undefined || commodity === undefined)
    throw new Invalid(`not a line of a transaction: ${shown(row)}`)
  const commodities = ACCOUNTS.get(account)
  if (commodities === undefined) throw new Invalid(`the books have no account ${account}`)
  if (!commodities.includes(commodity)) throw new Invalid(`${account} has no ${commodity}`)
  if (fraction.length !== DECIMALS.get(commodity))
    throw new Invalid(`${commodity} has ${DECIMALS.get(commodity)} decimals: ${shown(row)}`)
  const amount = BigInt(sign + whole + fraction)
  if (amount === 0n) throw new Invalid(`a line moves nothing: ${shown(row)}`)
  if (isInvestors(account) !== (tag !== undefined))
    throw new Invalid(
      tag === undefined
        ? `an investor's line has no tag: ${shown(row)}`
        : `a line of the firm has a tag: ${shown(row)}`,
    )
  return { account, commodity, amount, tag: tag ?? null }
}

/**
 * Lines come in pairs: a debit, then the credit of the same amount, as the event permits.
 * @param {string} event
 * @param {Line[]} lines
 */
function requirePostings(event, lines) {
  const permitted = EVENTS.get(event)
  for (let at = 0; at < lines.length; at += 2) {
    const debit = lines[at]
    const credit = lines[at + 1]
    if (debit === undefined || credit === undefined)
      throw new Invalid('its last line is a debit without its credit')
    if (debit.commodity !== credit.commodity || debit.amount + credit.amount !== 0n || debit.amount < 0n)
      throw new Invalid(
        `it does not balance: ${amountIn(debit)} of ${debit.account} against ${amountIn(credit)} of ${credit.account}`,
      )
    if (!permitted?.has(`${debit.account} → ${credit.account}`))
      throw new Invalid(`${event} may not move money from ${debit.account} to ${credit.account}`)
  }
}

/** @param {{ amount: bigint, commodity: string }} money */
export function amountIn({ amount, commodity }) {
  return `${decimal(amount, commodity)} ${commodity}`
}

/**
 * An amount of minor units with all decimals of its commodity.
 * @param {bigint} amount
 * @param {string} commodity
 */
export function decimal(amount, commodity) {
  const decimals = DECIMALS.get(commodity) ?? 0
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/**
 * True if the calendar has this day, YYYY-MM-DD.
 * @param {string} date
 */
export function isDay(date) {
  const time = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
}

/** @param {string | undefined} text */
export function shown(text = '') {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)
}
