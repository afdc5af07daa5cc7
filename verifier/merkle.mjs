// @ts-check
import { concat, equal } from './bytes.mjs'
import { Invalid } from './errors.mjs'

/** Hashes and proofs of the log's tree (RFC 6962, 2.1; verification as in RFC 9162, 2.1.3.2 and 2.1.4.2). */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {{ from: number, to: number }} Range leaves from `from` up to but not including `to` */

export const HASH_BYTES = 32
const LEAF = new Uint8Array([0])

/**
 * @param {Hashes} hashes
 * @param {Uint8Array} leaf
 */
export function leafHash(hashes, leaf) {
  return hashes.sha256(concat(LEAF, leaf))
}

/**
 * @param {Hashes} hashes
 * @param {Uint8Array} left
 * @param {Uint8Array} right
 */
export function nodeHash(hashes, left, right) {
  const node = new Uint8Array(65)
  node[0] = 1
  node.set(left, 1)
  node.set(right, 33)
  return hashes.sha256(node)
}

/**
 * The root of a perfect subtree from its hashes, one after the other: 1, 2, 4 … of them.
 * @param {Hashes} hashes
 * @param {Uint8Array} row
 */
export function perfectRoot(hashes, row) {
  const node = new Uint8Array(65)
  node[0] = 1
  // A copy: slice() of a Buffer of Node would not be one.
  let nodes = new Uint8Array(row)
  for (let count = row.length / HASH_BYTES; count > 1; count /= 2) {
    for (let at = 0; at < count / 2; at += 1) {
      node.set(nodes.subarray(64 * at, 64 * at + 64), 1)
      nodes.set(hashes.sha256(node), HASH_BYTES * at)
    }
    nodes = nodes.subarray(0, (count / 2) * HASH_BYTES)
  }
  return nodes.slice(0, HASH_BYTES)
}

/**
 * The root over perfect subtrees, the largest first.
 * @param {Hashes} hashes
 * @param {Uint8Array[]} subtrees
 */
export function joinedRoot(hashes, subtrees) {
  if (subtrees.length === 0) return hashes.sha256(new Uint8Array(0))
  return subtrees.reduceRight((right, left) => nodeHash(hashes, left, right))
}

/**
 * @param {Hashes} hashes
 * @param {{ index: number, size: number, leaf: Uint8Array, path: Uint8Array[], root: Uint8Array }} proof `leaf` is its hash
 * @throws {Invalid}
 */
export function verifyInclusion(hashes, { index, size, leaf, path, root }) {
  const wrong = new Invalid(`leaf ${index} is not in the log of ${size} leaves`)
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) throw wrong
  let place = index
  let last = size - 1
  let hash = leaf
  for (const sibling of path) {
    if (last === 0) throw wrong
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(hashes, sibling, hash)
      while (place % 2 === 0 && place !== 0) {
        place /= 2
        last = Math.floor(last / 2)
      }
    } else hash = nodeHash(hashes, hash, sibling)
    place = Math.floor(place / 2)
    last = Math.floor(last / 2)
  }
  if (last !== 0 || !equal(hash, root)) throw wrong
}

/**
 * @param {Hashes} hashes
 * @param {{ size: number, root: Uint8Array }} old
 * @param {{ size: number, root: Uint8Array }} now
 * @param {Uint8Array[]} path
 * @throws {Invalid}
 */
export function verifyConsistency(hashes, old, now, path) {
  const wrong = new Invalid(`the log of ${now.size} leaves does not continue that of ${old.size} leaves`)
  if (old.size > now.size) throw wrong
  if (old.size === now.size) {
    if (path.length > 0 || !equal(old.root, now.root)) throw wrong
    return
  }
  if (old.size === 0) {
    if (path.length > 0) throw wrong
    return
  }
  const hashesLeft = [...path]
  if (Number.isInteger(Math.log2(old.size))) hashesLeft.unshift(old.root)
  let place = old.size - 1
  let last = now.size - 1
  while (place % 2 === 1) {
    place = Math.floor(place / 2)
    last = Math.floor(last / 2)
  }
  const first = hashesLeft.shift()
  if (first === undefined) throw wrong
  let oldRoot = first
  let newRoot = first
  for (const sibling of hashesLeft) {
    if (last === 0) throw wrong
    if (place % 2 === 1 || place === last) {
      oldRoot = nodeHash(hashes, sibling, oldRoot)
      newRoot = nodeHash(hashes, sibling, newRoot)
      while (place % 2 === 0 && place !== 0) {
        place /= 2
        last = Math.floor(last / 2)
      }
    } else newRoot = nodeHash(hashes, newRoot, sibling)
    place = Math.floor(place / 2)
    last = Math.floor(last / 2)
  }
  if (last !== 0 || !equal(oldRoot, old.root) || !equal(newRoot, now.root)) throw wrong
}

/**
 * The subtrees whose roots prove that a leaf is in the log, from the leaf to the root.
 * @param {number} index
 * @param {number} size
 * @returns {Range[]}
 */
export function inclusionRanges(index, size) {
  /** @type {Range[]} */
  const ranges = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const middle = from + largestPowerBelow(to - from)
    ranges.unshift(index < middle ? { from: middle, to } : { from, to: middle })
    if (index < middle) to = middle
    else from = middle
  }
  return ranges
}

/**
 * The subtrees whose roots prove that the log of `old` leaves is the beginning of the one of `size`.
 * @param {number} old
 * @param {number} size
 * @returns {Range[]}
 */
export function consistencyRanges(old, size) {
  /** @type {Range[]} */
  const ranges = []
  let [from, to] = [0, size]
  if (old === 0 || old === size) return ranges
  while (to !== old) {
    const middle = from + largestPowerBelow(to - from)
    ranges.unshift(old <= middle ? { from: middle, to } : { from, to: middle })
    if (old <= middle) to = middle
    else from = middle
  }
  return from === 0 ? ranges : [{ from, to }, ...ranges]
}

/** @param {number} count more than 1 */
function largestPowerBelow(count) {
  let power = 1
  while (power * 2 < count) power *= 2
  return power
}
