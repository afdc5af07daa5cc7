import { createHash } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import { ChainError, outpointOf } from '#server/rails/chain.ts'

/**
 * Blocks and transactions in the network's own format (BIP-144). Amounts are whole satoshi, and everything is verified
 * by the block's hash; nodes' JSON has decimal fractions and changes by version.
 */
export type Header = {
  hash: string
  parentHash: string
  merkleRoot: string
  time: Date
  /** Its target, in the compact form. */
  bits: number
}

export type Transaction = {
  id: string
  /** The outputs that it spends, as `outpointOf`; empty for a coinbase transaction, which creates new coins. */
  inputs: string[]
  outputs: { script: Uint8Array; satoshi: bigint }[]
  coinbase: boolean
  /** The bytes that its id hashes, in pieces: all but marker and witnesses (BIP-141). */
  stripped: readonly Uint8Array[]
}

const headerBytes = 80

/** @throws ChainError if it is no header of a block with this hash */
export function parseHeader(bytes: Uint8Array, hash: string): Header {
  if (bytes.length < headerBytes) throw new ChainError(`block ${hash} came without its header`)
  const header = bytes.subarray(0, headerBytes)
  if (idOf(header) !== hash) throw new ChainError(`the node answered with another block than ${hash}`)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return {
    hash,
    parentHash: reversedHex(header.subarray(4, 36)),
    merkleRoot: reversedHex(header.subarray(36, 68)),
    time: new Date(view.getUint32(68, true) * 1000),
    bits: view.getUint32(72, true),
  }
}

/**
 * A whole block, with transactions that match the root in its header.
 * @throws ChainError if it is not exactly this block
 */
export function parseBlock(bytes: Uint8Array, hash: string): Header & { transactions: Transaction[] } {
  const header = parseHeader(bytes, hash)
  const reader = new Reader(bytes, headerBytes)
  const transactions = reader.list(transaction)
  if (!reader.ended || merkleRoot(transactions) !== header.merkleRoot)
    throw new ChainError(`block ${hash} came with other transactions than its own`)
  return { ...header, transactions }
}

/** @throws ChainError if it is no transaction with this id */
export function parseTransaction(bytes: Uint8Array, id: string): Transaction {
  const reader = new Reader(bytes)
  const parsed = transaction(reader)
  if (!reader.ended || parsed.id !== id)
    throw new ChainError(`the node answered with another transaction than ${id}`)
  return parsed
}

/** Outpoint of a coinbase transaction's one input: no transaction. */
const nothingSpent = outpointOf('0'.repeat(64), 0xffff_ffff)

function transaction(reader: Reader): Transaction {
  const version = reader.bytes(4)
  const hasWitness = reader.takeMarker()
  const body = reader.at
  const inputs = reader.list(input)
  const outputs = reader.list(output)
  const listed = reader.since(body)
  // One list of witnesses per input, skipped.
  if (hasWitness) for (const _ of inputs) reader.list(each => each.bytes(each.length()))
  const lockTime = reader.bytes(4)
  const coinbase = inputs.length === 1 && inputs[0] === nothingSpent
  // The id leaves marker and witnesses out (BIP-141).
  const stripped = [version, listed, lockTime]
  return { id: idOf(...stripped), inputs: coinbase ? [] : inputs, outputs, coinbase, stripped }
}

function input(reader: Reader): string {
  const id = reversedHex(reader.bytes(32))
  const outpoint = outpointOf(id, reader.uint32())
  reader.bytes(reader.length())
  reader.bytes(4)
  return outpoint
}

function output(reader: Reader): Transaction['outputs'][number] {
  const satoshi = reader.uint64()
  return { satoshi, script: reader.bytes(reader.length()) }
}

/**
 * Reads bytes in order.
 * @throws ChainError beyond the end
 */
class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = at
  }

  get ended(): boolean {
    return this.at === this.#bytes.length
  }

  bytes(length: number): Uint8Array {
    const from = this.#step(length)
    return this.#bytes.subarray(from, this.at)
  }

  since(from: number): Uint8Array {
    return this.#bytes.subarray(from, this.at)
  }

  uint32(): number {
    return this.#view.getUint32(this.#step(4), true)
  }

  uint64(): bigint {
    return this.#view.getBigUint64(this.#step(8), true)
  }

  /** CompactSize: one, three, five or nine bytes. */
  length(): number {
    const first = this.#view.getUint8(this.#step(1))
    if (first < 0xfd) return first
    if (first === 0xfd) return this.#view.getUint16(this.#step(2), true)
    if (first === 0xfe) return this.uint32()
    return Number(this.uint64())
  }

  list<T>(item: (reader: Reader) => T): T[] {
    const items: T[] = []
    for (let left = this.length(); left > 0; left -= 1) items.push(item(this))
    return items
  }

  /** Marker 0 and flag 1 before the inputs mean that witnesses follow (BIP-144). */
  takeMarker(): boolean {
    if (this.#bytes[this.at] !== 0) return false
    this.#step(2)
    if (this.#bytes[this.at - 1] !== 1) throw new ChainError('a transaction has an unknown format')
    return true
  }

  #step(length: number): number {
    const from = this.at
    if (from + length > this.#bytes.length) throw new ChainError('a block or transaction came cut off')
    this.at = from + length
    return from
  }
}

/** Hashes pairs until one is left; an odd row repeats its last hash. */
function merkleRoot(transactions: readonly Transaction[]): string | undefined {
  let row = transactions.map(({ id }) => Buffer.from(id, 'hex').reverse())
  while (row.length > 1) {
    const next: Buffer<ArrayBuffer>[] = []
    for (let at = 0; at < row.length; at += 2) {
      const left = row[at]!
      const right = row[at + 1] ?? left
      // A repeated row has the same root: CVE-2012-2459.
      if (right !== left && right.equals(left)) return undefined
      next.push(twiceHashed(left, right))
    }
    row = next
  }
  return row[0] && reversedHex(row[0])
}

/** The double SHA-256 as explorers write it: with its bytes reversed. */
export function idOf(...parts: readonly Uint8Array[]): string {
  return twiceHashed(...parts)
    .reverse()
    .toString('hex')
}

function twiceHashed(...parts: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return createHash('sha256').update(hash.digest()).digest() as Buffer<ArrayBuffer>
}

function reversedHex(bytes: Uint8Array): string {
  return bytesToHex(Uint8Array.from(bytes).reverse())
}
