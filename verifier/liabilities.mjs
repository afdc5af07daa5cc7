// @ts-check
import { concat, equal, fromHex, hex, u64le, utf8 } from './bytes.mjs'
import { DigestSet } from './digests.mjs'
import { MOST_CENTS } from './epoch.mjs'
import { Invalid } from './errors.mjs'

/** The tree of liabilities (BitMEX's format): the whole of it, and the way from one leaf to its root. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./epoch.mjs').LiabilitiesLine} LiabilitiesLine */
/** @typedef {{ digest: Uint8Array, value: bigint }} TreeNode */

export const NODE_BYTES = 40
const DIGEST_BYTES = 32
/** Levels between two files of nodes. */
export const LEVELS_PER_FILE = 8

/**
 * The levels whose nodes have a file, and how many each has.
 * @param {number} leaves
 */
export function nodeFiles(leaves) {
  const files = []
  for (let file = 1; leaves / 2 ** (LEVELS_PER_FILE * file) > 1; file += 1)
    files.push({ file, nodes: leaves / 2 ** (LEVELS_PER_FILE * file) })
  return files
}

/**
 * Recomputes a whole tree from its leaves.
 * @param {Hashes} hashes
 * @param {Uint8Array} leaves the content of leaves.bin
 * @param {LiabilitiesLine} stated
 * @returns {Map<number, Uint8Array>} the content of each file of nodes
 * @throws {Invalid}
 */
export function recomputeTree(hashes, leaves, stated) {
  if (leaves.length !== stated.leaves * NODE_BYTES)
    throw new Invalid(
      `leaves.bin has ${leaves.length} bytes, ${stated.leaves} leaves have ${stated.leaves * NODE_BYTES}`,
    )
  requireLeaves(leaves, stated)
  const files = new Map()
  let row = leaves
  for (let level = 1; row.length > NODE_BYTES; level += 1) {
    row = parents(hashes, row)
    if (level % LEVELS_PER_FILE === 0 && row.length > NODE_BYTES) files.set(level / LEVELS_PER_FILE, row)
  }
  const { digest } = nodeAt(row, 0)
  if (hex(digest) !== stated.root)
    throw new Invalid(`its root is ${hex(digest)}, the epoch's end states ${stated.root}`)
  if (hex(hashes.sha256(leaves)) !== stated.sha256)
    throw new Invalid(`the SHA-256 of leaves.bin is not the one that the epoch's end states`)
  return files
}

/**
 * Where there are fewer cents than leaves, some leaves have none.
 * @param {LiabilitiesLine} stated
 */
function leastValue({ leaves, sum }) {
  return sum < BigInt(leaves) ? 0n : 1n
}

/**
 * @param {Uint8Array} leaves
 * @param {LiabilitiesLine} stated
 */
function requireLeaves(leaves, stated) {
  const { sum } = stated
  const least = leastValue(stated)
  const seen = new DigestSet()
  const view = viewOf(leaves)
  let total = 0n
  for (let at = 0; at < leaves.length; at += NODE_BYTES) {
    const value = view.getBigUint64(at + DIGEST_BYTES, true)
    if (value < least)
      throw new Invalid(`leaf ${at / NODE_BYTES} has the value 0: every value is at least 1 cent`)
    total += value
    if (total >= MOST_CENTS) throw new Invalid(`its values exceed 2^53 at leaf ${at / NODE_BYTES}`)
    const same = seen.add(leaves.subarray(at, at + DIGEST_BYTES))
    if (same !== null)
      throw new Invalid(
        `leaves ${same} and ${at / NODE_BYTES} are equal: one leaf stands for two parts of balances`,
      )
  }
  if (total !== sum) throw new Invalid(`its values add up to ${total} cents, the epoch's end states ${sum}`)
}

/**
 * @param {Hashes} hashes
 * @param {Uint8Array} row of nodes, an even number whose sums are below 2^53
 */
export function parents(hashes, row) {
  const above = new Uint8Array(row.length / 2)
  const from = viewOf(row)
  const to = viewOf(above)
  for (let at = 0; at < above.length; at += NODE_BYTES) {
    above.set(hashes.sha256(row.subarray(2 * at, 2 * at + 2 * NODE_BYTES)), at)
    const sum = valueAt(from, 2 * at) + valueAt(from, 2 * at + NODE_BYTES)
    to.setUint32(at + DIGEST_BYTES, sum % 2 ** 32, true)
    to.setUint32(at + DIGEST_BYTES + 4, Math.floor(sum / 2 ** 32), true)
  }
  return above
}

/**
 * @param {DataView} view
 * @param {number} at
 */
function valueAt(view, at) {
  return view.getUint32(at + DIGEST_BYTES, true) + view.getUint32(at + DIGEST_BYTES + 4, true) * 2 ** 32
}

/** @param {Uint8Array} bytes */
function viewOf(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * @param {Uint8Array} row
 * @param {number} index
 * @returns {TreeNode}
 */
export function nodeAt(row, index) {
  const at = index * NODE_BYTES
  return {
    digest: row.slice(at, at + DIGEST_BYTES),
    value: viewOf(row).getBigUint64(at + DIGEST_BYTES, true),
  }
}

/**
 * Binds a tree's leaves to an investor's address.
 * @param {Hashes} hashes
 * @param {Uint8Array} secret
 * @param {string} email
 */
export function accountNonce(hashes, secret, email) {
  return hashes.hmacSha256(secret, utf8(`probity-pol-id/v1\n${email}\n`))
}

/**
 * The digest that only the owner of an account can compute.
 * @param {Hashes} hashes
 * @param {{ nonce: Uint8Array, epoch: number, accountNumber: bigint, value: bigint, index: number }} leaf
 */
export function leafDigest(hashes, { nonce, epoch, accountNumber, value, index }) {
  const subNonce = hashes.sha256(concat(nonce, u64le(BigInt(epoch)), u64le(accountNumber)))
  return hashes.hmacSha256(subNonce, concat(u64le(value), u64le(BigInt(index))))
}

/**
 * Follows a leaf to the root, adding up the values on the way.
 * @param {Hashes} hashes
 * @param {{ index: number, leaf: TreeNode, path: TreeNode[] }} proof the path from the leaf's sibling upwards
 * @param {LiabilitiesLine} stated
 * @throws {Invalid}
 */
export function verifyPath(hashes, { index, leaf, path }, stated) {
  if (path.length !== Math.log2(stated.leaves))
    throw new Invalid(
      `the path of leaf ${index} has ${path.length} steps, a tree of ${stated.leaves} leaves has ${Math.log2(stated.leaves)}`,
    )
  if (!Number.isSafeInteger(index) || index < 0 || index >= stated.leaves)
    throw new Invalid(`a tree of ${stated.leaves} leaves has no leaf ${index}`)
  const least = leastValue(stated)
  let node = leaf
  let place = index
  for (const sibling of path) {
    if (node.value < least || sibling.value < least || node.value + sibling.value >= MOST_CENTS)
      throw new Invalid(`a value on the path of leaf ${index} is below 1 cent or above the sum`)
    const [left, right] = place % 2 === 0 ? [node, sibling] : [sibling, node]
    const bytes = concat(left.digest, u64le(left.value), right.digest, u64le(right.value))
    node = { digest: hashes.sha256(bytes), value: left.value + right.value }
    place = Math.floor(place / 2)
  }
  if (node.value !== stated.sum)
    throw new Invalid(
      `the path of leaf ${index} adds up to ${node.value} cents, the tree states ${stated.sum}`,
    )
  if (!equal(node.digest, fromHex(stated.root)))
    throw new Invalid(`leaf ${index} is not in the tree of liabilities`)
}
