import { expect, test } from 'vitest'
import { matchingStep, secretAsText, stepAt, totpAt, totpUri } from './totp.ts'

// RFC 4226, appendix D: the HOTP values of this secret for the counters 0 to 9.
const secret = Buffer.from('12345678901234567890')
const values = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ')
// RFC 6238, appendix B, SHA-1: the last six of its eight digits.
const moments = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const

test('[F-01] matches the test vectors of RFC 4226 and RFC 6238', () => {
  expect(values.map((_, counter) => totpAt(secret, counter))).toEqual(values)
  for (const [second, code] of moments) expect(totpAt(secret, stepAt(new Date(second * 1000)))).toBe(code)
})

test('[F-03] accepts a code one step early or late, never at or before the last used', () => {
  const at = (second: number) => new Date(second * 1000)
  const code = totpAt(secret, 100)
  expect(matchingStep(secret, code, at(100 * 30))).toBe(100)
  expect(matchingStep(secret, code, at(99 * 30))).toBe(100)
  expect(matchingStep(secret, code, at(101 * 30 + 29))).toBe(100)
  expect(matchingStep(secret, code, at(98 * 30 + 29))).toBeUndefined()
  expect(matchingStep(secret, code, at(102 * 30))).toBeUndefined()
  expect(matchingStep(secret, code, at(100 * 30), 100)).toBeUndefined()
  expect(matchingStep(secret, code, at(100 * 30), 99)).toBe(100)
})

test('[F-01] shows the secret in base32 groups; its URI names the firm and account', () => {
  expect(secretAsText(secret)).toBe('GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ')
  const uri = new URL(totpUri(secret, { issuer: 'North & Co', account: 'a+b@example.com' }))
  expect(uri.href).toMatch(/^otpauth:\/\/totp\/North%20%26%20Co:a%2Bb%40example\.com\?/)
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    issuer: 'North & Co',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})
