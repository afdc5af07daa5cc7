import fc from 'fast-check'
import { expect, test } from 'vitest'
import { apart, axisWords, moneyAxis } from './money-axis.ts'

test('a money axis starts at zero and fits the largest amount', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 9_999_999_999_999n), largest => {
      const { ticks, y } = moneyAxis(largest, 200)
      expect(ticks[0]).toEqual({ y: 200, words: '$0' })
      expect(y(0n)).toBe(200)
      expect(y(largest)).toBeGreaterThanOrEqual(0)
      // Twice the amount is twice as high.
      const half = largest / 2n
      expect(200 - y(half * 2n)).toBeCloseTo(2 * (200 - y(half)), 6)
    }),
  )
})

test.each([
  [0n, '$0'],
  [20n, '$0.20'],
  [250_000n, '$2,500'],
  [99_999_900n, '$999,999'],
  [100_000_000n, '$1M'],
  [150_000_000n, '$1.5M'],
  [1_250_000_000_000n, '$12.5B'],
])('%s cents stand on an axis as %s', (cents, words) => {
  expect(axisWords(cents)).toBe(words)
})

test('overlapping labels move apart, in order and within the chart', () => {
  expect(apart([100, 100, 104], 14, 200)).toEqual([100, 114, 128])
  expect(apart([195, 198], 14, 200)).toEqual([179, 193])
  expect(apart([0, 150], 14, 200)).toEqual([7, 150])
})
