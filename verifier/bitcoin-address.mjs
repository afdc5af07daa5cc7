// @ts-check
import { concat, equal } from './bytes.mjs'
import { Invalid } from './errors.mjs'
import { ripemd160 } from './ripemd160.mjs'

/** Addresses of Bitcoin, and of TRON, which has their alphabet. Pure. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const CHECKSUM_BYTES = 4
/** First bytes of addresses of a key's hash and of a script's hash: main and test networks, and Litecoin's regtest. */
const KEY_HASH = [0x00, 0x6f]
const SCRIPT_HASH = [0x05, 0xc4, 0x3a]
const MAIN = ['bc']
const TEST = ['tb', 'bcrt', 'rltc']

/**
 * @param {Hashes} hashes
 * @param {Uint8Array} bytes
 */
export function hash160({ sha256 }, bytes) {
  return ripemd160(sha256(bytes))
}

/**
 * The bytes before the checksum.
 * @param {Hashes} hashes
 * @param {string} text
 * @throws {Invalid}
 */
export function fromBase58Check({ sha256 }, text) {
  let number = 0n
  for (const character of text) {
    const digit = BASE58.indexOf(character)
    if (digit < 0) throw new Invalid(`${text} is not an address`)
    number = number * 58n + BigInt(digit)
  }
  const digits = number === 0n ? '' : number.toString(16)
  const padded = digits.padStart(digits.length + (digits.length % 2), '0')
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  const bytes = concat(
    new Uint8Array(zeros),
    Uint8Array.from(padded.match(/../g) ?? [], byte => Number.parseInt(byte, 16)),
  )
  const content = bytes.subarray(0, -CHECKSUM_BYTES)
  const checksum = sha256(sha256(content)).subarray(0, CHECKSUM_BYTES)
  if (!equal(bytes.subarray(-CHECKSUM_BYTES), checksum))
    throw new Invalid(`${text} is not an address: it has a typing error`)
  return content
}

/** @param {readonly number[]} words five bits each */
function checksumOf(words) {
  const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
  let sum = 1
  for (const word of words) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ word
    for (const [bit, generator] of generators.entries()) if ((top >> bit) & 1) sum ^= generator
  }
  return sum
}

/**
 * A segregated witness address (BIP-173, BIP-350).
 * @param {string} text
 * @throws {Invalid}
 */
function fromBech32(text) {
  const lower = text.toLowerCase()
  const middle = lower.lastIndexOf('1')
  const prefix = lower.slice(0, middle)
  const words = Array.from(lower.slice(middle + 1), character => BECH32.indexOf(character))
  const high = Array.from(prefix, character => character.charCodeAt(0) >> 5)
  const low = Array.from(prefix, character => character.charCodeAt(0) & 31)
  const [version = -1] = words
  const expected = version === 0 ? 1 : 0x2bc830a3
  const isMixed = text !== lower && text !== text.toUpperCase()
  if (words.includes(-1) || isMixed || checksumOf([...high, 0, ...low, ...words]) !== expected)
    throw new Invalid(`${text} is not an address: it has a typing error`)
  const bits = words
    .slice(1, -6)
    .map(word => word.toString(2).padStart(5, '0'))
    .join('')
  const bytes = bits.match(/.{8}/g) ?? []
  return { prefix, version, program: Uint8Array.from(bytes, byte => Number.parseInt(byte, 2)) }
}

/**
 * The output script of an address.
 * @param {Hashes} hashes
 * @param {string} address
 * @returns {{ script: Uint8Array, isTest: boolean }}
 * @throws {Invalid}
 */
export function scriptOfAddress(hashes, address) {
  if (/^(bc|tb|bcrt|rltc)1/i.test(address)) {
    const { prefix, version, program } = fromBech32(address)
    const isKnown = version === 0 ? [20, 32].includes(program.length) : version === 1 && program.length === 32
    if (!isKnown || ![...MAIN, ...TEST].includes(prefix))
      throw new Invalid(`${address} is of a kind that is not known here`)
    const opcode = version === 0 ? 0 : 0x51
    return { script: concat(Uint8Array.of(opcode, program.length), program), isTest: TEST.includes(prefix) }
  }
  const content = fromBase58Check(hashes, address)
  const [version = -1] = content
  const hash = content.subarray(1)
  if (hash.length !== 20) throw new Invalid(`${address} is not an address`)
  const isTest = version !== 0x00 && version !== 0x05
  if (KEY_HASH.includes(version))
    return { script: concat(Uint8Array.of(0x76, 0xa9, 20), hash, Uint8Array.of(0x88, 0xac)), isTest }
  if (SCRIPT_HASH.includes(version))
    return { script: concat(Uint8Array.of(0xa9, 20), hash, Uint8Array.of(0x87)), isTest }
  throw new Invalid(`${address} is of a kind that is not known here`)
}
