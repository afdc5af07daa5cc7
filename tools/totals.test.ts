import { describe, expect, test } from 'vitest'
import {
  playwrightTotals,
  single,
  skippedJourneys,
  skippedTests,
  sum,
  summary,
  vitestTotals,
} from './totals.ts'

const vitest = { success: true, numPassedTests: 40, numFailedTests: 0, numPendingTests: 2, numTodoTests: 1 }
const journeys = { stats: { expected: 5, unexpected: 0, flaky: 0, skipped: 1 }, errors: [] }

describe('the summary of all checks', () => {
  test('it adds up static checks, tests and journeys', () => {
    const parts = [single(true), single(false), vitestTotals(vitest), playwrightTotals(journeys)]
    expect(summary(sum(parts))).toBe('46 passed, 1 failed, 4 skipped')
  })

  test('a test file that cannot be loaded counts as failed though none of its tests did', () => {
    expect(vitestTotals({ ...vitest, success: false }).failed).toBe(1)
    expect(vitestTotals({ ...vitest, success: false, numFailedTests: 3 }).failed).toBe(3)
  })

  test('tests that were not run are named', () => {
    const named = (fullName: string, status: string) => ({ fullName, status })
    const testResults = [
      { assertionResults: [named('bitcoin a', 'skipped'), named('b', 'passed')] },
      { assertionResults: [named('c', 'todo'), named('d', 'failed'), named('e', 'pending')] },
    ]
    expect(skippedTests({ testResults })).toEqual(['bitcoin a', 'c', 'e'])
  })

  test('journeys that were not run are named, those of a group as well', () => {
    const spec = (title: string, status: string) => ({ title, tests: [{ status }] })
    const group = { specs: [spec('on a phone', 'skipped'), spec('on a desktop', 'expected')] }
    const file = { specs: [spec('pays', 'expected'), spec('withdraws', 'skipped')], suites: [group] }
    expect(skippedJourneys({ suites: [file, { specs: [] }] })).toEqual(['withdraws', 'on a phone'])
  })

  test('an error outside of any journey counts as failed', () => {
    expect(playwrightTotals({ ...journeys, errors: ['no server'] }).failed).toBe(1)
  })
})
