import type { Pool } from 'pg'
import { HASH_BYTES, sha256 } from '#server/ledger/merkle.ts'
import { TILE_WIDTH } from './log.ts'

const LEVELS_OF_TILE = 8
/** Tiles that one statement reads: 8 KB each. */
const TILES_AT_ONCE = 256

/** Some leaves, from one index to before another. */
type Range = readonly [from: number, to: number]
/** A full subtree: `width` hashes of a tile, from `start` on. */
type Piece = { level: number; tile: number; start: number; width: number }

/** Hashes of the published log by their tiles, read together and each once. */
export class LogHashes {
  readonly #pool: Pool
  readonly #size: number
  readonly #tiles = new Map<string, Buffer>()
  readonly #roots = new Map<string, Buffer>()

  /** @param size leaves of a log that will not change any more */
  constructor(pool: Pool, size: number) {
    this.#pool = pool
    this.#size = size
  }

  /** The hashes that prove that each of these leaves is in the log, from the leaf to the root (RFC 6962, 2.1.1). */
  async inclusions(indices: readonly number[]): Promise<Buffer[][]> {
    const paths = indices.map(index => siblingsOf(index, this.#size))
    await this.#load(paths.flat())
    return paths.map(path => path.map(range => this.#rootOf(range)))
  }

  /** The hashes that prove that an earlier log is the beginning of this one (RFC 6962, 2.1.2). */
  async consistency(earlier: number): Promise<Buffer[]> {
    if (earlier === 0 || earlier === this.#size) return []
    const ranges: Range[] = []
    let [from, to] = [0, this.#size]
    while (to !== earlier) {
      const middle = from + largestPowerBelow(to - from)
      ranges.unshift(earlier <= middle ? [middle, to] : [from, middle])
      if (earlier <= middle) to = middle
      else from = middle
    }
    if (from > 0) ranges.unshift([from, to])
    await this.#load(ranges)
    return ranges.map(range => this.#rootOf(range))
  }

  /** Reads all tiles that the roots over these ranges need. */
  async #load(ranges: readonly Range[]): Promise<void> {
    const wanted = new Map<number, Set<number>>()
    for (const { level, tile } of ranges.flatMap(piecesOf)) {
      if (this.#tiles.has(`${level}/${tile}`)) continue
      wanted.set(level, (wanted.get(level) ?? new Set()).add(tile))
    }
    for (const [level, tiles] of wanted) {
      const list = [...tiles]
      for (let at = 0; at < list.length; at += TILES_AT_ONCE) {
        await this.#read(level, list.slice(at, at + TILES_AT_ONCE))
      }
    }
  }

  async #read(level: number, tiles: readonly number[]): Promise<void> {
    const { rows } = await this.#pool.query<{ tile: bigint; hashes: Buffer }>(
      `SELECT tile, ledger.log_hashes($1, tile * ${TILE_WIDTH}, (tile + 1) * ${TILE_WIDTH}) AS hashes
         FROM unnest($2::bigint[]) AS tile`,
      [level, tiles],
    )
    for (const { tile, hashes } of rows) this.#tiles.set(`${level}/${tile}`, hashes)
  }

  /** The root over some leaves, whose tiles have been read. */
  #rootOf(range: Range): Buffer {
    const roots = piecesOf(range).map(piece => this.#rootOfPiece(piece))
    return roots.reduceRight((right, left) => nodeHash(left, right))
  }

  /** Each computed once: the paths of many leaves share most of their hashes. */
  #rootOfPiece({ level, tile, start, width }: Piece): Buffer {
    if (width === 1) {
      return this.#tiles.get(`${level}/${tile}`)!.subarray(start * HASH_BYTES, (start + 1) * HASH_BYTES)
    }
    const key = `${level}/${tile}/${start}/${width}`
    const known = this.#roots.get(key)
    if (known !== undefined) return known
    const half = width / 2
    const left = this.#rootOfPiece({ level, tile, start, width: half })
    const root = nodeHash(left, this.#rootOfPiece({ level, tile, start: start + half, width: half }))
    this.#roots.set(key, root)
    return root
  }
}

/** The subtrees beside the way from a leaf to the root. */
function siblingsOf(index: number, size: number): Range[] {
  const siblings: Range[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const middle = from + largestPowerBelow(to - from)
    siblings.unshift(index < middle ? [middle, to] : [from, middle])
    if (index < middle) to = middle
    else from = middle
  }
  return siblings
}

/** The full subtrees, the largest first, of a range that begins at a multiple of the largest. */
function piecesOf([from, to]: Range): Piece[] {
  const pieces: Piece[] = []
  for (let at = from; at < to; ) {
    const count = 2 ** Math.floor(Math.log2(to - at))
    const level = Math.floor(Math.log2(count) / LEVELS_OF_TILE)
    const first = at / TILE_WIDTH ** level
    const tile = Math.floor(first / TILE_WIDTH)
    pieces.push({ level, tile, start: first % TILE_WIDTH, width: count / TILE_WIDTH ** level })
    at += count
  }
  return pieces
}

const NODE = Buffer.of(1)

/** RFC 6962, 2.1. */
function nodeHash(left: Buffer, right: Buffer): Buffer {
  return sha256(Buffer.concat([NODE, left, right]))
}

/** @param count more than 1 */
function largestPowerBelow(count: number): number {
  let power = 1
  while (power * 2 < count) power *= 2
  return power
}
