// @ts-check
import { randomUUID } from 'node:crypto'
import { link, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fromBase64, fromDecimal, textOf } from './bytes.mjs'
import { Invalid } from './errors.mjs'
import { verifyConsistency } from './merkle.mjs'
import { nodeHashes } from './node-hashes.mjs'
import { openCheckpoint, parseCheckpoint, parseNote, sameHead } from './note.mjs'
import { cosign } from './witness-key.mjs'

/** What a witness does with a checkpoint that it is asked to cosign (C2SP tlog-witness, add-checkpoint). */

/** @typedef {import('./note.mjs').VerifierKey} VerifierKey */
/** @typedef {import('./note.mjs').Checkpoint} Checkpoint */
/** @typedef {{ status: number, body: string, type?: string }} Answer */

const MOST_PROOF_LINES = 63

/** The checkpoints that a witness has cosigned, the newest of each log, in a folder. */
export class WitnessedLogs {
  #folder
  #signer
  /** @type {Map<string, VerifierKey[]>} */
  #keys = new Map()
  /** @type {Map<string, Promise<unknown>>} the last request of each log */
  #turns = new Map()

  /**
   * @param {{ folder: string, logs: VerifierKey[], signer: import('./witness-key.mjs').Signer }} given
   */
  constructor({ folder, logs, signer }) {
    this.#folder = folder
    this.#signer = signer
    for (const key of logs) this.#keys.set(key.name, [...(this.#keys.get(key.name) ?? []), key])
  }

  get origins() {
    return [...this.#keys.keys()]
  }

  /**
   * @param {Uint8Array} body of the request
   * @param {Date} now
   * @returns {Promise<Answer>}
   */
  async add(body, now) {
    let request
    try {
      request = parseRequest(textOf(body))
    } catch (error) {
      if (error instanceof Invalid) return { status: 400, body: `${error.message}\n` }
      throw error
    }
    const { origin } = request
    const keys = this.#keys.get(origin)
    if (keys === undefined) return { status: 404, body: 'this log is not known here\n' }
    const checkpoint = openedBy(request.note, keys)
    if (checkpoint === null) return { status: 403, body: 'no key of this log has signed the checkpoint\n' }
    // One after the other, so that no answer rests on a state that another one replaces.
    const turn = (this.#turns.get(origin) ?? Promise.resolve()).then(() =>
      this.#addInTurn(checkpoint, request, now),
    )
    this.#turns.set(
      origin,
      turn.catch(() => {}),
    )
    return await turn
  }

  /**
   * @param {Checkpoint} checkpoint
   * @param {{ old: number, proof: Uint8Array[] }} request
   * @param {Date} now
   * @returns {Promise<Answer>}
   */
  async #addInTurn(checkpoint, request, now) {
    const { old, proof } = request
    if (old > checkpoint.size) return { status: 400, body: 'the old size is larger than the checkpoint\n' }
    const { number, checkpoint: last } = await this.#numbered(checkpoint.origin)
    const size = last?.size ?? 0
    if (old !== size) return { status: 409, body: `${size}\n`, type: 'text/x.tlog.size' }
    if (last !== null && old === checkpoint.size && !sameHead(last, checkpoint))
      return { status: 409, body: 'another checkpoint of this size was cosigned\n' }
    try {
      verifyConsistency(nodeHashes, last ?? { size: 0, root: new Uint8Array() }, checkpoint, proof)
    } catch (error) {
      if (error instanceof Invalid) return { status: 422, body: `${error.message}\n` }
      throw error
    }
    // Another process was first: what it has stored counts.
    if (!(await this.#keep(checkpoint, number + 1))) return await this.#addInTurn(checkpoint, request, now)
    return { status: 200, body: `${cosign(this.#signer, checkpoint.text, now)}\n` }
  }

  /**
   * The newest checkpoint of a log that was cosigned.
   * @param {string} origin
   * @returns {Promise<Checkpoint | null>}
   * @throws {Error} if it cannot be read: a witness that has forgotten must not cosign
   */
  async newest(origin) {
    return (await this.#numbered(origin)).checkpoint
  }

  /**
   * @param {string} origin
   * @returns {Promise<{ number: number, checkpoint: Checkpoint | null }>} and how many were kept before and with it
   */
  async #numbered(origin) {
    const number = Math.max(0, ...(await this.#numbers(origin)))
    if (number === 0) return { number, checkpoint: null }
    const file = this.#fileOf(origin, number)
    const note = await readFile(file, 'utf8').catch(error => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    // Replaced by a newer one meanwhile.
    if (note === null) return await this.#numbered(origin)
    const checkpoint = openedBy(note, this.#keys.get(origin) ?? [])
    if (checkpoint === null) throw new Error(`${file} is damaged, or signed by no key of ${origin}`)
    return { number, checkpoint }
  }

  /**
   * On the disk before anybody gets the cosignature. A link is made once: two processes cannot both keep a successor.
   * @param {Checkpoint} checkpoint
   * @param {number} number
   * @returns {Promise<boolean>} false if another process has kept this number
   */
  async #keep({ origin, note }, number) {
    const unfinished = join(this.#folder, `${randomUUID()}.unfinished`)
    const file = this.#fileOf(origin, number)
    try {
      await writeDurably(unfinished, note)
      await link(unfinished, file)
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'EEXIST') return false
      throw error
    } finally {
      await rm(unfinished, { force: true })
    }
    const numbers = await this.#numbers(origin)
    // The number was free only because a newer one had replaced it.
    if (numbers.some(other => other > number)) {
      await rm(file, { force: true })
      return false
    }
    const folder = await open(this.#folder, 'r')
    await folder.sync().finally(() => folder.close())
    const older = numbers.filter(other => other < number)
    await Promise.all(older.map(other => rm(this.#fileOf(origin, other), { force: true })))
    return true
  }

  /** @param {string} origin */
  async #numbers(origin) {
    const names = await readdir(this.#folder)
    return names.flatMap(name => {
      const number = Number(/\.([1-9]\d*)\.checkpoint$/.exec(name)?.[1])
      return name === nameOf(origin, number) ? [number] : []
    })
  }

  /**
   * @param {string} origin
   * @param {number} number
   */
  #fileOf(origin, number) {
    return join(this.#folder, nameOf(origin, number))
  }
}

/**
 * @param {string} file
 * @param {string} text
 */
async function writeDurably(file, text) {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * @param {string} origin
 * @param {number} number
 */
function nameOf(origin, number) {
  return `${encodeURIComponent(origin)}.${number}.checkpoint`
}

/**
 * @param {string} text
 * @returns {{ old: number, proof: Uint8Array[], note: string, origin: string }}
 * @throws {Invalid}
 */
function parseRequest(text) {
  const end = text.indexOf('\n\n')
  if (end < 0) throw new Invalid('the request has no empty line')
  const [first = '', ...proof] = text.slice(0, end).split('\n')
  if (!first.startsWith('old ')) throw new Invalid('the request does not begin with the old size')
  if (proof.length > MOST_PROOF_LINES) throw new Invalid(`the proof has more than ${MOST_PROOF_LINES} lines`)
  const hashes = proof.map(fromBase64)
  if (hashes.some(({ length }) => length !== 32)) throw new Invalid('a hash of the proof has not 32 bytes')
  const note = text.slice(end + 2)
  const { origin } = parseCheckpoint(parseNote(note).text)
  return { old: fromDecimal(first.slice(4)), proof: hashes, note, origin }
}

/**
 * @param {string} note
 * @param {VerifierKey[]} keys
 */
function openedBy(note, keys) {
  for (const key of keys) {
    try {
      return openCheckpoint(note, key, nodeHashes)
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
    }
  }
  return null
}
