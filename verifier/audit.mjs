// @ts-check
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hex, textOf, utf8 } from './bytes.mjs'
import { checkEpochFiles } from './epoch-files.mjs'
import { Invalid, Unavailable } from './errors.mjs'
import { Findings } from './findings.mjs'
import { LogKeys, parseReplacements, refusalInWords } from './log-keys.mjs'
import { headInWords, openCheckpoint, parseVerifierKey, sameHead } from './note.mjs'
import { finishOpening } from './opening.mjs'
import { judge, parsePolicy } from './policy.mjs'
import { checkReceipts, checkSeen } from './promises.mjs'
import { daysBetween, readLog } from './read-log.mjs'
import { compareFigure, hiddenFigures, readSiteFigures } from './site-figures.mjs'
import { isWebsite, readAhead } from './source.mjs'
import { datedLate, readStampList } from './stamps.mjs'
import { compareHeld, heldByWitnesses } from './witnessed.mjs'

/** A whole verification of one published log. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./note.mjs').Checkpoint} Checkpoint */
/** @typedef {import('./note.mjs').VerifierKey} VerifierKey */
/** @typedef {import('./policy.mjs').Policy} Policy */
/** @typedef {import('./read-log.mjs').LogReader} LogReader */
/** @typedef {import('./site-figures.mjs').Statistic} Statistic */
/** @typedef {import('./source.mjs').Source} Source */
/** @typedef {import('./state.mjs').State} State */

/**
 * @typedef {object} Audit
 * @property {string} place
 * @property {Findings} findings
 * @property {VerifierKey} key the newest one
 * @property {LogKeys} keys
 * @property {boolean} firstSeen true if the key was pinned now
 * @property {Checkpoint | null} checkpoint the published one, if its signature is valid
 * @property {Checkpoint | null} previous the one seen last
 * @property {Checkpoint[]} contradicting other checkpoints of the log's key that the published one contradicts
 * @property {string[]} evidence files with them and the published one
 * @property {LogReader | null} log
 * @property {import('./stamps.mjs').Dated[]} stamps those that hold
 * @property {import('./note.mjs').Cosignature[]} witnesses
 * @property {import('./promises.mjs').KnownReceipt[]} receipts
 * @property {import('./promises.mjs').SeenHead[]} seen sizes and roots of the log that somebody was shown before
 * @property {'given' | 'published' | null} policy whose policy names the witnesses; null: there is none
 * @property {string[]} absentWitnesses names of the policy's that have not cosigned
 * @property {string[]} unknownCosigners
 * @property {import('./witnessed.mjs').Held[]} held what the policy's witnesses hold
 * @property {import('./witnessed.mjs').Compared[]} compared
 * @property {import('./epoch-files.mjs').Assets} assets
 * @property {import('./opening.mjs').Opening | null} opening an auditor's
 * @property {(Statistic & { state: import('./site-figures.mjs').State | 'unknown' | 'wrong' })[]} siteFigures
 */
/**
 * @typedef {object} Given
 * @property {Source} source
 * @property {Source | null} site the firm's pages, if they are known
 * @property {Hashes} hashes
 * @property {Date} now
 * @property {string | null} policy the visitor's own; null: the one that the firm publishes, whose witnesses are not asked
 * @property {import('./witnessed.mjs').Ask} [askWitness] what it holds; without it, none is asked
 * @property {import('./promises.mjs').SeenHead[]} [seen]
 * @property {import('./promises.mjs').GivenReceipt[]} [receipts]
 * @property {Uint8Array | null} [secret] of the investor whose receipts these are
 * @property {import('node:crypto').X509Certificate[] | null} [authorities] whose time stamps are accepted; null: any
 * @property {import('./opening.mjs').Opening | null} [opening] an auditor's
 * @property {(leaves: number) => void} [onProgress]
 * @property {(leaf: string) => void} [onLeaf] called for each leaf of the log
 */

const MOST_SMALL_BYTES = 100_000
const EPOCHS_AT_ONCE = 8
/** Trees of more leaves are read one after the other. */
const LARGE_TREE_LEAVES = 1 << 17
/** Whole days after the newest epoch's: a note says so from the first number on, a website fails from the second. */
const DAYS_UNTIL_LATE = 2
const DAYS_UNTIL_STOPPED = 3

/**
 * The key that the folder or site names.
 * @param {Source} source
 * @returns {Promise<string | null>}
 */
export async function publishedKey(source) {
  const bytes = await source.read('vkey', MOST_SMALL_BYTES)
  return bytes === null ? null : textOf(bytes).trim()
}

/**
 * @param {Given} given
 * @param {{ key: VerifierKey, firstSeen: boolean, published: string | null }} keys
 * @param {State} state
 * @returns {Promise<Audit>}
 */
export async function auditLog(given, { key: trusted, firstSeen, published }, state) {
  const started = Date.now()
  const findings = new Findings()
  const statements = textOf((await given.source.read('keys', MOST_SMALL_BYTES)) ?? new Uint8Array())
  const read = () => new LogKeys(trusted, parseReplacements(statements, given.hashes))
  const keys = (await findings.attempt('key', 'keys', read)) ?? new LogKeys(trusted)
  const key = keys.newest
  /** @type {Audit} */
  const audit = {
    place: given.source.place,
    findings,
    key,
    keys,
    firstSeen,
    checkpoint: null,
    previous: null,
    contradicting: [],
    evidence: [],
    log: null,
    stamps: [],
    witnesses: [],
    receipts: [],
    seen: given.seen ?? [],
    policy: null,
    absentWitnesses: [],
    unknownCosigners: [],
    held: [],
    compared: [],
    siteFigures: [],
    opening: null,
    assets: { reserves: new Map(), stated: new Map() },
  }
  checkKey(audit, published)
  audit.checkpoint =
    (await findings.attempt('signature', 'checkpoint', () => readCheckpoint(given, key))) ?? null
  if (audit.checkpoint === null) return audit
  findings.done('signature')
  audit.previous = await previousCheckpoint(given, audit, state)
  const subject = given.policy === null ? 'books' : 'policy'
  const policy =
    (await findings.attempt('witnesses', 'witnesses', () => readPolicy(given, audit), subject)) ?? null
  audit.held =
    (await findings.attempt('witnesses', 'witnesses', () => heldCheckpoints(given, audit, policy))) ?? []
  await findings.attempt('log', 'the log', () => checkLog(given, audit))
  await findings.attempt('epochs', 'the newest epoch', () => checkAge(given, audit))
  await findings.attempt('history', 'your last visit', () => checkHistory(audit, state))
  await findings.attempt('seen', 'the sizes and roots that you were shown', () =>
    checkSeen(audit, audit.seen),
  )
  const { receipts = [], secret = null } = given
  await findings.attempt('receipts', 'receipts', () => checkReceipts({ ...given, receipts, secret }, audit))
  await findings.attempt('witnesses', 'witnesses', () => checkWitnesses(given, audit, policy))
  await findings.attempt('witnesses', 'witnesses', () => checkHeld(given, audit, state))
  // A key that leads to another history is nobody's but a thief's.
  const isOneHistory =
    findings.state('history') === 'holds' && findings.count('seen') === 0 && findings.count('witnesses') === 0
  if (findings.state('key') === 'holds' && isOneHistory)
    await findings.attempt('key', 'the key', () => state.trust(key.vkey, statements))
  // A large log takes a while to read, and the site's figures are of the moment.
  const now = new Date(given.now.getTime() + Date.now() - started)
  await findings.attempt('figures', 'figures of the site', () => checkSite({ ...given, now }, audit))
  const { source, opening = null } = given
  if (opening !== null)
    await findings.attempt('opening', 'opening', () => finishOpening({ source, opening }, audit))
  audit.opening = opening
  await findings.attempt('log', 'this verifier', () => compareVerifier(given, audit))
  return audit
}

/**
 * @param {Audit} audit
 * @param {string | null} published
 */
function checkKey({ findings, key, keys, place }, published) {
  for (const { epoch, date, reason } of keys.replacements)
    findings.remarks.push(`The log's key was replaced on ${date} (${reason}), from epoch ${epoch} on.`)
  if (keys.refused !== null) findings.fail('key', refusalInWords(keys.refused))
  else if (published === null) findings.miss('key', 'vkey is missing')
  // A copy gets its newest statement before its newest key.
  else if (!keys.all.some(({ vkey }) => vkey === published))
    findings.fail(
      'key',
      `the log's key is not the one pinned: it publishes ${published}, pinned is ${key.vkey}`,
    )
  findings.done('key')
  if (isWebsite(place) && place.replace(/^https?:\/\//, '') !== key.name)
    findings.remarks.push(`The log calls itself ${key.name}. You read it at ${place}.`)
}

/**
 * @param {Given} given
 * @param {VerifierKey} key
 */
async function readCheckpoint({ source, hashes }, key) {
  const bytes = await source.read('checkpoint', MOST_SMALL_BYTES)
  if (bytes === null) throw new Unavailable('it is missing')
  return openCheckpoint(textOf(bytes), key, hashes)
}

/**
 * @param {Given} given
 * @param {Audit} audit
 * @param {State} state
 */
async function previousCheckpoint({ hashes }, { findings, keys }, state) {
  const note = await state.checkpoint()
  if (note === null) return null
  return (
    (await findings.attempt('history', 'the checkpoint kept from last time', () =>
      keys.open(note, hashes),
    )) ?? null
  )
}

/**
 * @param {Given} given
 * @param {Audit} audit
 */
async function checkLog(given, audit) {
  const { findings, checkpoint: head, previous, keys } = audit
  const { source } = given
  if (head === null) return
  const wantsRoot = (/** @type {number} */ size) =>
    size === previous?.size ||
    audit.seen.some(head => head.size === size) ||
    audit.held.some(({ checkpoint }) => checkpoint?.size === size)
  const onLeaf = (/** @type {string} */ leaf) => {
    given.onLeaf?.(leaf)
    given.opening?.add(leaf)
  }
  const open = given.opening?.open
  const read = () => readLog({ ...given, head, findings, wantsRoot, open, onLeaf })
  audit.log = (await findings.attempt('log', 'the log', read)) ?? null
  if (audit.log === null) return
  const { epochs } = audit.log
  const isLarge = epochs.some(({ liabilities }) => (liabilities?.leaves ?? 0) > LARGE_TREE_LEAVES)
  const stamps = await stampNames(source, audit, epochs)
  const { hashes, authorities = null } = given
  const checks = readAhead(
    epochs,
    epoch =>
      checkEpochFiles(
        { source, hashes, keys, findings, stamps, authorities, epochs, assets: audit.assets },
        epoch,
      ),
    isLarge ? 1 : EPOCHS_AT_ONCE,
  )
  for await (const dated of checks) audit.stamps.push(...dated)
  findings.remarks.push(...datedLate(epochs, audit.stamps))
  for (const check of /** @type {const} */ (['checkpoints', 'liabilities', 'documents', 'reserves']))
    findings.done(check)
  if (stamps.size > 0) findings.done('stamps')
  else if (authorities !== null) findings.miss('stamps', 'no epoch has a time stamp')
}

/**
 * The names of the stamps, each of an epoch of this log.
 * @param {Source} source
 * @param {Audit} audit
 * @param {import('./read-log.mjs').SealedEpoch[]} epochs
 */
async function stampNames(source, { findings }, epochs) {
  const known = new Set(epochs.map(({ epoch }) => epoch))
  const names = await findings.attempt('stamps', 'stamps', () => readStampList(source))
  const stranger = [...(names?.keys() ?? [])].find(epoch => !known.has(epoch))
  if (stranger !== undefined)
    findings.fail('stamps', `there is a stamp of epoch ${stranger}, which is not in the log`)
  const first = epochs.find(({ epoch }) => names?.has(epoch))?.epoch ?? Number.POSITIVE_INFINITY
  const without = epochs.filter(({ epoch }) => epoch > first && !names?.has(epoch))
  if (without.length > 0)
    findings.remarks.push(
      `Without a time stamp, since epoch ${first} has one: ${without.map(({ epoch }) => epoch).join(', ')}.`,
    )
  return names ?? new Map()
}

/**
 * Compares with the checkpoint that was seen last, and remembers the new one.
 * @param {Audit} audit
 * @param {State} state
 */
async function checkHistory(audit, state) {
  const { checkpoint, previous, findings, log } = audit
  if (checkpoint === null) return
  const contradiction = previous === null ? null : contradictionOf(previous, checkpoint, log)
  const isUnread = previous !== null && previous.size < checkpoint.size && !log?.rootHolds
  if (previous !== null && contradiction !== null) {
    audit.contradicting.push(previous)
    findings.fail('history', contradiction)
    audit.evidence = await state.keepEvidence([previous, checkpoint])
  } else if (isUnread)
    findings.miss(
      'history',
      'without the leaves of its checkpoint, the log cannot be compared with your last visit',
    )
  findings.done('history')
  if (findings.state('history') === 'holds') await state.saw(checkpoint.note)
}

/**
 * Only leaves that give the checkpoint's root prove what it states about the past.
 * @param {Checkpoint} previous
 * @param {Checkpoint} checkpoint
 * @param {LogReader | null} log
 */
function contradictionOf(previous, checkpoint, log) {
  const both = `${headInWords(previous)} then, ${headInWords(checkpoint)} now, both signed`
  if (checkpoint.size < previous.size)
    return `the log has become smaller than it was: ${both}. It hides what it showed before`
  const computed = log?.rootHolds ? log.roots.get(previous.size) : undefined
  const root = checkpoint.size === previous.size ? checkpoint.root : computed
  if (root === undefined || sameHead(previous, { size: previous.size, root })) return null
  return `the log shows two histories: ${both}, and the second does not continue the first`
}

/**
 * The visitor's own policy or, without one, the firm's.
 * @param {Given} given
 * @param {Audit} audit
 */
async function readPolicy({ source, policy: own, hashes }, audit) {
  const bytes = own === null ? await source.read('policy', MOST_SMALL_BYTES) : utf8(own)
  if (bytes === null) return null
  audit.policy = own === null ? 'published' : 'given'
  const policy = parsePolicy(textOf(bytes), hashes)
  const { all, newest: key } = audit.keys
  if (policy.logs.length > 0 && !policy.logs.some(({ vkey }) => all.some(known => known.vkey === vkey)))
    throw new Invalid(`the policy does not name the key of ${key.name}`)
  return policy
}

/**
 * Asks only the visitor's own witnesses: a firm could name addresses inside the visitor's network.
 * @param {Given} given
 * @param {Audit} audit
 * @param {Policy | null} policy
 */
async function heldCheckpoints({ askWitness, hashes }, { policy: whose, keys }, policy) {
  if (askWitness === undefined || policy === null || whose !== 'given') return []
  return await heldByWitnesses(policy.witnesses.values(), askWitness, keys, hashes)
}

/**
 * @param {Given} given
 * @param {Audit} audit
 * @param {State} state
 */
async function checkHeld(given, audit, state) {
  const { checkpoint, findings, held, witnesses } = audit
  for (const one of held) {
    const compared = await compareHeld(given, audit, one)
    audit.compared.push(compared)
    const { name, state: found, problem } = compared
    if (checkpoint === null || one.checkpoint === null || found === 'same') continue
    if (found === 'other') {
      audit.contradicting.push(one.checkpoint)
      findings.fail(
        'witnesses',
        `the log shows two histories: the witness ${name} holds ${headInWords(one.checkpoint)}, published here are ${headInWords(checkpoint)}, both signed, and the longer one does not continue the other`,
      )
    } else if (!witnesses.some(signed => signed.name === name && signed.keyId === one.keyId))
      findings.miss('witnesses', `what is published here could not be compared with ${name}: ${problem}`)
  }
  if (checkpoint !== null && audit.contradicting.length > 0)
    audit.evidence = await state.keepEvidence([...audit.contradicting, checkpoint])
}

/**
 * @param {Given} given
 * @param {Audit} audit
 * @param {Policy | null} policy
 */
function checkWitnesses({ hashes, now }, audit, policy) {
  const { checkpoint, keys, findings } = audit
  if (checkpoint === null) return
  const others = checkpoint.signatures.filter(
    ({ name, keyId }) => !keys.all.some(key => name === key.name && keyId === key.keyId),
  )
  audit.unknownCosigners = others.map(({ name }) => name)
  if (policy === null) return
  const { found, absent, isQuorum } = judge(policy, checkpoint, hashes, now)
  audit.witnesses = found
  audit.absentWitnesses = absent.map(({ name }) => name)
  // Witnesses cosign a new checkpoint after it is published, so a firm's own quorum may come later.
  if (!isQuorum && audit.policy === 'given')
    findings.fail(
      'witnesses',
      `the checkpoint lacks the cosignatures that the policy asks for (quorum ${policy.quorum}); it has ${found.map(({ name }) => name).join(', ') || 'none'}`,
      'quorum',
    )
  const known = new Set([...policy.witnesses.values()].map(({ name, keyId }) => `${name} ${keyId}`))
  audit.unknownCosigners = others
    .filter(({ name, keyId }) => !known.has(`${name} ${keyId}`))
    .map(({ name }) => name)
  if (audit.policy === 'given' || found.length > 0) findings.done('witnesses')
}

/**
 * @param {Given} given
 * @param {Audit} audit
 */
async function checkSite({ site, now }, audit) {
  const { log, findings } = audit
  const last = log?.epochs.at(-1)
  if (site === null || log === null || last === undefined || !log.rootHolds) return
  const figures = log.figures()
  const statistics = await readSiteFigures(site)
  if (statistics === null) {
    findings.remarks.push('There is no site here whose figures could be compared with the log.')
    return
  }
  for (const statistic of statistics) {
    const failures = findings.count('figures')
    const state = await findings.attempt('figures', statistic.label, () =>
      compareFigure(statistic, figures, last.date, now),
    )
    const isWrong = findings.count('figures') > failures
    audit.siteFigures.push({ ...statistic, state: state ?? (isWrong ? 'wrong' : 'unknown') })
  }
  findings.remarks.push(...hiddenFigures(statistics))
  if (audit.siteFigures.some(({ state }) => state === 'equal')) findings.done('figures')
}

/**
 * A website that stops is hiding the newest days. A folder may be an old copy.
 * @param {Given} given
 * @param {Audit} audit
 */
function checkAge({ source, now }, { findings, log }) {
  const last = log?.epochs.at(-1)
  if (log === null || last === undefined) return
  const today = now.toISOString().slice(0, 10)
  const late = daysBetween(last.date, today)
  if (daysBetween(today, last.date) > 0)
    findings.fail('epochs', `epoch ${last.epoch} ends on ${last.date}, and today is ${today}`)
  else if (late >= DAYS_UNTIL_STOPPED && isWebsite(source.place))
    findings.fail(
      'epochs',
      `the firm has published nothing since ${last.date}; the missing days are ${log.missDays(last.date, today)}`,
    )
  else if (late >= DAYS_UNTIL_LATE)
    findings.remarks.push(
      `The newest epoch ended on ${last.date}. Nothing of the ${late} days since is sealed yet.`,
    )
}

/**
 * @param {Given} given
 * @param {Audit} audit
 */
async function compareVerifier({ hashes }, { findings, log }) {
  const last = log?.epochs.at(-1)
  if (last === undefined) return
  if (last.verifier !== null && last.verifier !== hex(hashes.sha256(await ownListing(hashes))))
    findings.remarks.push('This verifier is not the version that the firm sealed in its newest epoch.')
}

/**
 * What `LC_ALL=C sha256sum *.mjs` prints in this folder.
 * @param {Hashes} hashes
 */
async function ownListing(hashes) {
  const names = (await readdir(import.meta.dirname)).filter(name => name.endsWith('.mjs')).sort()
  const lines = []
  for (const name of names)
    lines.push(`${hex(hashes.sha256(await readFile(join(import.meta.dirname, name))))}  ${name}\n`)
  return utf8(lines.join(''))
}

/**
 * The key given, the key pinned or, at first sight, the key published.
 * @param {{ given: string | null, pinned: string | null, published: string | null }} keys
 * @param {Hashes} hashes
 * @throws {Unavailable} if there is none
 */
export function chooseKey({ given, pinned, published }, hashes) {
  const vkey = given ?? pinned ?? published
  if (vkey === null) throw new Unavailable('vkey is missing: give the key of the log with --vkey')
  return parseVerifierKey(vkey, hashes)
}
