import { expect, test } from 'vitest'
import { percentWords, sharesOf, yearsOf } from './series.ts'

const asOf = '2026-11-21T00:00:00.000Z'

test('[D-26] shares are rounded to one decimal and empty ones left out', () => {
  const plans = [
    { plan: 'Business', investments: 1, amount: 5000 },
    { plan: 'Basic', investments: 2, amount: 0.01 },
  ]
  const shares = sharesOf({ plans, available: 2499.99, held: 0, total: 7500, next: null, endings: [], asOf })
  expect(shares.map(({ name, cents, perMille }) => [name, cents, percentWords(perMille)])).toEqual([
    ['Business', 500_000n, '66.7%'],
    ['Basic', 1n, '0.0%'],
    ['Available', 249_999n, '33.3%'],
  ])
  expect(sharesOf({ plans: [], available: 0, held: 0, total: 0, next: null, endings: [], asOf })).toEqual([])
})

test('[D-26] the month grid has a row per year and exact totals', () => {
  const years = yearsOf([
    { month: '2025-12', earned: 10n },
    { month: '2026-01', earned: 0n },
    { month: '2026-02', earned: 999_999_999_999n },
    { month: '2026-03', earned: 1n },
  ])
  expect(years.map(({ year, total }) => [year, total])).toEqual([
    ['2025', 10n],
    ['2026', 1_000_000_000_000n],
  ])
  expect(years[0]!.months).toEqual([...Array(11).fill(null), 10n])
  expect(years[1]!.months).toEqual([0n, 999_999_999_999n, 1n, ...Array(9).fill(null)])
})
