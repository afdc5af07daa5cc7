import { expect, test } from 'vitest'
import { tokenFor } from '#test/support/browser.ts'
import { claimsOf, hasExpired } from './tokens.ts'

test('a token expires in the second of its expiry', () => {
  const token = tokenFor('ada', 60)
  const expiresAtMs = Number(claimsOf(token)?.exp) * 1000
  expect(hasExpired(token, expiresAtMs - 1)).toBe(false)
  expect(hasExpired(token, expiresAtMs)).toBe(true)
})

test('invalid tokens count as expired', () => {
  for (const text of ['', 'x', 'a.b.c', 'a.bnVsbA.c', `a.${btoa('{"exp":"soon"}')}.c`]) {
    expect(hasExpired(text)).toBe(true)
  }
})

test('claims in any script are read', () => {
  const token = `x.${Buffer.from(JSON.stringify({ sub: 'Ådá–李' })).toString('base64url')}.y`
  expect(claimsOf(token)?.sub).toBe('Ådá–李')
})
