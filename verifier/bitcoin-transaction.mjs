// @ts-check
import { concat, hex } from './bytes.mjs'
import { Invalid } from './errors.mjs'

/** Transactions of Bitcoin as bytes: read, written, and what their signatures sign. Pure. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {{ script: Uint8Array, amount: bigint }} Output */
/** @typedef {{ id: Uint8Array, index: number, script: Uint8Array, sequence: number, witness: Uint8Array[] }} Input */
/** @typedef {{ version: number, inputs: Input[], outputs: Output[], lockTime: number }} Transaction */

/** Reads numbers and bytes in their order. */
export class Reader {
  #bytes
  #view
  #at = 0

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get isAtEnd() {
    return this.#at === this.#bytes.length
  }

  /**
   * @param {number} count
   * @throws {Invalid}
   */
  take(count) {
    if (count > this.#bytes.length - this.#at) throw new Invalid('the signature is cut short')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  /** @param {number} bytes 1, 2, 4 or 8, little-endian */
  #number(bytes) {
    const at = this.#at
    this.take(bytes)
    if (bytes === 1) return this.#view.getUint8(at)
    if (bytes === 2) return this.#view.getUint16(at, true)
    if (bytes === 4) return this.#view.getUint32(at, true)
    return Number(this.#view.getBigUint64(at, true))
  }

  u32() {
    return this.#number(4)
  }

  u64() {
    const at = this.#at
    this.take(8)
    return this.#view.getBigUint64(at, true)
  }

  /** A count, 1 to 9 bytes. */
  count() {
    const first = this.#number(1)
    return first < 0xfd ? first : this.#number({ 253: 2, 254: 4 }[first] ?? 8)
  }

  /** Bytes after their count. */
  counted() {
    return this.take(this.count())
  }
}

/** @param {number} value */
export function u32(value) {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

/** @param {bigint} value */
function u64(value) {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value, true)
  return bytes
}

/** @param {number} value below 2^32 */
export function count(value) {
  if (value < 0xfd) return Uint8Array.of(value)
  if (value <= 0xffff) return Uint8Array.of(0xfd, value & 255, value >> 8)
  return concat(Uint8Array.of(0xfe), u32(value))
}

/** @param {Uint8Array} bytes */
export function counted(bytes) {
  return concat(count(bytes.length), bytes)
}

/**
 * A list of at most this many.
 * @template Item
 * @param {number} length
 * @param {() => Item} read
 */
function listOf(length, read) {
  if (length > 100_000) throw new Invalid('the signature is not a transaction')
  return Array.from({ length }, read)
}

/** @param {Reader} reader */
export function readStack(reader) {
  return listOf(reader.count(), () => reader.counted())
}

/**
 * @param {Uint8Array} bytes with or without witnesses (BIP-144)
 * @returns {Transaction}
 * @throws {Invalid}
 */
export function parseTransaction(bytes) {
  const reader = new Reader(bytes)
  const version = reader.u32()
  let inputs = reader.count()
  const hasWitness = inputs === 0
  if (hasWitness) {
    if (reader.take(1)[0] !== 1) throw new Invalid('the signature is not a transaction')
    inputs = reader.count()
  }
  /** @type {Input[]} */
  const read = listOf(inputs, () => ({
    id: reader.take(32),
    index: reader.u32(),
    script: reader.counted(),
    sequence: reader.u32(),
    witness: [],
  }))
  const outputs = listOf(reader.count(), () => {
    const amount = reader.u64()
    return { amount, script: reader.counted() }
  })
  if (hasWitness) for (const input of read) input.witness = readStack(reader)
  const lockTime = reader.u32()
  if (!reader.isAtEnd) throw new Invalid('bytes follow the end of the signature')
  return { version, inputs: read, outputs, lockTime }
}

/** @param {Pick<Input, 'id' | 'index'>} input */
function outpoint({ id, index }) {
  return concat(id, u32(index))
}

/**
 * In the form of explorers: id:index.
 * @param {Pick<Input, 'id' | 'index'>} input
 */
export function outpointName({ id, index }) {
  return `${hex(id.slice().reverse())}:${index}`
}

/** @param {Output} output */
function outputBytes({ amount, script }) {
  return concat(u64(amount), counted(script))
}

/**
 * Without witnesses.
 * @param {Transaction} transaction
 */
export function serialise({ version, inputs, outputs, lockTime }) {
  return concat(
    u32(version),
    count(inputs.length),
    ...inputs.map(input => concat(outpoint(input), counted(input.script), u32(input.sequence))),
    count(outputs.length),
    ...outputs.map(outputBytes),
    u32(lockTime),
  )
}

/**
 * @param {Hashes} hashes
 * @param {Uint8Array} bytes
 */
export function hash256({ sha256 }, bytes) {
  return sha256(sha256(bytes))
}

const SIGHASH_ALL = 1

/**
 * What a signature of an input signs, before segregated witness.
 * @param {Hashes} hashes
 * @param {Transaction} transaction
 * @param {number} at
 * @param {Uint8Array} script that the input satisfies
 */
export function legacyHash(hashes, transaction, at, script) {
  const inputs = transaction.inputs.map((input, place) => ({
    ...input,
    script: place === at ? script : new Uint8Array(),
  }))
  return hash256(hashes, concat(serialise({ ...transaction, inputs }), u32(SIGHASH_ALL)))
}

/**
 * BIP-143.
 * @param {Hashes} hashes
 * @param {Transaction} transaction
 * @param {number} at
 * @param {Output} spent with the script that the input satisfies
 */
export function witnessHash(hashes, { version, inputs, outputs, lockTime }, at, { script, amount }) {
  const input = inputs[at]
  if (input === undefined) throw new RangeError(`there is no input ${at}`)
  return hash256(
    hashes,
    concat(
      u32(version),
      hash256(hashes, concat(...inputs.map(outpoint))),
      hash256(hashes, concat(...inputs.map(({ sequence }) => u32(sequence)))),
      outpoint(input),
      counted(script),
      u64(amount),
      u32(input.sequence),
      hash256(hashes, concat(...outputs.map(outputBytes))),
      u32(lockTime),
      u32(SIGHASH_ALL),
    ),
  )
}

/**
 * BIP-341, by a key: what is hashed with the tag TapSighash.
 * @param {Hashes} hashes
 * @param {Transaction} transaction
 * @param {number} at
 * @param {{ spent: Output[], type: number }} of all spent outputs, and 0 (default) or 1 (all)
 */
export function taprootMessage({ sha256 }, { version, inputs, outputs, lockTime }, at, { spent, type }) {
  return concat(
    Uint8Array.of(0, type),
    u32(version),
    u32(lockTime),
    sha256(concat(...inputs.map(outpoint))),
    sha256(concat(...spent.map(({ amount }) => u64(amount)))),
    sha256(concat(...spent.map(({ script }) => counted(script)))),
    sha256(concat(...inputs.map(({ sequence }) => u32(sequence)))),
    sha256(concat(...outputs.map(outputBytes))),
    Uint8Array.of(0),
    u32(at),
  )
}
