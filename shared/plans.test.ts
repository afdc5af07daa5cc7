import { expect, test } from 'vitest'
import { accruedAfter, after30Days, amountOutsidePlan, targetReturn } from './plans.ts'

const beginner = {
  name: 'Beginner',
  percentageBp: 300,
  minimumCents: 50_000n,
  maximumCents: 199_900n,
  durationDays: 30,
}
const elite = { name: 'Elite', percentageBp: 2000, durationDays: 5 }
const deluxe = {
  name: 'Deluxe',
  percentageBp: 2500,
  minimumCents: 5_000_000n,
  maximumCents: null,
  durationDays: 150,
}

test('[D-11] the 30-day projection depends on the duration of the plan', () => {
  expect(after30Days(beginner, 100_000n)).toBe(3_000n)
  expect(after30Days(elite, 2_000_000n)).toBe(400_000n)
  expect(after30Days(deluxe, 5_000_000n)).toBe(250_000n)
})

test('accrual grows by whole days between start and end of the term', () => {
  expect(accruedAfter(beginner, 100_000n, -1)).toBe(0n)
  expect(accruedAfter(beginner, 100_000n, 0.99)).toBe(0n)
  expect(accruedAfter(beginner, 100_000n, 10)).toBe(1_000n)
  expect(accruedAfter(beginner, 100_000n, 400)).toBe(targetReturn(beginner, 100_000n))
})

test('half cents round to the even cent', () => {
  expect(targetReturn({ percentageBp: 1050 }, 100n)).toBe(10n)
  expect(targetReturn({ percentageBp: 1050 }, 300n)).toBe(32n)
})

test('[D-13] an amount outside the range is refused with the range', () => {
  expect(amountOutsidePlan(beginner, 49_999n)).toBe(
    'Amount must be between $500 and $1,999 for the Beginner plan',
  )
  expect(amountOutsidePlan(beginner, 199_901n)).toBeDefined()
  expect(amountOutsidePlan(beginner, 50_000n)).toBeUndefined()
  expect(amountOutsidePlan(beginner, 199_900n)).toBeUndefined()
  expect(amountOutsidePlan(deluxe, 4_999_999n)).toBe('Amount must be at least $50,000 for the Deluxe plan')
  expect(amountOutsidePlan(deluxe, 999_999_999_999n)).toBeUndefined()
})
