// @ts-check
import { hex } from './bytes.mjs'
import { Invalid } from './errors.mjs'

/** Reads DER (X.690), as far as time stamps and certificates use it: tags of one byte, definite lengths. */

/** @typedef {{ tag: number, content: Uint8Array, whole: Uint8Array }} Element `whole` with its tag and length */

export const TAG = /** @type {const} */ ({
  boolean: 0x01,
  integer: 0x02,
  octets: 0x04,
  oid: 0x06,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
})
/** Of a constructed element with the context's own number. */
export const context = (/** @type {number} */ number) => 0xa0 | number

const MOST_LENGTH_BYTES = 3

/**
 * The elements of these bytes, one after the other.
 * @param {Uint8Array} bytes
 * @returns {Element[]}
 * @throws {Invalid}
 */
export function elements(bytes) {
  const found = []
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at)
    found.push(element)
    at += element.whole.length
  }
  return found
}

/**
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {Element}
 */
function elementAt(bytes, at) {
  const tag = bytes[at] ?? 0
  const first = bytes[at + 1] ?? 0
  const more = first < 0x80 ? 0 : first - 0x80
  if ((tag & 0x1f) === 0x1f || first === 0x80 || more > MOST_LENGTH_BYTES)
    throw new Invalid('it has a tag or a length that DER does not have here')
  const from = at + 2 + more
  const length = more === 0 ? first : bytes.subarray(at + 2, from).reduce((sum, byte) => sum * 256 + byte, 0)
  const isShortest = more === 0 || length >= Math.max(0x80, 256 ** (more - 1))
  if (!isShortest || from + length > bytes.length) throw new Invalid('it is cut off, or not DER')
  return { tag, content: bytes.subarray(from, from + length), whole: bytes.subarray(at, from + length) }
}

/** Reads the parts of a sequence in their order. */
export class Parts {
  #left

  /**
   * @param {Element | undefined} element
   * @param {number} [tag] what it must be
   */
  constructor(element, tag = TAG.sequence) {
    if (element?.tag !== tag) throw new Invalid(`it has no element 0x${tag.toString(16)} where one belongs`)
    this.#left = elements(element.content)
  }

  /**
   * The next part, which must be there.
   * @param {number} tag
   * @returns {Element}
   */
  next(tag) {
    const part = this.optional(tag)
    if (part === null) throw new Invalid(`it has no element 0x${tag.toString(16)} where one belongs`)
    return part
  }

  /** @param {number} tag */
  optional(tag) {
    return this.#left[0]?.tag === tag ? (this.#left.shift() ?? null) : null
  }

  /** The next part as a sequence of its own. */
  sequence() {
    return new Parts(this.next(TAG.sequence))
  }

  /** The next part, which is an object identifier, as text. */
  oid() {
    return oidOf(this.next(TAG.oid))
  }

  /** All parts that are left. */
  rest() {
    return this.#left.splice(0)
  }
}

/**
 * The only element of these bytes.
 * @param {Uint8Array} bytes
 * @returns {Element}
 * @throws {Invalid}
 */
export function onlyElement(bytes) {
  const [element, ...others] = elements(bytes)
  if (element === undefined || others.length > 0) throw new Invalid('it is not one element of DER')
  return element
}

/**
 * An object identifier as text: 1.2.840.
 * @param {Element} element
 */
export function oidOf({ content }) {
  const numbers = []
  let number = 0
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    numbers.push(number)
    number = 0
  }
  const [first = 0, ...others] = numbers
  const root = Math.min(Math.floor(first / 40), 2)
  return [root, first - 40 * root, ...others].join('.')
}

/**
 * An integer below 2^48.
 * @param {Element} element
 */
export function integerOf({ content }) {
  return content.length > 6 ? Number.NaN : Number.parseInt(hex(content), 16)
}
