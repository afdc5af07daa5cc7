import { hash } from 'node:crypto'

/** Bytes of a SHA-256. */
export const HASH_BYTES = 32

/**
 * A Merkle tree as far as appending needs it (RFC 6962, section 2.1): how many leaves it has, and the roots of its
 * complete subtrees, one for each binary one in that number, the largest first.
 */
export type Log = { readonly size: number; readonly subtrees: readonly Buffer[] }

export const emptyLog: Log = { size: 0, subtrees: [] }

/** @param leaves leaf hashes, one after the other */
export function append({ size, subtrees }: Log, leaves: Buffer): Log {
  const stack = subtrees.map(root => root.toString('latin1'))
  let count = size
  for (let at = 0; at < leaves.length; at += HASH_BYTES) {
    let root = leaves.toString('latin1', at, at + HASH_BYTES)
    // Two subtrees of equal size become one, as a carry does.
    for (let rest = count; rest % 2 === 1; rest = Math.floor(rest / 2)) root = nodeHash(stack.pop()!, root)
    stack.push(root)
    count++
  }
  return { size: count, subtrees: stack.map(root => Buffer.from(root, 'latin1')) }
}

/** The root over all leaves. */
export function rootOf({ subtrees }: Log): Buffer {
  const [last, ...larger] = subtrees.map(root => root.toString('latin1')).reverse()
  if (last === undefined) return sha256(Buffer.alloc(0))
  return Buffer.from(
    larger.reduce((right, left) => nodeHash(left, right), last),
    'latin1',
  )
}

/** True if these subtrees can be those of a log of this size. */
export function isLog({ size, subtrees }: Log): boolean {
  const ones = size.toString(2).replaceAll('0', '').length
  return subtrees.length === (size === 0 ? 0 : ones) && subtrees.every(root => root.length === HASH_BYTES)
}

/** On strings of a character a byte: making buffers takes longer than hashing. */
function nodeHash(left: string, right: string): string {
  node.write(left, 1, 'latin1')
  node.write(right, 1 + HASH_BYTES, 'latin1')
  return hash('sha256', node, 'binary')
}
/** RFC 6962 prefixes nodes with 1, and leaves with 0, so that neither passes for the other. */
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1)

export function sha256(content: Uint8Array): Buffer {
  return hash('sha256', content, 'buffer')
}
