// @ts-check
import { readFile, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { hex } from './bytes.mjs'
import { messageOf, Unavailable } from './errors.mjs'
import { writeWhole } from './source.mjs'

/** What the verifier remembers of a log between two runs: its key, the checkpoint it saw last, files, evidence. */

/** @typedef {import('./note.mjs').Checkpoint} Checkpoint */

export class State {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder
  }

  /** Published files that never change, of a run that has not come to a verdict. */
  get downloads() {
    return join(this.folder, 'downloads')
  }

  async vkey() {
    return (await this.#read('vkey'))?.trim() ?? null
  }

  /** The statements that led to it, by which proofs that were saved before are still known. */
  async statements() {
    return (await this.#read('keys')) ?? ''
  }

  /**
   * @param {string} vkey from now on the log's: planned rotations lead to it, or the user has given it
   * @param {string} [statements]
   */
  async trust(vkey, statements = '') {
    if (statements !== '') await this.#write('keys', statements)
    if (vkey !== (await this.vkey())) await this.#write('vkey', `${vkey}\n`)
  }

  /** The newest checkpoint seen, a signed note. */
  async checkpoint() {
    return await this.#read('checkpoint')
  }

  /** @param {string} note */
  async saw(note) {
    await this.#write('checkpoint', note)
  }

  /**
   * Keeps checkpoints that contradict each other.
   * @param {Checkpoint[]} checkpoints
   * @returns {Promise<string[]>} their files
   */
  async keepEvidence(checkpoints) {
    const files = []
    for (const { size, root, note } of checkpoints) {
      const name = join('evidence', `${size}-${hex(root).slice(0, 16)}.checkpoint`)
      await this.#write(name, note)
      files.push(join(this.folder, name))
    }
    return files
  }

  async forgetDownloads() {
    await rm(this.downloads, { recursive: true, force: true })
  }

  /** @param {string} name */
  async #read(name) {
    return await readFile(join(this.folder, name), 'utf8').catch(error => {
      if (error.code === 'ENOENT') return null
      throw new Unavailable(`${join(this.folder, name)} could not be read: ${messageOf(error)}`)
    })
  }

  /**
   * @param {string} name
   * @param {string} content
   */
  async #write(name, content) {
    await writeWhole(join(this.folder, name), content)
  }
}

/** @param {string} origin */
export function defaultFolder(origin) {
  const name = encodeURIComponent(origin).replace(/^\./, '%2E')
  return join(homedir(), '.local/state/probity-verifier', name)
}
