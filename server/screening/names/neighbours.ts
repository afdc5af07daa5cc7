/** Numbers of words that fit beside a hash of 32 bits in a double. */
const MOST_WORDS = 2 ** 21

/**
 * Words to find those that differ from another by one letter: two words share what is left without one of their letters if a letter was
 * added, lost or changed. Kept as sorted numbers, a hash and a word each: some megabytes for 100,000 words.
 */
export class Neighbours {
  readonly #keys: Float64Array

  /** @throws RangeError for more than two million words */
  constructor(words: readonly string[]) {
    if (words.length > MOST_WORDS) throw new RangeError(`more than ${MOST_WORDS} words`)
    const keys: number[] = []
    for (const [id, word] of words.entries()) for (const key of keysOf(word)) keys.push(key * MOST_WORDS + id)
    this.#keys = Float64Array.from(keys).sort()
  }

  /** Calls `each` with the numbers of the words that may differ by one letter; some do not, and some come twice. */
  of(word: string, each: (id: number) => void): void {
    for (const key of keysOf(word)) {
      const end = (key + 1) * MOST_WORDS
      for (let at = this.#from(key * MOST_WORDS); at < this.#keys.length && this.#keys[at]! < end; at += 1) {
        each(this.#keys[at]! - key * MOST_WORDS)
      }
    }
  }

  /** Where the first key is that is not less. */
  #from(least: number): number {
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#keys[middle]! < least) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Hashes of a word and of what is left without each of its letters; none of a word too short to be mistyped. */
function keysOf(word: string): number[] {
  if (word.length < 4) return []
  return [hash(word, -1), ...Array.from(word, (_, at) => hash(word, at))]
}

/** FNV-1a of a word without the letter at this place. */
function hash(word: string, without: number): number {
  let value = 0x811c9dc5
  for (let at = 0; at < word.length; at += 1) {
    if (at !== without) value = Math.imul(value ^ word.charCodeAt(at), 0x01000193)
  }
  return value >>> 0
}
