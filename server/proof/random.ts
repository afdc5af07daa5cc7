import { randomFillSync } from 'node:crypto'

const WORDS = 16_384

/** Random integers from the system's generator, a block of it at a time. */
export class RandomIntegers {
  readonly #words = new Uint32Array(WORDS)
  #next = WORDS

  /** From 0 to below a limit of at most 2^53; each differs from its share by less than 2^-20 of it for limits below 2^33. */
  below(limit: number): number {
    if (this.#next === WORDS) {
      randomFillSync(this.#words)
      this.#next = 0
    }
    const high = this.#words[this.#next]! >>> 11
    const low = this.#words[this.#next + 1]!
    this.#next += 2
    return Math.floor(((high * 2 ** 32 + low) / 2 ** 53) * limit)
  }
}
