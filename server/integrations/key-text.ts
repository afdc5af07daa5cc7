import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Scanners of leaked secrets find keys by it. */
const PREFIX = 'probity_'
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 43 of 62 characters are 256 bits. */
const RANDOM_LENGTH = 43
/** CRC-32 in base 62. */
const CHECK_LENGTH = 6
/** Characters that the console shows, without the prefix; the rest has over 230 bits. */
const SHOWN = 4

const whole = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECK_LENGTH}}$`)

/** True for what claims to be a key, whole or not. */
export function looksLikeKey(text: string): boolean {
  return text.startsWith(PREFIX)
}

/** A new key: prefix, random characters, checksum. */
export function newKeyText(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join('')
  return `${PREFIX}${random}${checksumOf(random)}`
}

/** False for text that no key can be, which a scanner or we refuse without asking the database. */
export function isKeyText(text: string): boolean {
  if (!whole.test(text)) return false
  const random = text.slice(PREFIX.length, -CHECK_LENGTH)
  return text.slice(-CHECK_LENGTH) === checksumOf(random)
}

function checksumOf(random: string): string {
  let rest = crc32(random)
  let digits = ''
  for (let place = 0; place < CHECK_LENGTH; place++) {
    digits = DIGITS[rest % DIGITS.length] + digits
    rest = Math.floor(rest / DIGITS.length)
  }
  return digits
}

/** What we store of a key. It has 256 random bits, so a slow hash would protect nothing more. */
export function hashOfKey(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** The characters by which people tell keys apart. */
export function beginningOf(text: string): string {
  return text.slice(0, PREFIX.length + SHOWN)
}
