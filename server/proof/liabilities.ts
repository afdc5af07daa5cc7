import { hash } from 'node:crypto'
import { RandomIntegers } from './random.ts'

/** Of each investor, by the same index: what they have in all accounts, in cents (at least 1), and their nonce of 32 bytes. */
export type Liabilities = { cents: Float64Array; nonces: Buffer }

/** A tree of liabilities and its files (docs/proof-format.md): BitMEX's format. */
export type LiabilityTree = {
  /** 40 bytes a leaf: digest, u64le(value). */
  leaves: Buffer
  /** The nodes 8, 16, … levels above the leaves, as far as there are several. */
  nodes: Buffer[]
  root: Buffer
  sum: bigint
  /** Of each leaf: whose it is, by the index of the investor, and its value. */
  parts: Parts
}

const DIGEST_BYTES = 32
const NODE_BYTES = 40
const LEVELS_OF_FILE = 8
/** Cuts a great balance so small that the largest leaf does not tell it. */
const MOST_MEANS = 16
const MOST_CUTS = 256

/**
 * Cuts balances into random parts, shuffles them, and hashes them into a tree that sums up.
 * Where there are fewer cents than leaves, some parts are of nothing.
 * @returns undefined if nobody has anything
 */
export function liabilityTree({ cents, nonces }: Liabilities): LiabilityTree | undefined {
  const total = cents.reduce((sum, balance) => sum + balance, 0)
  if (cents.length === 0) return undefined
  const count = leafCount(cents.length, total)
  const random = new RandomIntegers()
  const parts = shuffled(cut(cents, count, total, random), random)
  const leaves = leavesOf(parts, nonces)
  const { nodes, top } = hashUp(leaves)
  return { leaves, nodes, root: top.subarray(0, DIGEST_BYTES), sum: top.readBigUInt64LE(DIGEST_BYTES), parts }
}

/** The power of two at or above twice the investors, or what the cents allow; never fewer than the investors. */
function leafCount(investors: number, cents: number): number {
  const needed = 2 ** Math.ceil(Math.log2(investors))
  return Math.max(needed, Math.min(2 * needed, 2 ** Math.floor(Math.log2(cents))))
}

export type Parts = { owners: Uint32Array; values: Float64Array }

/** Always cuts the largest part, at a random cent, until there are enough. */
function cut(balances: Float64Array, count: number, total: number, random: RandomIntegers): Parts {
  const heap = new LargestFirst(count)
  let extra = count - balances.length
  for (const [owner, balance] of balances.entries()) {
    const most = Math.max((MOST_MEANS * total) / count, balance / MOST_CUTS)
    let rest = balance
    for (; rest > most && extra > 0 && rest > 1; extra--) {
      const part = 1 + random.below(Math.min(Math.ceil(most), rest - 1))
      heap.push(owner, part)
      rest -= part
    }
    heap.push(owner, rest)
  }
  for (; extra > 0; extra--) {
    const { owner, value } = heap.pop()
    const part = value > 1 ? 1 + random.below(value - 1) : 0
    heap.push(owner, part)
    heap.push(owner, value - part)
  }
  return heap.parts
}

/** A binary heap in two arrays of fixed size: a million investors have two million parts. */
class LargestFirst {
  readonly #owners: Uint32Array
  readonly #values: Float64Array
  #size = 0

  constructor(most: number) {
    this.#owners = new Uint32Array(most)
    this.#values = new Float64Array(most)
  }

  get parts(): Parts {
    return { owners: this.#owners, values: this.#values }
  }

  push(owner: number, value: number): void {
    let at = this.#size++
    for (; at > 0; at = (at - 1) >> 1) {
      const parent = (at - 1) >> 1
      if (this.#values[parent]! >= value) break
      this.#move(parent, at)
    }
    this.#set(at, owner, value)
  }

  pop(): { owner: number; value: number } {
    const top = { owner: this.#owners[0]!, value: this.#values[0]! }
    const last = --this.#size
    const owner = this.#owners[last]!
    const value = this.#values[last]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= last) break
      if (child + 1 < last && this.#values[child + 1]! > this.#values[child]!) child++
      if (this.#values[child]! <= value) break
      this.#move(child, at)
      at = child
    }
    this.#set(at, owner, value)
    return top
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#owners[from]!, this.#values[from]!)
  }

  #set(at: number, owner: number, value: number): void {
    this.#owners[at] = owner
    this.#values[at] = value
  }
}

/** Fisher and Yates. */
function shuffled({ owners, values }: Parts, random: RandomIntegers): Parts {
  for (let last = owners.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    const owner = owners[last]!
    const value = values[last]!
    owners[last] = owners[other]!
    values[last] = values[other]!
    owners[other] = owner
    values[other] = value
  }
  return { owners, values }
}

const BLOCK_BYTES = 64

/** Digest: HMAC-SHA256(nonce, u64le(value), u64le(index)); spelled out, which takes a third of createHmac's time. */
function leavesOf({ owners, values }: Parts, nonces: Buffer): Buffer {
  const leaves = Buffer.allocUnsafe(values.length * NODE_BYTES)
  const inner = Buffer.allocUnsafe(BLOCK_BYTES + 16)
  const outer = Buffer.allocUnsafe(BLOCK_BYTES + DIGEST_BYTES)
  for (let place = 0; place < values.length; place++) {
    inner.fill(0x36, 0, BLOCK_BYTES)
    outer.fill(0x5c, 0, BLOCK_BYTES)
    const nonce = owners[place]! * DIGEST_BYTES
    for (let byte = 0; byte < DIGEST_BYTES; byte++) {
      inner[byte]! ^= nonces[nonce + byte]!
      outer[byte]! ^= nonces[nonce + byte]!
    }
    writeInteger(inner, BLOCK_BYTES, values[place]!)
    writeInteger(inner, BLOCK_BYTES + 8, place)
    outer.write(hash('sha256', inner, 'binary'), BLOCK_BYTES, 'latin1')
    const at = place * NODE_BYTES
    leaves.write(hash('sha256', outer, 'binary'), at, 'latin1')
    inner.copy(leaves, at + DIGEST_BYTES, BLOCK_BYTES, BLOCK_BYTES + 8)
  }
  return leaves
}

const WORD = 2 ** 32

/** u64le of an integer below 2^53. */
function writeInteger(into: Buffer, at: number, value: number): void {
  into.writeUInt32LE(value % WORD, at)
  into.writeUInt32LE(Math.floor(value / WORD), at + 4)
}

function readInteger(from: Buffer, at: number): number {
  return from.readUInt32LE(at) + WORD * from.readUInt32LE(at + 4)
}

/** Hashes two nodes to one, level by level. */
function hashUp(leaves: Buffer): { nodes: Buffer[]; top: Buffer } {
  const nodes: Buffer[] = []
  let level = leaves
  for (let height = 1; level.length > NODE_BYTES; height++) {
    const next = Buffer.allocUnsafe(level.length / 2)
    for (let at = 0; at < next.length; at += NODE_BYTES) {
      const pair = level.subarray(2 * at, 2 * at + 2 * NODE_BYTES)
      next.write(hash('sha256', pair, 'binary'), at, 'latin1')
      const sum = readInteger(pair, DIGEST_BYTES) + readInteger(pair, NODE_BYTES + DIGEST_BYTES)
      writeInteger(next, at + DIGEST_BYTES, sum)
    }
    level = next
    if (height % LEVELS_OF_FILE === 0 && level.length > NODE_BYTES) nodes.push(level)
  }
  return { nodes, top: level }
}
