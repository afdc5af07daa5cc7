// @ts-check
import { HASH_BYTES, joinedRoot, perfectRoot } from './merkle.mjs'

/** Tiles of the log (C2SP tlog-tiles): their names, the tree that they are made of, and hashes read from them. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./merkle.mjs').Range} Range */
/** @typedef {{ level: number | 'entries', n: number, width: number }} Tile `width` 256 is a full tile */

export const TILE_WIDTH = 256

/** @param {Tile} tile */
export function tilePath({ level, n, width }) {
  const digits = String(n)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  const name = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')
  return `tile/${level}/${name}${width < TILE_WIDTH ? `.p/${width}` : ''}`
}

/**
 * How many hashes tile `n` of a level has in a log of this size.
 * @param {number} size
 * @param {number} level
 * @param {number} n
 */
export function tileWidth(size, level, n) {
  return Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** level) - n * TILE_WIDTH)
}

/** The tree of a log that grows leaf by leaf; it keeps only the last tile of each level. */
export class GrowingTree {
  size = 0
  #hashes
  #onTile
  /** @type {{ n: number, width: number, row: Uint8Array }[]} */
  #levels = []

  /**
   * @param {Hashes} hashes
   * @param {(level: number, n: number, row: Uint8Array) => void} onTile called for each full tile
   */
  constructor(hashes, onTile) {
    this.#hashes = hashes
    this.#onTile = onTile
  }

  /** @param {Uint8Array} hash of a leaf */
  append(hash) {
    this.size += 1
    this.#add(0, hash)
  }

  /**
   * @param {number} level
   * @param {Uint8Array} hash
   */
  #add(level, hash) {
    let tile = this.#levels[level]
    if (tile === undefined) {
      tile = { n: 0, width: 0, row: new Uint8Array(TILE_WIDTH * HASH_BYTES) }
      this.#levels[level] = tile
    }
    tile.row.set(hash, tile.width * HASH_BYTES)
    tile.width += 1
    if (tile.width < TILE_WIDTH) return
    this.#onTile(level, tile.n, tile.row)
    tile.n += 1
    tile.width = 0
    this.#add(level + 1, perfectRoot(this.#hashes, tile.row))
  }

  root() {
    const subtrees = this.#levels.toReversed().flatMap(({ width, row }) => this.#subtrees(width, row))
    return joinedRoot(this.#hashes, subtrees)
  }

  /** The last tile of each level that has one which is not full. */
  partialTiles() {
    return this.#levels.flatMap(({ n, width, row }, level) =>
      width === 0 ? [] : [{ level, n, width, row: row.slice(0, width * HASH_BYTES) }],
    )
  }

  /**
   * @param {number} width
   * @param {Uint8Array} row
   */
  #subtrees(width, row) {
    const found = []
    for (let size = TILE_WIDTH / 2, at = 0; size >= 1; size /= 2) {
      if ((width & size) === 0) continue
      found.push(perfectRoot(this.#hashes, row.subarray(at * HASH_BYTES, (at + size) * HASH_BYTES)))
      at += size
    }
    return found
  }
}

/**
 * The perfect subtrees of which a range of leaves is made, the largest first.
 * @param {Range} range as inclusionRanges and consistencyRanges return them
 * @returns {{ level: number, index: number }[]}
 */
function perfectSubtrees({ from, to }) {
  const found = []
  let at = from
  while (at < to) {
    let level = 0
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= to) level += 1
    found.push({ level, index: at / 2 ** level })
    at += 2 ** level
  }
  return found
}

/**
 * The tile that has the hashes of a subtree, and where in it they are.
 * @param {{ level: number, index: number }} subtree
 * @param {number} size of the log
 */
function placeInTile({ level, index }, size) {
  const tileLevel = Math.floor(level / 8)
  const count = 2 ** (level % 8)
  const n = Math.floor((index * count) / TILE_WIDTH)
  const tile = { level: tileLevel, n, width: tileWidth(size, tileLevel, n) }
  return { tile, at: (index * count) % TILE_WIDTH, count }
}

/**
 * The tiles that a proof needs.
 * @param {Range[]} ranges
 * @param {number} size of the log
 * @returns {Tile[]}
 */
export function tilesOf(ranges, size) {
  const tiles = ranges.flatMap(perfectSubtrees).map(subtree => placeInTile(subtree, size).tile)
  return [...new Map(tiles.map(tile => [tilePath(tile), tile])).values()]
}

/**
 * The hashes of a proof.
 * @param {Hashes} hashes
 * @param {Range[]} ranges
 * @param {number} size of the log
 * @param {(tile: Tile) => Uint8Array} read one of the tiles that `tilesOf` names; a full one may be longer
 */
export function proofFromTiles(hashes, ranges, size, read) {
  return ranges.map(range => {
    const roots = perfectSubtrees(range).map(subtree => {
      const { tile, at, count } = placeInTile(subtree, size)
      return perfectRoot(hashes, read(tile).subarray(at * HASH_BYTES, (at + count) * HASH_BYTES))
    })
    return joinedRoot(hashes, roots)
  })
}
