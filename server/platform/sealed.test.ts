import { expect, test } from 'vitest'
import { keyFor, seal, unseal } from './sealed.ts'

const secret = 'x'.repeat(32)
const content = Buffer.from('twenty bytes of text')

test('what is sealed opens under its key and for what it belongs to', () => {
  const sealed = seal(keyFor(secret, 'tests'), 'row 1', content)
  expect(sealed.includes(content)).toBe(false)
  expect(unseal(keyFor(secret, 'tests'), 'row 1', sealed)).toEqual(content)
  expect(() => unseal(keyFor(secret, 'other tests'), 'row 1', sealed)).toThrow()
  expect(() => unseal(keyFor('y'.repeat(32), 'tests'), 'row 1', sealed)).toThrow()
  expect(() => unseal(keyFor(secret, 'tests'), 'row 2', sealed)).toThrow()
})

test('nothing of it can be changed, and no two are alike', () => {
  const key = keyFor(secret, 'tests')
  const sealed = seal(key, 'row 1', content)
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    expect(() => unseal(key, 'row 1', changed)).toThrow()
  }
  expect(seal(key, 'row 1', content)).not.toEqual(sealed)
})
