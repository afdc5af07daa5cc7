import { expect, test } from 'vitest'
import { createProgress } from '#tools/console.ts'
import { costTable, measureCosts } from './costs.ts'
import { smoke } from './scale.ts'

test('each act is made, and what it wrote and used is told', { timeout: 180_000 }, async () => {
  const costs = await measureCosts(20, smoke, createProgress(), new AbortController().signal)
  expect(costs.map(({ act, entries }) => [act, entries])).toEqual([
    ['a withdrawal is requested', 2],
    ['a withdrawal is approved', 0],
    ['a withdrawal is marked as paid', 2],
    ['an investment is made from the balance', 2],
    ['an investment is approved', 2],
  ])
  for (const { act, walKB, perSecond } of costs) expect(Math.min(walKB, perSecond), act).toBeGreaterThan(0)
  expect(costTable(costs).split('\n')).toHaveLength(7)
})
