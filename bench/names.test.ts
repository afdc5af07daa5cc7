import { expect, test } from 'vitest'
import { measureNames } from './names.ts'

test('people are compared with a list, by two threads', { timeout: 600_000 }, async () => {
  const { names, seconds, matched, matches } = await measureNames({ people: 2_000, entries: 1_000 })
  expect(names).toBe(2_000)
  expect(seconds).toBeGreaterThan(0)
  expect(matched).toBeGreaterThan(0)
  expect(matched).toBeLessThan(1_000)
  expect(matches).toBeGreaterThanOrEqual(matched)
})
