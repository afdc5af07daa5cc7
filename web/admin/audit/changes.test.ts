import { expect, test } from 'vitest'
import { logChanges, otherDetails } from './changes.ts'

test('[N-12] an entry shows the fields that it has changed, each before and after, and nothing that stayed', () => {
  const before = { _id: 'a', version: 1, streetAddress: '1 Old Street', phones: ['1'], note: null }
  const after = { _id: 'a', version: 2, streetAddress: '2 New Street', phones: ['1', '2'], note: null }
  expect(logChanges({ before, after })).toEqual([
    { field: 'Street address', before: '1 Old Street', after: '2 New Street' },
    { field: 'Phones', before: '1', after: '1, 2' },
  ])
})

test('[N-12] of what came into being everything is new, and what is no change is told beside it', () => {
  expect(logChanges({ after: { label: 'Offices' } })).toEqual([
    { field: 'Label', before: '—', after: 'Offices' },
  ])
  expect(logChanges({ format: 'csv' })).toEqual([])
  expect(otherDetails({ before: {}, after: {}, format: 'csv' })).toEqual([['Format', 'csv']])
})
