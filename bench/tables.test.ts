import { expect, test } from 'vitest'
import { createProgress } from '#tools/console.ts'
import { benchTables } from './tables.ts'

test('every table is loaded, its books verify, and its first pages are measured', {
  timeout: 240_000,
}, async () => {
  const scale = { users: 400, fewUsers: 200, rounds: 1, requests: 2 }
  const { figures } = await benchTables(scale, createProgress(), new AbortController().signal)
  expect(figures.length).toBeGreaterThan(40)
  for (const { name, value } of figures) expect(value, name).toBeGreaterThan(0)
})
