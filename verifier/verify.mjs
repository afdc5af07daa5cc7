#!/usr/bin/env node
// @ts-check
import { closeSync, openSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { auditLog, chooseKey, publishedKey } from './audit.mjs'
import { Invalid, Unavailable } from './errors.mjs'
import { checkSavedProof, parseSavedProof } from './investor.mjs'
import { nodeHashes } from './node-hashes.mjs'
import { parseVerifierKey } from './note.mjs'
import { exitCode, proofText, reportJson, reportText } from './report.mjs'
import { messageOf, openSource } from './source.mjs'
import { defaultFolder, State } from './state.mjs'

/** The verifier's command line: see README.md beside this file. */

const USAGE = `Checks everything that a firm publishes about its books.

  node verify.mjs <https://firm.example/proof or a folder> [options]
  node verify.mjs --proof-file <file> [options]      checks one investor's saved proof, offline

  --json             prints one JSON object
  --state <folder>   what it remembers of this log (~/.local/state/probity-verifier/<origin>)
  --vkey <key>       the log's key, if you have it from somewhere else than the site
  --journal <file>   writes the journal there, for ledger, hledger and beancount
  --policy <file>    whose cosignatures you ask for (C2SP tlog-policy)

Exit code: 0 if all holds, 1 if not, 2 if it could not be read.
`

const OPTIONS = /** @type {const} */ ({
  json: { type: 'boolean', default: false },
  state: { type: 'string' },
  vkey: { type: 'string' },
  policy: { type: 'string' },
  journal: { type: 'string' },
  'proof-file': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
})

/** Characters of the journal that are written at once. */
const JOURNAL_PART = 1_000_000

/** @typedef {{ json: boolean, state?: string, vkey?: string, policy?: string, journal?: string, 'proof-file'?: string }} Options */

/**
 * @param {string} place
 * @param {Options} options
 */
async function verifyPlace(place, options) {
  const source = await openSource(place)
  const published = await publishedKey(source)
  const { name } = chooseKey({ given: options.vkey ?? null, pinned: null, published }, nodeHashes)
  const state = new State(options.state ?? defaultFolder(name))
  const pinned = await state.vkey()
  const key = chooseKey({ given: options.vkey ?? null, pinned, published }, nodeHashes)
  if (pinned === null) await state.pin(key.vkey)
  const site = /^https?:.*\/proof\/*$/.test(place) ? await openSource(place.replace(/\/proof\/*$/, '')) : null
  const policy = options.policy === undefined ? null : await readText(options.policy)
  const journal = new Journal(options.journal)
  const onLeaf = journal.add
  const given = {
    source,
    site,
    hashes: nodeHashes,
    now: new Date(),
    policy,
    onProgress: progress(options),
    onLeaf,
  }
  const audit = await auditLog(given, { key, firstSeen: pinned === null, published }, state)
  journal.close()
  endProgress(options)
  if (options.json) print(reportJson(audit))
  else say(reportText(audit))
  return exitCode(audit)
}

/**
 * @param {string} file
 * @param {Options} options
 */
async function verifyProofFile(file, options) {
  const proof = parseSavedProof(await readText(file))
  const { name } = parseVerifierKey(proof.vkey, nodeHashes)
  const known = options.vkey ?? (await new State(options.state ?? defaultFolder(name)).vkey())
  const key = parseVerifierKey(known ?? proof.vkey, nodeHashes)
  const outcome = checkSavedProof(proof, key, nodeHashes)
  const remark = `The key is the file's own. Compare it with the one that the firm publishes: ${key.vkey}`
  if (options.json) {
    const { available, held, invested } = outcome.balances
    const amounts = { total: outcome.total, available, held, invested }
    const cents = Object.fromEntries(Object.entries(amounts).map(([of, amount]) => [of, String(amount)]))
    const { epoch, date } = outcome.epoch
    print({ holds: true, exitCode: 0, vkey: key.vkey, keyIsOwn: known === null, epoch, date, cents })
  } else
    process.stdout.write(
      `${proofText(outcome, proof.transactions.length)}${known === null ? `\n${remark}\n` : ''}`,
    )
  return 0
}

/** All leaves in one file, written in large parts. */
class Journal {
  #parts = ''
  #file

  /** @param {string | undefined} file */
  constructor(file) {
    this.#file = file === undefined ? null : openSync(file, 'w')
  }

  add = (/** @type {string} */ leaf) => {
    if (this.#file === null) return
    this.#parts += leaf
    if (this.#parts.length > JOURNAL_PART) this.#write()
  }

  close() {
    if (this.#file === null) return
    this.#write()
    closeSync(this.#file)
  }

  #write() {
    if (this.#file !== null) writeSync(this.#file, this.#parts)
    this.#parts = ''
  }
}

/** @param {string} file */
async function readText(file) {
  return await readFile(file, 'utf8').catch(error => {
    throw new Unavailable(`${file} could not be read: ${messageOf(error)}`)
  })
}

/**
 * Prints without characters that could command a terminal: much of the text is the firm's.
 * @param {string} text
 */
function say(text) {
  process.stdout.write(text.replace(/[^\P{C}\n]/gu, '\ufffd'))
}

/** @param {object} value */
function print(value) {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** @param {Options} options */
function progress({ json }) {
  if (json || !process.stderr.isTTY) return undefined
  return (/** @type {number} */ leaves) =>
    process.stderr.write(`\r${leaves.toLocaleString('en-US')} leaves read`)
}

/** @param {Options} options */
function endProgress({ json }) {
  if (!json && process.stderr.isTTY) process.stderr.write('\r\x1b[K')
}

async function main() {
  let given
  try {
    given = parseArgs({ options: OPTIONS, allowPositionals: true })
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${USAGE}`)
    return 2
  }
  const { values, positionals } = given
  const file = values['proof-file']
  if (values.help || positionals.length + (file === undefined ? 0 : 1) !== 1) {
    process.stdout.write(USAGE)
    return values.help ? 0 : 2
  }
  try {
    return file === undefined
      ? await verifyPlace(positionals[0] ?? '', values)
      : await verifyProofFile(file, values)
  } catch (error) {
    // Whatever else fails, such as a full disk, says nothing about the books.
    const code = error instanceof Invalid ? 1 : 2
    const verdict = code === 1 ? 'NOT ALL HOLDS' : 'NOT VERIFIED'
    const message = messageOf(error)
    if (values.json) print({ holds: false, exitCode: code, failures: [{ message }] })
    else say(`${verdict}: ${message}.\n`)
    return code
  }
}

process.exitCode = await main()
