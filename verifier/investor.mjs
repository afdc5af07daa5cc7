// @ts-check
import { base64, fromBase64, fromDecimal, fromHex, utf8 } from './bytes.mjs'
import { INVESTOR_ACCOUNTS } from './chart.mjs'
import { publishedLeaf, SALT_BYTES } from './closed-leaf.mjs'
import { isEpochEnd, owedIn, parseEpoch } from './epoch.mjs'
import { Invalid } from './errors.mjs'
import { decimal, parseTransaction } from './journal.mjs'
import { accountNonce, leafDigest, verifyPath } from './liabilities.mjs'
import { leafHash, verifyConsistency, verifyInclusion } from './merkle.mjs'
import { openCheckpoint, parseVerifierKey } from './note.mjs'

/** What one investor checks: every line of their own in the journal, and their part of the published total. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./epoch.mjs').Epoch} Epoch */
/** @typedef {import('./note.mjs').VerifierKey} VerifierKey */
/** @typedef {import('./note.mjs').Checkpoint} Checkpoint */
/** @typedef {{ line: number, kind: string, version: bigint, amount: bigint, balance: bigint }} Leg `line` counts from 1; cents, credits positive */
/** @typedef {{ index: number, epoch: number, leaf: string, legs: Leg[] }} OwnTransaction */
/** @typedef {{ index: number, value: bigint, path: import('./liabilities.mjs').TreeNode[] }} Share a leaf of the tree */
/** @typedef {{ owner: string, email: string, accountNumber: bigint, secret: Uint8Array }} Investor */
/** @typedef {{ available: bigint, held: bigint, invested: bigint }} Balances cents */

/**
 * Checks that an investor's lines are in the journal as the investor knows them, without a gap.
 * @param {Hashes} hashes
 * @param {Pick<Investor, 'owner' | 'secret'>} investor
 * @param {OwnTransaction[]} transactions in the order of the log
 * @returns {Balances} those after the last of them
 * @throws {Invalid}
 */
export function checkHistory(hashes, investor, transactions) {
  return balancesOf(historyAfter(hashes, investor, transactions))
}

/** @typedef {Map<string, { version: bigint, balance: bigint }>} History the newest entry of each kind of account */

/**
 * @param {Hashes} hashes
 * @param {Pick<Investor, 'owner' | 'secret'>} investor
 * @param {OwnTransaction[]} transactions in the order of the log
 * @param {History} [before] what was checked before, to which these follow
 * @returns {History}
 * @throws {Invalid}
 */
export function historyAfter(hashes, { owner, secret }, transactions, before) {
  /** @type {History} */
  const last = new Map(
    [...INVESTOR_ACCOUNTS.keys()].map(kind => [kind, before?.get(kind) ?? { version: 0n, balance: 0n }]),
  )
  let place = -1
  for (const { index, epoch, leaf, legs } of transactions) {
    if (index <= place) throw new Invalid(`transaction ${index} is not in the order of the log`)
    place = index
    const key = legKey(hashes, secret, epoch)
    const { lines } = parseTransaction(leaf)
    for (const leg of legs) {
      const before = last.get(leg.kind)
      if (before === undefined) throw new Invalid(`an investor has no ${leg.kind} account`)
      if (leg.version !== before.version + 1n)
        throw new Invalid(
          `entry ${before.version + 1n} of ${leg.kind} is missing, leaf ${index} has entry ${leg.version}`,
        )
      if (leg.balance !== before.balance + leg.amount || leg.balance < 0n)
        throw new Invalid(
          `the balance of ${leg.kind} after entry ${leg.version} does not follow from the one before`,
        )
      const line = lines[leg.line - 1]
      if (line?.account !== INVESTOR_ACCOUNTS.get(leg.kind) || line?.amount !== -leg.amount)
        throw new Invalid(`line ${leg.line} of leaf ${index} is not entry ${leg.version} of ${leg.kind}`)
      if (line.tag !== tagOf(hashes, key, owner, leg))
        throw new Invalid(
          `the tag of line ${leg.line} of leaf ${index} is not the one of this investor's entry`,
        )
      last.set(leg.kind, leg)
    }
  }
  return last
}

/**
 * @param {History} history
 * @returns {Balances}
 */
export function balancesOf(history) {
  const balance = (/** @type {string} */ kind) => history.get(kind)?.balance ?? 0n
  return { available: balance('available'), held: balance('held'), invested: balance('invested') }
}

/**
 * @param {Hashes} hashes
 * @param {Uint8Array} secret
 * @param {number} epoch
 */
export function legKey(hashes, secret, epoch) {
  return hashes.hmacSha256(secret, utf8(`probity-leg-key/v1\n${epoch}\n`))
}

/**
 * @param {Hashes} hashes
 * @param {Uint8Array} legKey
 * @param {string} owner
 * @param {Omit<Leg, 'line'>} leg
 */
export function tagOf(hashes, legKey, owner, { kind, version, amount, balance }) {
  const text = `probity-leg/v1\n${owner}\n${kind}\nUSD\n${version}\n${amount}\n${balance}\n`
  return base64(hashes.hmacSha256(legKey, utf8(text)))
}

/**
 * Checks that the parts of a balance are in an epoch's tree of liabilities, and are this investor's alone.
 * @param {Hashes} hashes
 * @param {Omit<Investor, 'owner'>} investor the address as it was at the epoch's end
 * @param {Share[]} shares
 * @param {Pick<Epoch, 'epoch' | 'liabilities'>} epoch
 * @returns {bigint} their sum in cents
 * @throws {Invalid}
 */
export function checkShares(hashes, { secret, email, accountNumber }, shares, { epoch, liabilities }) {
  const nonce = accountNonce(hashes, secret, email)
  const used = new Set()
  let sum = 0n
  for (const { index, value, path } of shares) {
    if (liabilities === null) throw new Invalid('the epoch has no tree of liabilities')
    if (used.has(index)) throw new Invalid(`leaf ${index} of the tree is counted twice`)
    used.add(index)
    const digest = leafDigest(hashes, { nonce, epoch, accountNumber, value, index })
    verifyPath(hashes, { index, leaf: { digest, value }, path }, liabilities)
    sum += value
  }
  return sum
}

/** @typedef {{ leaf: string, salt: Uint8Array | null, index: number, path: Uint8Array[] }} IncludedLeaf `salt`: if the log has it closed */
/**
 * @typedef {object} SavedProof
 * @property {string} vkey
 * @property {string} keys the statements by which the log's key was replaced; empty if it never was
 * @property {string} checkpoint
 * @property {Investor} investor
 * @property {IncludedLeaf} epoch
 * @property {(OwnTransaction & IncludedLeaf)[]} transactions
 * @property {Share[]} shares
 * @property {string[]} receipts signed notes for entries that may not be in the log yet
 * @property {{ vkey: string, checkpoint: string } | null} seen what the device knew before, of a check that failed
 * @property {Uint8Array[]} consistency the path from there
 */
/** @typedef {{ checkpoint: Checkpoint, epoch: Epoch, email: string, balances: Balances, total: bigint }} Outcome `email`: the address that the balance is bound to */

/**
 * Checks a saved proof, without a network.
 * @param {SavedProof} proof
 * @param {VerifierKey} key
 * @param {Hashes} hashes
 * @returns {Outcome}
 * @throws {Invalid}
 */
export function checkSavedProof(proof, key, hashes) {
  const checkpoint = openCheckpoint(proof.checkpoint, key, hashes)
  const { size, root } = checkpoint
  requireContinued(hashes, proof, checkpoint)
  for (const included of [proof.epoch, ...proof.transactions])
    verifyIncluded(hashes, included, { size, root })
  if (proof.epoch.index !== size - 1 || !isEpochEnd(proof.epoch.leaf))
    throw new Invalid('the last leaf of the checkpoint is not the end of an epoch')
  const epoch = parseEpoch(proof.epoch.leaf)
  const balances = checkHistory(hashes, proof.investor, proof.transactions)
  const sum = checkShares(hashes, proof.investor, proof.shares, epoch)
  const total = balances.available + balances.held + balances.invested
  if (sum !== total)
    throw new Invalid(
      `the published total has ${decimal(sum, 'USD')} USD of this investor, the journal ${decimal(total, 'USD')} USD`,
    )
  requireJournalsTotal(epoch)
  return { checkpoint, epoch, email: proof.investor.email, balances, total }
}

/**
 * @param {Hashes} hashes
 * @param {Pick<SavedProof, 'seen' | 'consistency'>} proof
 * @param {Checkpoint} head
 */
function requireContinued(hashes, { seen, consistency }, head) {
  if (seen === null) return
  const before = openCheckpoint(seen.checkpoint, parseVerifierKey(seen.vkey, hashes), hashes)
  try {
    verifyConsistency(hashes, before, head, consistency)
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    throw new Invalid(`its device had seen a different history, signed with the key ${seen.vkey}: ${message}`)
  }
}

/**
 * @param {Hashes} hashes
 * @param {IncludedLeaf} included
 * @param {{ size: number, root: Uint8Array }} head
 * @throws {Invalid}
 */
export function verifyIncluded(hashes, included, head) {
  const leaf = leafHash(hashes, utf8(publishedLeaf(hashes, included)))
  verifyInclusion(hashes, { ...included, ...head, leaf })
}

/**
 * Checks that the tree's sum is what the journal owes to all investors.
 * @param {Epoch} epoch
 * @throws {Invalid}
 */
export function requireJournalsTotal({ balances, liabilities }) {
  const owed = owedIn(balances)
  const sum = liabilities?.sum ?? 0n
  if (sum !== owed)
    throw new Invalid(
      `the balances of all investors are ${decimal(sum, 'USD')} USD, the journal owes them ${decimal(owed, 'USD')} USD`,
    )
}

/**
 * @param {string} text
 * @returns {SavedProof}
 * @throws {Invalid}
 */
export function parseSavedProof(text) {
  const value = new Value(json(text), 'the file')
  if (value.text('format') !== 'probity-proof/v1')
    throw new Invalid('it is not a saved proof (probity-proof/v1)')
  return {
    vkey: value.text('vkey'),
    keys: value.optionalText('keys'),
    checkpoint: value.text('checkpoint'),
    investor: {
      owner: value.text('owner'),
      email: value.text('email'),
      accountNumber: value.integer('accountNumber'),
      secret: fromBase64(value.text('secret')),
    },
    epoch: included(value.object('epoch')),
    transactions: value.list('transactions').map(transaction => ({
      ...included(transaction),
      salt: saltIn(transaction),
      epoch: fromDecimal(transaction.text('epoch')),
      legs: transaction.list('legs').map(leg => ({
        line: fromDecimal(leg.text('line')),
        kind: leg.text('kind'),
        version: leg.integer('version'),
        amount: leg.integer('amount'),
        balance: leg.integer('balance'),
      })),
    })),
    shares: value.list('shares').map(share => ({
      index: fromDecimal(share.text('index')),
      value: share.integer('value'),
      path: share
        .list('path')
        .map(node => ({ digest: fromHex(node.text('digest')), value: node.integer('value') })),
    })),
    receipts: value.texts('receipts'),
    seen: value.optionalObject('seen', seen => ({
      vkey: seen.text('vkey'),
      checkpoint: seen.text('checkpoint'),
    })),
    consistency: value.texts('consistency').map(fromBase64),
  }
}

/** @param {string} text */
function json(text) {
  try {
    return JSON.parse(text)
  } catch {
    throw new Invalid('it is not JSON')
  }
}

/**
 * @param {Value} value
 * @returns {IncludedLeaf}
 */
function included(value) {
  const path = value.text('path')
  return {
    leaf: value.text('leaf'),
    salt: null,
    index: fromDecimal(value.text('index')),
    path: path === '' ? [] : path.split('\n').map(fromBase64),
  }
}

/** @param {Value} value */
function saltIn(value) {
  const text = value.optionalText('salt')
  const salt = text === '' ? null : fromBase64(text)
  if (salt !== null && salt.length !== SALT_BYTES) throw new Invalid('the salt of a closed leaf has 32 bytes')
  return salt
}

/** A JSON object whose parts are read by name. */
class Value {
  #value
  #name

  /**
   * @param {unknown} value
   * @param {string} name
   */
  constructor(value, name) {
    if (typeof value !== 'object' || value === null) throw new Invalid(`${name} is not an object`)
    this.#value = /** @type {Record<string, unknown>} */ (value)
    this.#name = name
  }

  /** @param {string} name */
  text(name) {
    const found = this.#value[name]
    if (typeof found !== 'string') throw new Invalid(`${this.#name} has no text "${name}"`)
    return found
  }

  /** @param {string} name */
  optionalText(name) {
    return this.#value[name] === undefined ? '' : this.text(name)
  }

  /** @param {string} name */
  integer(name) {
    const text = this.text(name)
    if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text))
      throw new Invalid(`"${name}" of ${this.#name} is not an integer`)
    return BigInt(text)
  }

  /** @param {string} name */
  object(name) {
    return new Value(this.#value[name], `"${name}"`)
  }

  /**
   * @template Found
   * @param {string} name
   * @param {(value: Value) => Found} read
   */
  optionalObject(name, read) {
    return this.#value[name] === undefined ? null : read(this.object(name))
  }

  /** @param {string} name */
  list(name) {
    const found = this.#value[name]
    if (!Array.isArray(found)) throw new Invalid(`${this.#name} has no list "${name}"`)
    return found.map((value, at) => new Value(value, `"${name}" ${at + 1}`))
  }

  /** @param {string} name of a list that may be absent */
  texts(name) {
    const found = this.#value[name] ?? []
    if (!Array.isArray(found) || !found.every(text => typeof text === 'string'))
      throw new Invalid(`"${name}" of ${this.#name} is not a list of texts`)
    return /** @type {string[]} */ (found)
  }
}
