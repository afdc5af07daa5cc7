import { expect, test } from 'vitest'
import { birthError, documentError } from './identity.ts'

test('a person is old enough from their 18th birthday on, also one born on 29 February', () => {
  const young = 'Only people of at least 18 years can invest here'
  expect(birthError('2008-11-30', '2026-11-29')).toBe(young)
  expect(birthError('2008-11-29', '2026-11-29')).toBeUndefined()
  expect(birthError('2008-02-29', '2026-02-28')).toBe(young)
  expect(birthError('2008-02-29', '2026-03-01')).toBeUndefined()
})

test('a date of birth is neither in the future nor more than 120 years ago', () => {
  expect(birthError('2026-11-30', '2026-11-29')).toBe('This date is in the future')
  expect(birthError('1905-11-30', '2026-11-29')).toBeUndefined()
  expect(birthError('1905-11-29', '2026-11-29')).toBe('Check the year of this date')
})

test('a document counts on its last day', () => {
  expect(documentError('2026-11-29', '2026-11-29')).toBeUndefined()
  expect(documentError('2026-11-28', '2026-11-29')).toContain('no longer valid')
})
