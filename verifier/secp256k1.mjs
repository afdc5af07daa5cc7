// @ts-check
import { concat, utf8 } from './bytes.mjs'
import { Invalid } from './errors.mjs'

/**
 * Signatures over the curve secp256k1 (SEC 2, 2.4.1): ECDSA, recovery of its public key, and Schnorr (BIP-340). It only
 * verifies, so it handles no secret, and how long it takes reveals none.
 */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {{ x: bigint, y: bigint }} Point none is the point at infinity */
/** @typedef {{ x: bigint, y: bigint, z: bigint }} Jacobian z = 0 is the point at infinity */

const P = 2n ** 256n - 2n ** 32n - 977n
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** @type {Point} */
const G = {
  x: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  y: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
}
/** @type {Jacobian} */
const INFINITY = { x: 0n, y: 1n, z: 0n }

/** @param {Uint8Array} bytes big-endian */
export function toNumber(bytes) {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
}

/** @param {bigint} number below 2^256 */
function bytes32(number) {
  return Uint8Array.from({ length: 32 }, (_, at) => Number((number >> BigInt(8 * (31 - at))) & 255n))
}

/**
 * @param {bigint} value
 * @param {bigint} modulus
 */
function mod(value, modulus) {
  const rest = value % modulus
  return rest < 0n ? rest + modulus : rest
}

/**
 * @param {bigint} base
 * @param {bigint} exponent
 */
function power(base, exponent) {
  let result = 1n
  for (let left = exponent, square = base; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % P
    square = (square * square) % P
  }
  return result
}

/**
 * The inverse by Euclid's algorithm.
 * @param {bigint} value not a multiple of the modulus
 * @param {bigint} modulus a prime
 */
function inverse(value, modulus) {
  let [rest, last] = [mod(value, modulus), modulus]
  let [factor, lastFactor] = [1n, 0n]
  while (rest !== 0n) {
    const quotient = last / rest
    ;[last, rest] = [rest, last - quotient * rest]
    ;[lastFactor, factor] = [factor, lastFactor - quotient * factor]
  }
  return mod(lastFactor, modulus)
}

/** @param {Jacobian} point */
function double({ x, y, z }) {
  if (z === 0n) return INFINITY
  const yy = (y * y) % P
  const s = (4n * x * yy) % P
  const m = (3n * x * x) % P
  const doubled = mod(m * m - 2n * s, P)
  return { x: doubled, y: mod(m * (s - doubled) - 8n * yy * yy, P), z: (2n * y * z) % P }
}

/**
 * @param {Jacobian} one
 * @param {Jacobian} other
 * @returns {Jacobian}
 */
function add(one, other) {
  if (one.z === 0n) return other
  if (other.z === 0n) return one
  const [zz1, zz2] = [(one.z * one.z) % P, (other.z * other.z) % P]
  const [u1, u2] = [(one.x * zz2) % P, (other.x * zz1) % P]
  const [s1, s2] = [(one.y * zz2 * other.z) % P, (other.y * zz1 * one.z) % P]
  if (u1 === u2) return s1 === s2 ? double(one) : INFINITY
  const h = mod(u2 - u1, P)
  const r = mod(s2 - s1, P)
  const hh = (h * h) % P
  const v = (u1 * hh) % P
  const x = mod(r * r - hh * h - 2n * v, P)
  return { x, y: mod(r * (v - x) - s1 * hh * h, P), z: (h * one.z * other.z) % P }
}

/**
 * a·G + b·point
 * @param {bigint} a
 * @param {bigint} b
 * @param {Point} point
 * @returns {Point | null} null at infinity
 */
function combine(a, b, point) {
  const [g, p] = [
    { ...G, z: 1n },
    { ...point, z: 1n },
  ]
  const both = add(g, p)
  let sum = INFINITY
  for (let bit = 255n; bit >= 0n; bit -= 1n) {
    sum = double(sum)
    const [inA, inB] = [(a >> bit) & 1n, (b >> bit) & 1n]
    if (inA && inB) sum = add(sum, both)
    else if (inA) sum = add(sum, g)
    else if (inB) sum = add(sum, p)
  }
  if (sum.z === 0n) return null
  const z = inverse(sum.z, P)
  const zz = (z * z) % P
  return { x: (sum.x * zz) % P, y: (sum.y * zz * z) % P }
}

/**
 * The point with this x.
 * @param {bigint} x
 * @param {boolean} isOdd its y
 * @returns {Point | null}
 */
function pointAt(x, isOdd) {
  if (x >= P) return null
  const yy = (x * x * x + 7n) % P
  const y = power(yy, (P + 1n) / 4n)
  if ((y * y) % P !== yy) return null
  return { x, y: ((y & 1n) === 1n) === isOdd ? y : P - y }
}

/**
 * A public key of 33 or 65 bytes (SEC 1, 2.3.4).
 * @param {Uint8Array} bytes
 * @returns {Point | null}
 */
function parsePoint(bytes) {
  const x = toNumber(bytes.subarray(1, 33))
  if (bytes.length === 33 && (bytes[0] === 2 || bytes[0] === 3)) return pointAt(x, bytes[0] === 3)
  const y = toNumber(bytes.subarray(33))
  if (bytes.length !== 65 || bytes[0] !== 4 || x >= P || y >= P) return null
  return mod(y * y - x * x * x - 7n, P) === 0n ? { x, y } : null
}

/**
 * A public key as 64 bytes: x, then y.
 * @param {Point} point
 */
function pointBytes({ x, y }) {
  return concat(bytes32(x), bytes32(y))
}

/**
 * ECDSA, with low s (BIP-146).
 * @param {{ r: bigint, s: bigint }} signature
 * @param {Uint8Array} digest 32 bytes
 * @param {Uint8Array} publicKey
 */
export function verifyEcdsa({ r, s }, digest, publicKey) {
  const point = parsePoint(publicKey)
  if (point === null || r < 1n || r >= N || s < 1n || s > N / 2n) return false
  const w = inverse(s, N)
  const found = combine((toNumber(digest) * w) % N, (r * w) % N, point)
  return found !== null && found.x % N === r
}

/**
 * The public key whose signature this is (SEC 1, 4.1.6), as 64 bytes.
 * @param {{ r: bigint, s: bigint, isOdd: boolean }} signature
 * @param {Uint8Array} digest
 * @throws {Invalid} if there is none
 */
export function recoverKey({ r, s, isOdd }, digest) {
  const point = r < 1n || r >= N || s < 1n || s >= N ? null : pointAt(r, isOdd)
  if (point === null) throw new Invalid('the signature is no signature of this curve')
  const w = inverse(r, N)
  const found = combine(mod(-toNumber(digest) * w, N), (s * w) % N, point)
  if (found === null) throw new Invalid('the signature is no signature of this curve')
  return pointBytes(found)
}

/**
 * SHA-256 with a tag (BIP-340).
 * @param {Hashes} hashes
 * @param {string} tag
 * @param {...Uint8Array} parts
 */
export function taggedHash({ sha256 }, tag, ...parts) {
  const tagHash = sha256(utf8(tag))
  return sha256(concat(tagHash, tagHash, ...parts))
}

/**
 * Schnorr (BIP-340).
 * @param {Hashes} hashes
 * @param {Uint8Array} signature 64 bytes
 * @param {Uint8Array} message
 * @param {Uint8Array} publicKey 32 bytes
 */
export function verifySchnorr(hashes, signature, message, publicKey) {
  const point = pointAt(toNumber(publicKey), false)
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)]
  if (point === null || publicKey.length !== 32 || signature.length !== 64) return false
  if (toNumber(r) >= P || toNumber(s) >= N) return false
  const e = mod(toNumber(taggedHash(hashes, 'BIP0340/challenge', r, publicKey, message)), N)
  const found = combine(toNumber(s), mod(-e, N), point)
  return found !== null && (found.y & 1n) === 0n && found.x === toNumber(r)
}
