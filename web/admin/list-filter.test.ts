import { expect, test } from 'vitest'
import { filterKeys, withFilter } from './list-filter.ts'

test('a filter is written into the address beside the others', () => {
  const params = new URLSearchParams('users-q=ada')
  const changed = withFilter(params, filterKeys('deposits'), { status: 'pending' })
  expect(changed.toString()).toBe('users-q=ada&deposits=pending')
})

test('an empty filter leaves no trace in the address', () => {
  const params = new URLSearchParams('deposits=pending&deposits-q=ada&users=admin')
  expect(withFilter(params, filterKeys('deposits'), { q: '', status: '' }).toString()).toBe('users=admin')
})

test('the only list of a page is filtered by plain names', () => {
  expect(withFilter(new URLSearchParams(), filterKeys(undefined), { q: 'rent' }).toString()).toBe('q=rent')
})
