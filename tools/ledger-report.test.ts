import { expect, test } from 'vitest'
import { checkLines } from './ledger-report.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))
const run = { id: 7n, started_at: at(0), finished_at: at(2), ok: true, since: null }
const check = {
  name: 'floors_held',
  statement: 'No account was below its floor',
  examined: 12_345,
  faults: 0,
  examples: [],
}

test('a check of the books says what it checked and how long it took', () => {
  expect(checkLines({ ...run, checks: [check] })).toEqual([
    '  ✓ No account was below its floor (12,345 checked)',
    'The books are in order: 1 promises held, in 2.0 s (run 7)',
  ])
})

test('a check of the books names what is violated', () => {
  expect(checkLines({ ...run, ok: false, checks: [check, { ...check, faults: 2 }] }).slice(1)).toEqual([
    '  ✗ No account was below its floor: 2 faults in 12,345',
    'The books are NOT in order: 1 of 2 promises broken (run 7)',
  ])
})
