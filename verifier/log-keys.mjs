// @ts-check
import { fromDecimal } from './bytes.mjs'
import { Invalid } from './errors.mjs'
import { isDay } from './journal.mjs'
import { LOG_KEY, openCheckpoint, parseNote, parseVerifierKey, requireSigned } from './note.mjs'

/** The keys of a log, one after the other, and the statements by which each replaced the one before (proof-format.md). */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./note.mjs').VerifierKey} VerifierKey */
/** @typedef {{ epoch: number, date: string, reason: string, from: VerifierKey, to: VerifierKey }} Replacement `epoch`: the first that the new key signs */

const HEAD = 'probity-log-key/v1\n'
const STATEMENT =
  /^probity-log-key\/v1\nlog: (\S+)\nepoch: ([1-9]\d{0,14})\ndate: (\S+)\nreason: (planned|lost|stolen)\nfrom: (\S+)\nto: (\S+)\n$/

/**
 * @param {string} text all statements; empty if the key was never replaced
 * @param {Hashes} hashes
 * @returns {Replacement[]}
 * @throws {Invalid} if one is not signed by the new key, a planned one not by the key before it, or they do not follow each other
 */
export function parseReplacements(text, hashes) {
  if (text === '') return []
  if (!text.startsWith(HEAD)) throw new Invalid('it does not begin with a statement (probity-log-key/v1)')
  const notes = text
    .slice(HEAD.length)
    .split(`\n${HEAD}`)
    .map((rest, at, all) => `${HEAD}${rest}${at < all.length - 1 ? '\n' : ''}`)
  /** @type {Replacement[]} */
  const found = []
  for (const note of notes) {
    const next = parseReplacement(note, hashes)
    const last = found.at(-1)
    if (last !== undefined && (last.to.vkey !== next.from.vkey || last.epoch >= next.epoch))
      throw new Invalid(`the statement of ${next.date} does not follow the one of ${last.date}`)
    found.push(next)
  }
  return found
}

/**
 * @param {string} note
 * @param {Hashes} hashes
 * @returns {Replacement}
 */
function parseReplacement(note, hashes) {
  const parsed = parseNote(note)
  const [, log = '', epoch = '', date = '', reason = '', before = '', after = ''] =
    STATEMENT.exec(parsed.text) ?? []
  if (log === '' || !isDay(date))
    throw new Invalid('it has a statement without its form (probity-log-key/v1)')
  const [from, to] = [parseVerifierKey(before, hashes), parseVerifierKey(after, hashes)]
  if ([from, to].some(({ name, type }) => name !== log || type !== LOG_KEY))
    throw new Invalid(`the statement of ${date} names a key that is not one of ${log}`)
  const what = `statement of ${date}, by which the key was replaced,`
  if (reason === 'planned') requireSigned(parsed, from, hashes, what)
  requireSigned(parsed, to, hashes, what)
  return { epoch: fromDecimal(epoch), date, reason, from, to }
}

/** A log's key that no planned rotation leads to from the known one. */
export class UnknownKey extends Invalid {}

/** What leads from a trusted key to the newest one. */
export class LogKeys {
  /**
   * @param {VerifierKey} trusted
   * @param {Replacement[]} [replacements]
   * @throws {Invalid} if they are of other keys
   */
  constructor(trusted, replacements = []) {
    const keys = [replacements[0]?.from ?? trusted, ...replacements.map(({ to }) => to)]
    const at = keys.findIndex(({ vkey }) => vkey === trusted.vkey)
    if (at < 0)
      throw new Invalid(`the statements about the log's keys do not name the one pinned, ${trusted.vkey}`)
    const after = replacements.slice(at)
    /** The one that only the firm's word vouches for: nothing after it is trusted. */
    this.refused = after.find(({ reason }) => reason !== 'planned') ?? null
    this.followed = this.refused === null ? after : after.slice(0, after.indexOf(this.refused))
    this.replacements = replacements.slice(0, at + this.followed.length)
    this.all = keys.slice(0, this.replacements.length + 1)
    this.newest = this.replacements.at(-1)?.to ?? trusted
  }

  /**
   * The key that signs an epoch.
   * @param {number} epoch
   */
  of(epoch) {
    return this.replacements.findLast(replaced => replaced.epoch <= epoch)?.to ?? this.all[0] ?? this.newest
  }

  /**
   * A checkpoint with a valid signature of any of these keys.
   * @param {string} note
   * @param {Hashes} hashes
   * @throws {Invalid}
   */
  open(note, hashes) {
    const { signatures } = parseNote(note)
    const own = this.all.findLast(({ name, keyId }) =>
      signatures.some(line => line.name === name && line.keyId === keyId),
    )
    return openCheckpoint(note, own ?? this.newest, hashes)
  }
}

/**
 * The key to which planned rotations lead from a trusted one.
 * @param {{ from: string, to: string, statements: string }} way
 * @param {Hashes} hashes
 * @returns {VerifierKey}
 * @throws {UnknownKey} if none leads there, or one that was not planned; Invalid if a statement is forged
 */
export function followKey({ from, to, statements }, hashes) {
  const trusted = parseVerifierKey(from, hashes)
  if (from === to) return trusted
  const { newest, refused } = new LogKeys(trusted, parseReplacements(statements, hashes))
  if (newest.vkey === to) return newest
  throw new UnknownKey(
    refused === null ? `its key is ${to}, and the one known here is ${from}` : refusalInWords(refused),
  )
}

/** @param {Replacement} replacement */
export function refusalInWords({ date, reason, from, to }) {
  return `on ${date} the key ${from.keyId} of ${from.name} was replaced as ${reason}, by a statement that the old key has not signed, so it may be anybody's. Ask the firm, by another way than this site, and the log's witnesses for the new key. Trust ${to.vkey} only if they name it`
}
