import { expect, test } from 'vitest'
import { keyFor, keyRing, resealed, seal, unseal } from './encrypted.ts'

const secrets = { tokenSecret: 'x'.repeat(32), formerSecrets: [] }
const others = { tokenSecret: 'y'.repeat(32), formerSecrets: [] }
const content = Buffer.from('twenty bytes of text')

test('sealed content opens only with its key and in its context', () => {
  const sealed = seal(keyFor(secrets, 'payment quote'), 'row 1', content)
  expect(sealed.includes(content)).toBe(false)
  expect(unseal(keyRing(secrets, 'payment quote'), 'row 1', sealed)).toEqual(content)
  expect(() => unseal(keyRing(secrets, 'emailed code'), 'row 1', sealed)).toThrow()
  expect(() => unseal(keyRing(others, 'payment quote'), 'row 1', sealed)).toThrow('TOKEN_SECRETS_BEFORE')
  expect(() => unseal(keyRing(secrets, 'payment quote'), 'row 2', sealed)).toThrow()
})

test('nothing of it can be changed, and no two are alike', () => {
  const key = keyFor(secrets, 'payment quote')
  const sealed = seal(key, 'row 1', content)
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    expect(() => unseal([key], 'row 1', changed)).toThrow()
  }
  expect(() => unseal([key], 'row 1', Buffer.of(0))).toThrow('sealed under no secret')
  expect(seal(key, 'row 1', content)).not.toEqual(sealed)
})

test('a previous secret still opens a value, which is sealed again once', () => {
  const sealed = seal(keyFor(secrets, 'payment quote'), 'row 1', content)
  const rotated = keyRing({ ...others, formerSecrets: [secrets.tokenSecret] }, 'payment quote')
  expect(unseal(rotated, 'row 1', sealed)).toEqual(content)
  const anew = resealed(rotated, 'row 1', sealed)!
  expect(unseal(keyRing(others, 'payment quote'), 'row 1', anew)).toEqual(content)
  expect(resealed(rotated, 'row 1', anew)).toBeUndefined()
  expect(() => resealed(keyRing(others, 'payment quote'), 'row 1', sealed)).toThrow()
})
