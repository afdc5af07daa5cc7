#!/usr/bin/env node
// @ts-check
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { auditLog, chooseKey, publishedKey } from './audit.mjs'
import { publishedLeaf } from './closed-leaf.mjs'
import { Invalid, messageOf, Unavailable } from './errors.mjs'
import { checkSavedProof, parseSavedProof } from './investor.mjs'
import { followKey, LogKeys, parseReplacements } from './log-keys.mjs'
import { nodeHashes } from './node-hashes.mjs'
import { parseCheckpoint, parseNote, parseVerifierKey } from './note.mjs'
import { erasedInWords, Opening } from './opening.mjs'
import { parseSeen, tidied } from './promises.mjs'
import { checkOwnReceipts } from './receipts.mjs'
import { exitCode, proofText, reportJson, reportText } from './report.mjs'
import { isWebsite, keptIn, openSource } from './source.mjs'
import { defaultFolder, State } from './state.mjs'
import { certificatesIn } from './time-stamp.mjs'
import { tlogProof } from './tlog-proof.mjs'
import { cosign, signerIn } from './witness-key.mjs'
import { askWitness } from './witnessed.mjs'

/** The verifier's command line: see README.md beside this file. */

const USAGE = `Checks everything that a firm publishes about its books.

  node verify.mjs https://firm.example/proof [options]         the address, or a folder with a copy of the files

An investor's saved files, also years later:
  node verify.mjs --proof-file saved-proof.json              a saved proof, offline
  node verify.mjs https://firm.example/proof --receipt receipt.txt
                                                               the signature of a receipt, beside the whole log
  node verify.mjs --proof-file saved-proof.json --receipt receipt.txt
                                                               whether a receipt was kept, offline

Is this the verifier whose hash the log seals? The first command, in this folder, and the last one print the same hash:
  LC_ALL=C sha256sum *.mjs | sha256sum
  node verify.mjs https://firm.example/proof --journal journal.txt
  grep '^; verifier:' journal.txt | tail -n 1

  --json             prints one JSON object
  --state <folder>   what it remembers of this log (~/.local/state/probity-verifier/<origin>)
  --vkey <key>       the log's key, if you have it from somewhere else than the site
  --keys <file>      the log's keys, for a proof that was saved before a key was replaced, together with --vkey
  --journal <file>   writes the journal there, for ledger, hledger and beancount
  --policy <file>    whose cosignatures you ask for (C2SP tlog-policy)
  --tsa <file>       certificates (PEM) of the authorities whose time stamps you accept
  --tlog-proofs <folder>
                     writes each leaf of --proof-file there, and a proof of it for other programs (C2SP tlog-proof)
  --receipt <file>   a receipt, as a file or an email; may be given several times
  --seen <size:root> what an email or a statement printed; may be given several times

For the firm's auditor:
  --opening <file>   recomputes every line of investors with the opening that the firm gave
  --cosign <file>    with it, if all holds: cosigns the checkpoint with the key in this file, made on the first run
  --name <name>      of a new key: an address of yours without https://
  --erased <count>   lines and parts of erased secrets, together, that you accept; they cannot be recomputed

Exit code: 0 if all holds, 1 if not, 2 if it could not be read.
`

const OPTIONS = /** @type {const} */ ({
  json: { type: 'boolean', default: false },
  state: { type: 'string' },
  vkey: { type: 'string' },
  keys: { type: 'string' },
  policy: { type: 'string' },
  tsa: { type: 'string' },
  journal: { type: 'string' },
  'proof-file': { type: 'string' },
  'tlog-proofs': { type: 'string' },
  receipt: { type: 'string', multiple: true },
  seen: { type: 'string', multiple: true },
  opening: { type: 'string' },
  cosign: { type: 'string' },
  name: { type: 'string' },
  erased: { type: 'string', default: '0' },
  help: { type: 'boolean', short: 'h', default: false },
})

/** Characters of the journal that are written at once. */
const JOURNAL_PART = 1_000_000

/** @typedef {{ json: boolean, state?: string, vkey?: string, keys?: string, policy?: string, tsa?: string, journal?: string, 'proof-file'?: string, 'tlog-proofs'?: string, receipt?: string[], seen?: string[], opening?: string, cosign?: string, name?: string, erased: string }} Options */

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
  if (pinned === null) await state.trust(key.vkey)
  const site = /^https?:.*\/proof\/*$/.test(place) ? await openSource(place.replace(/\/proof\/*$/, '')) : null
  const policy = options.policy === undefined ? null : await readText(options.policy)
  const authorities = options.tsa === undefined ? null : certificatesIn(await readText(options.tsa))
  const promises = await promisesOf(options)
  const visit = async (/** @type {import('./source.mjs').Source} */ read) => {
    const journal = new Journal(options.journal)
    const given = {
      source: read,
      site,
      hashes: nodeHashes,
      now: new Date(),
      policy,
      askWitness,
      authorities,
      ...promises,
      opening: options.opening === undefined ? null : new Opening(nodeHashes, linesOf(options.opening)),
      onProgress: progress(options),
      onLeaf: journal.add,
    }
    const found = await auditLog(given, { key, firstSeen: pinned === null, published }, state)
    journal.close()
    endProgress(options)
    return found
  }
  const audit = isWebsite(place) ? await visitWebsite(source, state, visit) : await visit(source)
  const own = await ownResult(options['proof-file'], audit.key.vkey, await state.statements())
  const code = worst(exitCode(audit), own?.code ?? 0)
  if (options.json)
    print({ ...reportJson(audit), holds: code === 0, exitCode: code, ...(own && { proof: own.json }) })
  else
    say(
      `${
        own === null
          ? ''
          : `Your saved proof
${own.text}
`
      }${reportText(audit, own !== null)}`,
    )
  if (options.cosign !== undefined) await cosignAudited(audit, options)
  return code
}

/**
 * A fault counts more than what could not be read.
 * @param {...number} codes
 */
function worst(...codes) {
  return codes.includes(1) ? 1 : Math.max(...codes)
}

/**
 * What an investor's saved proof shows beside the whole log.
 * @param {string | undefined} file
 * @param {string} vkey
 * @param {string} statements
 */
async function ownResult(file, vkey, statements) {
  if (file === undefined) return null
  const proof = await readProof(file)
  try {
    const found = proven(proof, keyOfProof(proof, vkey, statements), [])
    return { code: found.code, text: found.text, json: found.json }
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    const { message } = error
    return {
      code: 1,
      text: `NOT ALL HOLDS: ${message}.\n`,
      json: { holds: false, exitCode: 1, failures: [{ message }] },
    }
  }
}

/**
 * Resumes a run that was interrupted or could not finish. What such a run has kept accuses nobody: then all is read again.
 * @param {import('./source.mjs').Source} source
 * @param {State} state
 * @param {(source: import('./source.mjs').Source) => Promise<import('./audit.mjs').Audit>} visit
 */
async function visitWebsite(source, state, visit) {
  const kept = keptIn(source, state.downloads)
  let audit = await visit(kept)
  if (exitCode(audit) === 1 && kept.hasUsedKept()) {
    await state.forgetDownloads()
    audit = await visit(keptIn(source, state.downloads))
  }
  if (exitCode(audit) !== 2) await state.forgetDownloads()
  return audit
}

/**
 * What the firm gave to this investor alone.
 * @param {Options} options
 */
async function promisesOf({ 'proof-file': file, receipt = [], seen = [] }) {
  const proof = file === undefined ? null : await readProof(file)
  const receipts = (proof?.receipts ?? []).map((note, at) => ({ name: `receipt ${at + 1} of ${file}`, note }))
  for (const name of receipt) receipts.push({ name, note: tidied(await readText(name)) })
  const heads = seen.map(text => readable(text, () => parseSeen(text)))
  if (proof !== null) {
    const { size, root } = parseCheckpoint(parseNote(proof.checkpoint).text)
    heads.push({ name: `${file}`, size, root })
    if (proof.seen !== null) {
      const before = parseCheckpoint(parseNote(proof.seen.checkpoint).text)
      heads.push({ name: `${file}, seen before`, size: before.size, root: before.root })
    }
  }
  return { receipts, seen: heads, secret: proof?.investor.secret ?? null }
}

/**
 * @param {string} file
 * @param {Options} options
 */
async function verifyProofFile(file, options) {
  const proof = await readProof(file)
  const { name } = parseVerifierKey(proof.vkey, nodeHashes)
  const state = new State(options.state ?? defaultFolder(name))
  const known = options.vkey ?? (await state.vkey()) ?? proof.seen?.vkey ?? null
  const statements = options.keys === undefined ? await state.statements() : await readText(options.keys)
  const key = keyOfProof(proof, known ?? proof.vkey, statements)
  const notes = await Promise.all((options.receipt ?? []).map(async name => tidied(await readText(name))))
  const { code, text, json } = proven(proof, key, notes)
  if (options['tlog-proofs'] !== undefined) await writeTlogProofs(proof, options['tlog-proofs'])
  const remark = `The key is the file's own. Compare it with the one that the firm publishes: ${key.vkey}`
  if (options.json) print({ ...json, vkey: key.vkey, keyIsOwn: known === null })
  else say(`${text}${known === null ? `\n${remark}\n` : ''}`)
  return code
}

/**
 * What a saved proof shows.
 * @param {import('./investor.mjs').SavedProof} proof
 * @param {import('./note.mjs').VerifierKey} key
 * @param {string[]} notes further receipts
 * @throws {Invalid} if it does not hold
 */
function proven(proof, key, notes) {
  const outcome = checkSavedProof(proof, key, nodeHashes)
  const receipts = checkOwnReceipts([...proof.receipts, ...notes], proof, outcome.epoch, nodeHashes)
  // The proof of one epoch does not show which keys were sealed before.
  const code = receipts.earlier > 0 ? 2 : 0
  const { available, held, invested } = outcome.balances
  const amounts = { total: outcome.total, available, held, invested }
  const cents = Object.fromEntries(Object.entries(amounts).map(([of, amount]) => [of, String(amount)]))
  const { epoch, date } = outcome.epoch
  const json = { holds: code === 0, exitCode: code, epoch, date, cents, receipts }
  return { code, text: proofText(outcome, proof.transactions.length, receipts), json }
}

/**
 * A file that is no saved proof says nothing about the firm.
 * @param {string} file
 */
async function readProof(file) {
  const text = await readText(file)
  return readable(file, () => parseSavedProof(text))
}

/**
 * @template T
 * @param {string} what
 * @param {() => T} parse
 * @returns {T}
 * @throws {Unavailable} in place of Invalid, since it is the visitor's own input
 */
function readable(what, parse) {
  try {
    return parse()
  } catch (error) {
    if (error instanceof Invalid)
      throw new Unavailable(`${what} cannot be read: ${error.message}. It may be cut off`)
    throw error
  }
}

/**
 * @param {import('./investor.mjs').SavedProof} proof
 * @param {string} folder
 */
async function writeTlogProofs({ checkpoint, epoch, transactions }, folder) {
  await mkdir(folder, { recursive: true })
  for (const included of [...transactions, epoch]) {
    await writeFile(join(folder, `${included.index}.txt`), publishedLeaf(nodeHashes, included))
    await writeFile(join(folder, `${included.index}.tlog-proof`), tlogProof(included, checkpoint))
  }
}

/**
 * The key that signed a saved proof, if it is the known one, planned rotations lead there, or it is an earlier one of the
 * known one's that was not stolen.
 * @param {import('./investor.mjs').SavedProof} proof
 * @param {string} known
 * @param {string} remembered the statements that led to the known one
 */
function keyOfProof({ vkey, keys: statements }, known, remembered) {
  if (!remembered.includes(`\nfrom: ${vkey}\n`))
    return followKey({ from: known, to: vkey, statements }, nodeHashes)
  const replaced = parseReplacements(remembered, nodeHashes)
  const { all } = new LogKeys(parseVerifierKey(known, nodeHashes), replaced)
  const own = all.find(key => key.vkey === vkey)
  if (own === undefined) throw new Invalid(`no statement leads from its key ${vkey} to ${known}`)
  const stolen = replaced.find(({ from, reason }) => from.vkey === vkey && reason === 'stolen')
  if (stolen !== undefined)
    throw new Invalid(
      `its key was replaced as stolen on ${stolen.date}, so a thief may have made it. If you saved it before, check it with --vkey ${vkey}`,
    )
  return own
}

/**
 * Prints the checkpoint with the auditor's line alone, which the firm publishes with its own.
 * @param {import('./audit.mjs').Audit} audit
 * @param {Options} options
 * @throws {Invalid} if anything does not hold, so that nothing is signed
 */
async function cosignAudited(audit, { cosign: file = '', name, erased }) {
  const { checkpoint, opening } = audit
  if (exitCode(audit) !== 0 || checkpoint === null || opening === null)
    throw new Invalid('nothing is cosigned: it needs --opening, and that all holds')
  const count = String(opening.erased + opening.erasedParts)
  if (count !== erased)
    throw new Invalid(
      `nothing is cosigned: ${erasedInWords(opening)} are of erased secrets. If the erasures are in order, repeat it with --erased ${count}`,
    )
  const signer = await signerIn(file, name)
  say(`\nYour key: ${signer.vkey}\n\nYour cosignature:\n\n`)
  process.stdout.write(`${checkpoint.text}\n${cosign(signer, checkpoint.text, new Date())}\n`)
}

/**
 * The lines of a file, one after the other: it may be larger than the memory.
 * @param {string} name
 */
function linesOf(name) {
  const file = openSync(name, 'r')
  const bytes = new Uint8Array(1 << 20)
  const decoder = new TextDecoder()
  /** @type {string[]} */
  let rows = []
  let at = 0
  let rest = ''
  return () => {
    while (at >= rows.length) {
      const count = readSync(file, bytes)
      if (count === 0) return null
      rows = `${rest}${decoder.decode(bytes.subarray(0, count), { stream: true })}`.split('\n')
      rest = rows.pop() ?? ''
      at = 0
    }
    at += 1
    return rows[at - 1] ?? null
  }
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
  const isOffline = file !== undefined || values.receipt !== undefined
  const isOneQuestion = positionals.length === 1 || (positionals.length === 0 && isOffline)
  if (values.help || !isOneQuestion) {
    process.stdout.write(USAGE)
    return values.help ? 0 : 2
  }
  try {
    if (positionals[0] !== undefined) return await verifyPlace(positionals[0], values)
    if (file !== undefined) return await verifyProofFile(file, values)
    throw new Unavailable(
      "a receipt is checked against a log: add the log's address, a folder with a copy of it, or --proof-file with the saved proof of its investor",
    )
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
