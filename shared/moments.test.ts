import { expect, test } from 'vitest'
import { utcMinute } from './moments.ts'

test('moments in texts have the format of the pages and a time zone', () => {
  expect(utcMinute(new Date('2026-11-21T13:18:59.999Z'))).toBe('21 Nov 2026, 13:18 UTC')
  expect(utcMinute(new Date('2026-01-02T00:05:00Z'))).toBe('2 Jan 2026, 00:05 UTC')
})
