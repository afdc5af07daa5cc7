import { expect, test } from 'vitest'
import { utcMinute } from './moments.ts'

test('a moment that is told in words is written as pages write it, with its time zone', () => {
  expect(utcMinute(new Date('2026-11-21T13:18:59.999Z'))).toBe('21 Nov 2026, 13:18 UTC')
  expect(utcMinute(new Date('2026-01-02T00:05:00Z'))).toBe('2 Jan 2026, 00:05 UTC')
})
