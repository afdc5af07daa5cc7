import { createSigner } from 'fast-jwt'
import { afterEach, expect, test, vi } from 'vitest'
import { systemClock } from './clock.ts'
import { keyFor } from './encrypted.ts'
import { accessTokens } from './tokens.ts'

const secrets = { tokenSecret: 's'.repeat(48), formerSecrets: [] }
const key = keyFor(secrets, 'access token')
const claims = { sub: 'user', type: 'investor', sid: 'session' } as const
afterEach(() => {
  vi.useRealTimers()
})

test('a token identifies its user at each use', () => {
  const tokens = accessTokens(secrets, systemClock)
  const token = tokens.sign(claims)
  expect(tokens.verify(token)).toMatchObject(claims)
  expect(tokens.verify(token)).toMatchObject(claims)
})

test('after fifteen minutes it has expired, also where it has been seen before', () => {
  vi.useFakeTimers()
  const tokens = accessTokens(secrets, systemClock)
  const token = tokens.sign(claims)
  vi.advanceTimersByTime(14 * 60_000)
  expect(tokens.verify(token)).toMatchObject(claims)
  vi.advanceTimersByTime(2 * 60_000)
  expect(() => tokens.verify(token)).toThrow(expect.objectContaining({ code: 'token_expired' }))
})

test('refuses a changed token, another secret and another algorithm, every time', () => {
  const tokens = accessTokens(secrets, systemClock)
  const good = tokens.sign(claims)
  const [head, , signature] = good.split('.')
  const forged = Buffer.from(JSON.stringify({ ...claims, type: 'admin', exp: 9_999_999_999 })).toString(
    'base64url',
  )
  const others = [
    `${head}.${forged}.${signature}`,
    accessTokens({ tokenSecret: 'o'.repeat(48), formerSecrets: [] }, systemClock).sign(claims),
    createSigner({ key, algorithm: 'HS512' })(claims),
    createSigner({ algorithm: 'none' })(claims),
    'no token',
  ]
  for (const token of [...others, ...others]) {
    expect(() => tokens.verify(token)).toThrow(expect.objectContaining({ code: 'token_invalid' }))
  }
  expect(tokens.verify(good)).toMatchObject(claims)
})

test('is refused without its audience, for another one, and without an end', () => {
  const tokens = accessTokens(secrets, systemClock)
  const exp = Math.floor(Date.now() / 1000) + 60
  const sign = createSigner({ key, algorithm: 'HS256' })
  expect(tokens.verify(sign({ ...claims, aud: 'probity-api', exp }))).toMatchObject(claims)
  for (const other of [{ exp }, { aud: 'another-service', exp }, { aud: 'probity-api' }]) {
    expect(() => tokens.verify(sign({ ...claims, ...other }))).toThrow(
      expect.objectContaining({ code: 'token_invalid' }),
    )
  }
})

test('expires by the clock of the product, whatever the machine says', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let minutes = 0
  const start = Date.now()
  const tokens = accessTokens(secrets, { now: () => new Date(start + minutes * 60_000) })
  const token = tokens.sign(claims)
  vi.setSystemTime(start + 86_400_000)
  expect(tokens.verify(token)).toMatchObject(claims)
  expect(tokens.verify(tokens.sign(claims)).exp - start / 1000).toBeLessThanOrEqual(15 * 60)
  minutes = 16
  expect(() => tokens.verify(token)).toThrow(expect.objectContaining({ code: 'token_expired' }))
})

test('does not outlive its session', () => {
  vi.useFakeTimers()
  const tokens = accessTokens(secrets, systemClock)
  const token = tokens.sign(claims, 60_000)
  vi.advanceTimersByTime(61_000)
  expect(() => tokens.verify(token)).toThrow(expect.objectContaining({ code: 'token_expired' }))
})

test('it remembers so many tokens and no more, and knows the forgotten ones again', () => {
  const tokens = accessTokens(secrets, systemClock)
  const first = tokens.sign({ ...claims, sid: 'first' })
  tokens.verify(first)
  for (let i = 0; i < 10_001; i++) tokens.verify(tokens.sign({ ...claims, sid: `${i}` }))
  expect(tokens.verify(first)).toMatchObject({ sid: 'first' })
})
