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
  const stack = [...subtrees]
  let count = size
  for (let at = 0; at < leaves.length; at += HASH_BYTES) {
    let root = leaves.subarray(at, at + HASH_BYTES)
    // Two subtrees of equal size become one, as a carry does.
    for (let rest = count; rest % 2 === 1; rest = Math.floor(rest / 2)) root = nodeHash(stack.pop()!, root)
    stack.push(root)
    count++
  }
  return { size: count, subtrees: stack }
}

/** The root over all leaves. */
export function rootOf({ subtrees }: Log): Buffer {
  const last = subtrees.at(-1)
  if (last === undefined) return sha256(Buffer.alloc(0))
  return subtrees.slice(0, -1).reduceRight<Buffer>((right, left) => nodeHash(left, right), last)
}

/** True if these subtrees can be those of a log of this size. */
export function isLog({ size, subtrees }: Log): boolean {
  const ones = size.toString(2).replaceAll('0', '').length
  return subtrees.length === (size === 0 ? 0 : ones)
}

function nodeHash(left: Buffer, right: Buffer): Buffer {
  return sha256(Buffer.concat([NODE, left, right], 1 + 2 * HASH_BYTES))
}
/** RFC 6962 prefixes nodes with 1, and leaves with 0, so that neither passes for the other. */
const NODE = Buffer.from([1])

export function sha256(content: Buffer): Buffer {
  return hash('sha256', content, 'buffer')
}
