import { expect, test } from 'vitest'
import { logChanges, otherDetails } from './changes.ts'

test('[N-12] an entry shows each changed field before and after, and no unchanged one', () => {
  const before = { _id: 'a', version: 1, streetAddress: '1 Old Street', phones: ['1'], note: null }
  const after = { _id: 'a', version: 2, streetAddress: '2 New Street', phones: ['1', '2'], note: null }
  expect(logChanges({ before, after })).toEqual([
    { field: 'Street address', before: '1 Old Street', after: '2 New Street' },
    { field: 'Phones', before: '1', after: '1, 2' },
  ])
})

test('[N-12] everything of a new record is new, and other details stand beside it', () => {
  expect(logChanges({ after: { label: 'Offices' } })).toEqual([
    { field: 'Label', before: '—', after: 'Offices' },
  ])
  expect(logChanges({ format: 'csv' })).toEqual([])
  expect(otherDetails({ before: {}, after: {}, format: 'csv' })).toEqual([['Format', 'csv']])
})
