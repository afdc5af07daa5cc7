// @ts-check
import { Invalid } from './errors.mjs'

/** Bytes and the texts that stand for them. Pure: runs in Node and in a browser. */

/**
 * The functions that a platform provides, all synchronous.
 * @typedef {object} Hashes
 * @property {(bytes: Uint8Array) => Uint8Array} sha256
 * @property {(key: Uint8Array, bytes: Uint8Array) => Uint8Array} hmacSha256
 * @property {(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean} ed25519Verify
 */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES = new Uint8Array(128).fill(255)
for (let value = 0; value < 64; value += 1) VALUES[ALPHABET.charCodeAt(value)] = value

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @param {string} text */
export function utf8(text) {
  return encoder.encode(text)
}

/**
 * @param {Uint8Array} bytes
 * @throws {Invalid} if they are not UTF-8
 */
export function textOf(bytes) {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new Invalid('it is not UTF-8')
  }
}

/** @param {Uint8Array[]} parts */
export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/**
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
export function equal(one, other) {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Lower-case hexadecimal digits.
 * @param {string} text
 * @throws {Invalid}
 */
export function fromHex(text) {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new Invalid(`"${text}" is not lower-case hexadecimal`)
  return Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(2 * at, 2 * at + 2), 16),
  )
}

/** @param {Uint8Array} bytes */
export function base64(bytes) {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    text += ALPHABET.charAt(group >> 18) + ALPHABET.charAt((group >> 12) & 63)
    text += left > 1 ? ALPHABET.charAt((group >> 6) & 63) : '='
    text += left > 2 ? ALPHABET.charAt(group & 63) : '='
  }
  return text
}

/**
 * The standard alphabet with padding, in its one canonical form.
 * @param {string} text
 * @throws {Invalid}
 */
export function fromBase64(text) {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  if (text.length % 4 !== 0) throw new Invalid(`"${text}" is not base64 with padding`)
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  let bits = 0
  let held = 0
  let at = 0
  for (let digit = 0; digit < digits; digit += 1) {
    const value = VALUES[text.charCodeAt(digit)] ?? 255
    if (value === 255) throw new Invalid(`"${text}" is not base64`)
    held = ((held << 6) | value) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[at] = (held >> bits) & 0xff
    at += 1
  }
  if ((held & ((1 << bits) - 1)) !== 0) throw new Invalid(`"${text}" is not canonical base64`)
  return bytes
}

/** @param {bigint} value below 2^64 */
export function u64le(value) {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value, true)
  return bytes
}

/**
 * A count or an index in decimal digits without leading zeros.
 * @param {string} text
 * @throws {Invalid}
 */
export function fromDecimal(text) {
  const number = /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new Invalid(`"${text}" is not a number below 2^53`)
  return number
}
