// @ts-check
import { Invalid } from './errors.mjs'
import { legKey, tagOf } from './investor.mjs'
import { decimal, isDay, parseTransaction } from './journal.mjs'
import { parseNote, parseVerifierKey, requireSigned } from './note.mjs'

/** Signed receipts: what the firm promised to seal for one investor (docs/proof-format.md, A receipt). */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./note.mjs').VerifierKey} VerifierKey */
/** @typedef {import('./investor.mjs').OwnTransaction} OwnTransaction */
/**
 * @typedef {object} Receipt
 * @property {string} note
 * @property {string} log the log's name
 * @property {string} owner
 * @property {string} kind
 * @property {bigint} version
 * @property {bigint} amount cents, credits positive, as the balance after it
 * @property {bigint} balance
 * @property {string} event
 * @property {string} date
 * @property {string} sealedBy the day by whose end it is in the log
 */

const RECEIPT =
  /^probity-receipt\/v1\nlog: (\S+)\nowner: ([0-9a-f-]{36})\nkind: ([a-z]+)\nasset: USD\nversion: ([1-9]\d{0,17})\namount: (-?[1-9]\d{0,17})\nbalance: (0|[1-9]\d{0,17})\nevent: ([a-z]+\.[a-z]+)\ndate: (\S+)\nsealed-by: (\S+)\n$/
const DAY_MS = 86_400_000

/**
 * @param {string} note
 * @returns {Receipt} without looking at its signature
 * @throws {Invalid}
 */
export function parseReceipt(note) {
  const { text } = parseNote(note)
  const [
    ,
    log = '',
    owner = '',
    kind = '',
    version = '',
    amount = '',
    balance = '',
    event = '',
    date = '',
    by = '',
  ] = RECEIPT.exec(text) ?? []
  if (log === '') throw new Invalid('it is not a receipt (probity-receipt/v1)')
  if (!isDay(date) || !isDay(by)) throw new Invalid('a day of the receipt is not in the calendar')
  if (Date.parse(by) - Date.parse(date) !== DAY_MS)
    throw new Invalid(`the receipt is of ${date} and must promise the day after, not ${by}`)
  const [cents, after] = [BigInt(amount), BigInt(balance)]
  return {
    note,
    log,
    owner,
    kind,
    version: BigInt(version),
    amount: cents,
    balance: after,
    event,
    date,
    sealedBy: by,
  }
}

/**
 * A receipt with a valid signature of the key of receipts.
 * @param {string} note
 * @param {VerifierKey} key
 * @param {Hashes} hashes
 * @returns {Receipt}
 * @throws {Invalid}
 */
export function openReceipt(note, key, hashes) {
  const receipt = parseReceipt(note)
  if (key.name !== `${receipt.log}/receipts`)
    throw new Invalid(`the receipt is of the log "${receipt.log}", but the key of "${key.name}"`)
  requireSigned(parseNote(note), key, hashes, 'receipt')
  return receipt
}

/**
 * The tag that its line has in the log, if it is in this epoch.
 * @param {Hashes} hashes
 * @param {Uint8Array} secret the investor's
 * @param {Receipt} receipt
 * @param {number} epoch
 */
export function receiptTag(hashes, secret, receipt, epoch) {
  return tagOf(hashes, legKey(hashes, secret, epoch), receipt.owner, receipt)
}

/**
 * Looks for a receipt among the entries that an investor's proof has, which are complete up to its epoch.
 * @param {Receipt} receipt
 * @param {{ owner: string, transactions: OwnTransaction[], date: string }} proof `date`: of its epoch
 * @returns {boolean} false if its day has not ended yet
 * @throws {Invalid} if the log has something else, or nothing after the day that the receipt promised
 */
export function isSealed(receipt, { owner, transactions, date }) {
  if (receipt.owner !== owner)
    throw new Invalid(`the receipt for ${receiptInWords(receipt)} is of another account`)
  for (const { index, leaf, legs } of transactions) {
    const leg = legs.find(({ kind, version }) => kind === receipt.kind && version === receipt.version)
    if (leg === undefined) continue
    const { event, date: made } = parseTransaction(leaf)
    if (leg.amount !== receipt.amount || leg.balance !== receipt.balance || event !== receipt.event)
      throw contradicted(
        receipt,
        `leaf ${index}`,
        `${event}, ${dollars(leg.amount)} USD, balance ${dollars(leg.balance)} USD`,
      )
    // The proof has no epoch's day but the last; a leaf is never of a later day than its epoch.
    if (made > receipt.sealedBy) throw late(receipt, `leaf ${index}, of ${made}`)
    return true
  }
  if (date >= receipt.sealedBy) throw missing(receipt, date)
  return false
}

/**
 * Checks the receipts of a saved proof by the key that its epoch seals. Those of an earlier key need the log, which sealed it.
 * @param {string[]} notes
 * @param {import('./investor.mjs').SavedProof} proof
 * @param {import('./epoch.mjs').Epoch} epoch
 * @param {Hashes} hashes
 * @returns {{ sealed: number, pending: number, earlier: number }} how many are in the log, need not be yet, and have another key
 * @throws {Invalid}
 */
export function checkOwnReceipts(notes, { investor, transactions }, { receipts: vkey, date }, hashes) {
  if (notes.length === 0) return { sealed: 0, pending: 0, earlier: 0 }
  if (vkey === null) throw new Invalid('the epoch seals no key of receipts')
  const key = parseVerifierKey(vkey, hashes)
  const own = notes.filter(note => !isOfAnotherKey(note, key))
  const sealed = own.filter(note =>
    isSealed(openReceipt(note, key, hashes), { owner: investor.owner, transactions, date }),
  ).length
  return { sealed, pending: own.length - sealed, earlier: notes.length - own.length }
}

/**
 * True if it is signed in the name of this key by another one.
 * @param {string} note
 * @param {VerifierKey} key
 */
function isOfAnotherKey(note, { name, keyId }) {
  const { signatures } = parseNote(note)
  const own = signatures.filter(signature => signature.name === name)
  return own.length > 0 && own.every(signature => signature.keyId !== keyId)
}

/**
 * @param {Receipt} receipt
 * @param {string} date of the log's last epoch
 */
export function missing(receipt, date) {
  return new Invalid(
    `the receipt for ${receiptInWords(receipt)} promised its leaf by the end of ${receipt.sealedBy}; the log up to ${date} has none`,
  )
}

/**
 * @param {Receipt} receipt
 * @param {string} where its line is
 */
export function late(receipt, where) {
  return new Invalid(
    `the receipt for ${receiptInWords(receipt)} promised its leaf by the end of ${receipt.sealedBy}; it came later: ${where}`,
  )
}

/**
 * @param {Receipt} receipt
 * @param {string} where the line is
 * @param {string} what it has
 */
export function contradicted(receipt, where, what) {
  return new Invalid(
    `${where} of the log contradicts the receipt for ${receiptInWords(receipt)}: it has ${what}`,
  )
}

/** @param {Receipt} receipt */
export function receiptInWords({ event, date, amount, balance, kind, version }) {
  return `entry ${version} of ${kind} (${event} of ${date}, ${dollars(amount)} USD, balance ${dollars(balance)} USD)`
}

/** @param {bigint} cents */
function dollars(cents) {
  return decimal(cents, 'USD')
}
