import { expect, test } from 'vitest'
import { may, rights, roles } from './roles.ts'

test('each role gives exactly its rights', () => {
  const given = Object.fromEntries(roles.map(role => [role, rights.filter(right => may(role, right))]))
  expect(given).toEqual({
    admin: ['console', 'decide', 'care', 'identity', 'books', 'log', 'manage'],
    finance: ['console', 'decide', 'books'],
    support: ['console', 'care'],
    compliance: ['console', 'care', 'identity', 'books', 'log'],
    auditor: ['console', 'books', 'log'],
  })
})

test('an investor has no right', () => {
  expect(rights.filter(right => may(null, right))).toEqual([])
})
