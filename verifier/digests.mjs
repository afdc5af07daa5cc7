// @ts-check
/** A set of 32-byte digests, in a fraction of the memory of a Set of texts. */

const BYTES = 32
const CHUNK_DIGESTS = 1 << 16

export class DigestSet {
  size = 0
  /** @type {Uint8Array[]} the digests in order of arrival */
  #chunks = []
  /** Open addressing: place of a digest plus one, zero is free. */
  #table = new Uint32Array(1 << 10)

  /**
   * @param {Uint8Array} digest
   * @returns {number | null} null if it is new; else which of the digests, from 0, equals it
   */
  add(digest) {
    const slot = this.#slot(digest)
    const taken = this.#table[slot] ?? 0
    if (taken !== 0) return taken - 1
    const chunk = Math.floor(this.size / CHUNK_DIGESTS)
    this.#chunks[chunk] ??= new Uint8Array(CHUNK_DIGESTS * BYTES)
    this.#chunks[chunk]?.set(digest, (this.size % CHUNK_DIGESTS) * BYTES)
    this.size += 1
    this.#table[slot] = this.size
    if (this.size * 2 > this.#table.length) this.#grow()
    return null
  }

  /**
   * @param {Uint8Array} digest
   * @returns {number | null} which of the digests, from 0, equals it
   */
  find(digest) {
    const taken = this.#table[this.#slot(digest)] ?? 0
    return taken === 0 ? null : taken - 1
  }

  /** @param {Uint8Array} digest */
  #slot(digest) {
    const mask = this.#table.length - 1
    let slot = startOf(digest) & mask
    for (;;) {
      const taken = this.#table[slot] ?? 0
      if (taken === 0 || this.#isAt(taken - 1, digest)) return slot
      slot = (slot + 1) & mask
    }
  }

  /**
   * @param {number} place
   * @param {Uint8Array} digest
   */
  #isAt(place, digest) {
    const stored = this.#digest(place)
    for (let at = 0; at < BYTES; at += 1) if (stored[at] !== digest[at]) return false
    return true
  }

  /** @param {number} place */
  #digest(place) {
    const at = (place % CHUNK_DIGESTS) * BYTES
    const chunk = this.#chunks[Math.floor(place / CHUNK_DIGESTS)] ?? new Uint8Array(0)
    return chunk.subarray(at, at + BYTES)
  }

  #grow() {
    this.#table = new Uint32Array(this.#table.length * 2)
    for (let place = 0; place < this.size; place += 1)
      this.#table[this.#slot(this.#digest(place))] = place + 1
  }
}

/** @param {Uint8Array} digest */
function startOf(digest) {
  const word = (/** @type {number} */ at) => ((digest[at] ?? 0) << 8) | (digest[at + 1] ?? 0)
  return (word(0) | (word(2) << 16)) ^ Math.imul(word(28) | (word(30) << 16), 0x9e3779b1)
}
