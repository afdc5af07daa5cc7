// @ts-check
import { equal, fromBase64, fromDecimal, textOf, u64le } from './bytes.mjs'
import { INVESTOR_ACCOUNTS } from './chart.mjs'
import { isClosed, publishedLeaf } from './closed-leaf.mjs'
import { isEpochEnd, parseEpoch } from './epoch.mjs'
import { Invalid, Unavailable } from './errors.mjs'
import { tagOf } from './investor.mjs'
import { parseTransaction } from './journal.mjs'
import { NODE_BYTES, nodeAt } from './liabilities.mjs'

/** An auditor's opening: whose every line of an investor is. It comes in the order of the log, so it is read once. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {{ leaf: number, line: number, owner: string, kind: string, version: bigint, amount: bigint, balance: bigint }} OpenedLine */
/**
 * @typedef {object} Owner
 * @property {string} owner
 * @property {boolean} isErased true if the key of the newest line is erased
 * @property {Map<string, { version: bigint, balance: bigint }>} accounts
 */

const HEAD = 'probity-opening/v1'
const LINE = /^leg (0|[1-9]\d{0,14}) ([1-9]\d{0,5}) (\S+) ([a-z]+) ([1-9]\d*) (-?[1-9]\d*) (0|-?[1-9]\d*)$/
const TEXT = /^text (0|[1-9]\d{0,14}) ([A-Za-z0-9+/]{43}=) ([A-Za-z0-9+/]+={0,2})$/
const PART = /^part (0|[1-9]\d*) (0|[1-9]\d*) (\S+) (erased|[A-Za-z0-9+/]{43}=)$/
/** Errors that are kept: one mistake may have many. */
const MOST_ERRORS = 1000

export class Opening {
  lines = 0
  /** Closed leaves whose transaction it has. */
  texts = 0
  /** Lines whose owner's secret was erased: nobody can open their tags any more. */
  erased = 0
  parts = 0
  /** Parts of such owners: their values are compared, their digests nobody can recompute. */
  erasedParts = 0
  /** @type {string[]} */
  errors = []
  #hashes
  #read
  /** @type {string | null} */
  #row
  #leaf = 0
  #epoch = 1
  #atStart = true
  /** @type {Map<string, Uint8Array | null>} by owner: those of the epoch; null if erased */
  #keys = new Map()
  /** @type {Map<string, Owner>} */
  #owners = new Map()

  /**
   * @param {Hashes} hashes
   * @param {() => string | null} read the next line of the file
   */
  constructor(hashes, read) {
    this.#hashes = hashes
    this.#read = read
    this.#row = read()
    if (this.#row !== HEAD) throw new Invalid(`it is not an opening (${HEAD})`)
    this.#row = read()
  }

  get owners() {
    return this.#owners.size
  }

  /**
   * The text of the next leaf, which is closed; null if the file has none that gives this leaf.
   * @param {string} leaf
   */
  open = leaf => {
    if (this.#atStart) this.#startEpoch()
    this.#readKeys()
    const [, at, salt = '', content = ''] = TEXT.exec(this.#row ?? '') ?? []
    if (at !== String(this.#leaf)) return null
    this.#row = this.#read()
    const text = textIn(content)
    const opened = { leaf: text ?? '', salt: fromBase64(salt) }
    if (text === null || isEpochEnd(text) || publishedLeaf(this.#hashes, opened) !== leaf) return null
    this.texts += 1
    return text
  }

  /** The next leaf of the log, opened if it can be. */
  add = (/** @type {string} */ leaf) => {
    if (this.#atStart) this.#startEpoch()
    if (isEpochEnd(leaf)) {
      this.#refuseLines()
      this.#epoch = parsedEpoch(leaf) ?? this.#epoch
      this.#epoch += 1
      this.#atStart = true
    } else if (isClosed(leaf))
      this.#invalid(`leaf ${this.#leaf} is closed, and not opened as what was sealed`)
    else this.#addTransaction(leaf)
    this.#leaf += 1
  }

  #startEpoch() {
    this.#atStart = false
    this.#keys.clear()
    if (this.#row === `epoch ${this.#epoch}`) this.#row = this.#read()
    else this.#invalid(`epoch ${this.#epoch} is not opened in its place: ${shown(this.#row)}`)
  }

  /** @param {string} leaf */
  #addTransaction(leaf) {
    for (const [at, { account, amount, tag }] of linesOf(leaf).entries()) {
      if (tag === null) continue
      const opened = this.#nextLine(at + 1)
      const where = `line ${at + 1} of leaf ${this.#leaf}`
      if (opened === null) this.#invalid(`${where} is not opened`)
      else if (INVESTOR_ACCOUNTS.get(opened.kind) !== account || opened.amount !== -amount)
        this.#invalid(`${where} is opened as ${opened.amount} cents of ${opened.kind}, which it is not`)
      else this.#follow(opened, tag, where)
    }
  }

  /**
   * The opened line of this place, if it is the next one; those of earlier places open nothing.
   * @param {number} line
   */
  #nextLine(line) {
    for (;;) {
      this.#readKeys()
      const opened = lineIn(this.#row)
      if (opened === null || opened.leaf > this.#leaf || (opened.leaf === this.#leaf && opened.line > line))
        return null
      this.#row = this.#read()
      if (opened.leaf === this.#leaf && opened.line === line) return opened
      this.#invalid(
        `line ${opened.line} of leaf ${opened.leaf} is opened twice, or is no line of an investor`,
      )
    }
  }

  #readKeys() {
    for (;;) {
      const [, owner, key = ''] = /^key (\S+) (erased|[A-Za-z0-9+/]{43}=)$/.exec(this.#row ?? '') ?? []
      if (owner === undefined) return
      this.#keys.set(owner, key === 'erased' ? null : fromBase64(key))
      this.#row = this.#read()
    }
  }

  /**
   * @param {OpenedLine} opened
   * @param {string} tag
   * @param {string} where
   */
  #follow(opened, tag, where) {
    const { owner, kind, version, amount, balance } = opened
    const key = this.#keys.get(owner)
    this.lines += 1
    if (key === undefined) this.#invalid(`${where}: the key of ${owner} in epoch ${this.#epoch} is missing`)
    else if (key === null) this.erased += 1
    else if (tagOf(this.#hashes, key, owner, opened) !== tag)
      this.#invalid(`${where}: its tag is not that of ${owner}, ${kind}, entry ${version}`)
    const known = this.#ownerOf(owner)
    const { accounts } = known
    known.isErased = key === null
    const before = accounts.get(kind) ?? { version: 0n, balance: 0n }
    if (version !== before.version + 1n)
      this.#invalid(
        `${where}: entry ${before.version + 1n} of ${owner}, ${kind} is missing, it is ${version}`,
      )
    if (balance !== before.balance + amount || balance < 0n)
      this.#invalid(`${where}: the balance of ${owner}, ${kind} does not follow from the one before`)
    accounts.set(kind, { version, balance })
  }

  /** @param {string} owner */
  #ownerOf(owner) {
    const found = this.#owners.get(owner) ?? { owner, isErased: false, accounts: new Map() }
    this.#owners.set(owner, found)
    return found
  }

  /** At an epoch's end: no line may be left. */
  #refuseLines() {
    this.#readKeys()
    for (let opened = lineIn(this.#row); opened !== null; opened = lineIn(this.#row)) {
      if (opened.leaf > this.#leaf)
        this.#invalid(`line ${opened.line} of leaf ${opened.leaf} is opened in epoch ${this.#epoch}`)
      else
        this.#invalid(
          `line ${opened.line} of leaf ${opened.leaf} is opened twice, or is no line of an investor`,
        )
      this.#row = this.#read()
      this.#readKeys()
    }
  }

  /**
   * After the last leaf: the parts of the newest tree, which must be those of the balances.
   * @param {number} epoch
   * @param {Uint8Array} leaves the content of leaves.bin
   */
  finish(epoch, leaves) {
    const sums = new Map()
    for (let place = 0; place < leaves.length / NODE_BYTES; place += 1) {
      const [, at, value = '0', owner = '', nonce = ''] = PART.exec(this.#row ?? '') ?? []
      if (at !== String(place)) {
        this.#invalid(`leaf ${place} of the tree of epoch ${epoch} is not opened`)
        continue
      }
      this.#row = this.#read()
      this.parts += 1
      const isErased = nonce === 'erased'
      if (isErased) this.erasedParts += 1
      const node = nodeAt(leaves, place)
      if (
        node.value !== BigInt(value) ||
        !(isErased || equal(this.#digestOf(nonce, value, place), node.digest))
      )
        this.#invalid(`leaf ${place} of the tree of epoch ${epoch} is not the part that is opened`)
      if (isErased && this.#owners.get(owner)?.isErased !== true)
        this.#invalid(
          `leaf ${place} of the tree of epoch ${epoch} is called erased, but the newest line of ${owner} is not`,
        )
      sums.set(owner, (sums.get(owner) ?? 0n) + BigInt(value))
    }
    if (this.#row !== null) this.#invalid(`after the last leaf comes ${shown(this.#row)}`)
    this.#comparePartsWithBalances(epoch, sums)
  }

  /**
   * @param {string} nonce
   * @param {string} value
   * @param {number} place
   */
  #digestOf(nonce, value, place) {
    const content = new Uint8Array([...u64le(BigInt(value)), ...u64le(BigInt(place))])
    return this.#hashes.hmacSha256(fromBase64(nonce), content)
  }

  /**
   * @param {number} epoch
   * @param {Map<string, bigint>} sums
   */
  #comparePartsWithBalances(epoch, sums) {
    for (const owner of sums.keys())
      if (!this.#owners.has(owner))
        this.#invalid(`the tree of epoch ${epoch} has a part of ${owner}, who has no line`)
    for (const { owner, accounts } of this.#owners.values()) {
      const balance = [...accounts.values()].reduce((sum, account) => sum + account.balance, 0n)
      const sum = sums.get(owner) ?? 0n
      if (sum !== balance)
        this.#invalid(`${owner} has ${balance} cents by the lines, ${sum} in the tree of epoch ${epoch}`)
    }
  }

  /** @param {string} message */
  #invalid(message) {
    if (this.errors.length < MOST_ERRORS) this.errors.push(message)
  }
}

/**
 * Compares the newest tree with the opening, whose lines were read with the log, and reports what is wrong.
 * @param {{ source: import('./source.mjs').Source, opening: Opening }} given
 * @param {Pick<import('./audit.mjs').Audit, 'findings' | 'log'>} audit
 */
export async function finishOpening({ source, opening }, { findings, log }) {
  const last = log?.epochs.at(-1)
  if (last === undefined || log?.rootHolds !== true) throw new Unavailable('there is no log to compare with')
  const { liabilities, epoch } = last
  const mostBytes = (liabilities?.leaves ?? 0) * NODE_BYTES
  const leaves =
    liabilities === null ? new Uint8Array() : await source.read(`epochs/${epoch}/leaves.bin`, mostBytes)
  if (leaves === null) throw new Unavailable(`epochs/${epoch}/leaves.bin is missing`)
  opening.finish(epoch, leaves)
  for (const error of opening.errors) findings.fail('opening', error)
  if (opening.erased > 0)
    findings.remarks.push(
      `Of the opening, ${erasedInWords(opening)} cannot be recomputed, because their owners' secrets were erased.`,
    )
  findings.done('opening')
}

/**
 * What nobody can recompute any more, in words.
 * @param {Pick<Opening, 'erased' | 'erasedParts'>} opening
 */
export function erasedInWords({ erased, erasedParts }) {
  const count = (/** @type {number} */ number, /** @type {string} */ one) =>
    `${number} ${number === 1 ? one : `${one}s`}`
  return `${count(erased, 'line')} and ${count(erasedParts, 'part')}`
}

/** @param {string} content base64 */
function textIn(content) {
  try {
    return textOf(fromBase64(content))
  } catch (error) {
    if (error instanceof Invalid) return null
    throw error
  }
}

/** @param {string | null} row */
function lineIn(row) {
  const [, leaf, line = '', owner = '', kind = '', version = '', amount = '', balance = ''] =
    LINE.exec(row ?? '') ?? []
  if (leaf === undefined) return null
  return {
    leaf: fromDecimal(leaf),
    line: fromDecimal(line),
    owner,
    kind,
    version: BigInt(version),
    amount: BigInt(amount),
    balance: BigInt(balance),
  }
}

/** What is wrong with a leaf itself is found where the log is read. @param {string} leaf */
function linesOf(leaf) {
  try {
    return parseTransaction(leaf).lines
  } catch (error) {
    if (error instanceof Invalid) return []
    throw error
  }
}

/** @param {string} leaf */
function parsedEpoch(leaf) {
  try {
    return parseEpoch(leaf).epoch
  } catch (error) {
    if (error instanceof Invalid) return null
    throw error
  }
}

/** @param {string | null} row */
function shown(row) {
  return row === null ? 'nothing' : JSON.stringify(row.slice(0, 100))
}
