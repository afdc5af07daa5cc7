import { expect, test } from 'vitest'
import { beginningOf, isKeyText, looksLikeKey, newKeyText } from './key-text.ts'

test('a key has its prefix, 43 random characters and a checksum', () => {
  const keys = new Set(Array.from({ length: 100 }, newKeyText))
  expect(keys.size).toBe(100)
  for (const key of keys) {
    expect(key).toMatch(/^probity_[0-9A-Za-z]{49}$/)
    expect(isKeyText(key)).toBe(true)
    expect(beginningOf(key)).toBe(key.slice(0, 12))
  }
})

test('a mistyped, cut or lengthened key is none', () => {
  const key = newKeyText()
  for (let at = 8; at < key.length; at++) {
    const other = key[at] === 'x' ? 'y' : 'x'
    expect(isKeyText(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
  }
  for (const text of [key.slice(0, -1), `${key}0`, key.toUpperCase(), ` ${key}`, 'probity_']) {
    expect(isKeyText(text)).toBe(false)
  }
})

test('the checksum is CRC-32 of the random characters, in base 62', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const key = newKeyText()
  const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
  let crc = 0xffffffff
  for (const byte of Buffer.from(key.slice(8, -6))) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  expect(value).toBe((crc ^ 0xffffffff) >>> 0)
})

test('only what begins like a key is taken for one', () => {
  expect(looksLikeKey(newKeyText())).toBe(true)
  expect(looksLikeKey('eyJhbGciOiJIUzI1NiJ9.e30.x')).toBe(false)
})
