import { expect, test } from 'vitest'
import { statusesLeft } from './matching.ts'

test('[N-13] all that match are read with each status that the filter of the list leaves', () => {
  const statuses = ['pending', 'differing']
  expect(statusesLeft(statuses, { query: {} })).toEqual(statuses)
  expect(statusesLeft(statuses, { query: { status: 'differing' } })).toEqual(['differing'])
  expect(statusesLeft(statuses, { query: { status: 'paid' } })).toEqual([])
})
