import type { Pool } from 'pg'
import { append, emptyLog, HASH_BYTES, rootOf } from '#server/ledger/merkle.ts'
import { TILE_WIDTH } from './log.ts'

const LEVELS_OF_TILE = 8

/** Hashes of the published log by their tiles, each read once. */
export class LogHashes {
  readonly #pool: Pool
  readonly #size: number
  readonly #tiles = new Map<string, Promise<Buffer>>()

  /** @param size leaves of a log that will not change any more */
  constructor(pool: Pool, size: number) {
    this.#pool = pool
    this.#size = size
  }

  /** The hashes that prove that a leaf is in the log, from the leaf to the root (RFC 6962, 2.1.1). */
  async inclusion(index: number): Promise<Buffer[]> {
    const siblings: Promise<Buffer>[] = []
    let [from, to] = [0, this.#size]
    while (to - from > 1) {
      const middle = from + largestPowerBelow(to - from)
      siblings.unshift(index < middle ? this.#rootOf(middle, to) : this.#rootOf(from, middle))
      if (index < middle) to = middle
      else from = middle
    }
    return await Promise.all(siblings)
  }

  /** The hashes that prove that an earlier log is the beginning of this one (RFC 6962, 2.1.2). */
  async consistency(earlier: number): Promise<Buffer[]> {
    if (earlier === 0 || earlier === this.#size) return []
    const roots: Promise<Buffer>[] = []
    let [from, to] = [0, this.#size]
    while (to !== earlier) {
      const middle = from + largestPowerBelow(to - from)
      roots.unshift(earlier <= middle ? this.#rootOf(middle, to) : this.#rootOf(from, middle))
      if (earlier <= middle) to = middle
      else from = middle
    }
    return await Promise.all(from === 0 ? roots : [this.#rootOf(from, to), ...roots])
  }

  /** The root over some leaves, which begin at a multiple of the largest power of two among them. */
  async #rootOf(from: number, to: number): Promise<Buffer> {
    const count = to - from
    const power = count === 1 ? 1 : 2 * largestPowerBelow(count)
    if (power !== count) {
      const middle = from + power / 2
      const halves = await Promise.all([this.#rootOf(from, middle), this.#rootOf(middle, to)])
      return rootOver(Buffer.concat(halves))
    }
    const level = Math.floor(Math.log2(count) / LEVELS_OF_TILE)
    const width = count / TILE_WIDTH ** level
    const at = from / TILE_WIDTH ** level
    const tile = await this.#tile(level, Math.floor(at / TILE_WIDTH))
    const start = (at % TILE_WIDTH) * HASH_BYTES
    return rootOver(tile.subarray(start, start + width * HASH_BYTES))
  }

  #tile(level: number, index: number): Promise<Buffer> {
    const key = `${level}/${index}`
    const known = this.#tiles.get(key)
    if (known !== undefined) return known
    const read = this.#pool
      .query<{ hashes: Buffer }>('SELECT ledger.log_hashes($1, $2, $3) AS hashes', [
        level,
        index * TILE_WIDTH,
        (index + 1) * TILE_WIDTH,
      ])
      .then(({ rows }) => rows[0]!.hashes)
    this.#tiles.set(key, read)
    return read
  }
}

/** The root over hashes, one after the other, as many as a power of two. */
function rootOver(hashes: Buffer): Buffer {
  return rootOf(append(emptyLog, hashes))
}

/** @param count more than 1 */
function largestPowerBelow(count: number): number {
  let power = 1
  while (power * 2 < count) power *= 2
  return power
}
