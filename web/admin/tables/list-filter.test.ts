import { expect, test } from 'vitest'
import {
  filterIn,
  type ListSpec,
  noValues,
  queryOf,
  rangeErrors,
  searchOf,
  withFilter,
} from './list-filter.ts'

const spec: ListSpec = {
  statuses: [['pending', 'Pending']],
  fields: [
    { kind: 'period', label: 'Requested' },
    { kind: 'amount', label: 'Amount' },
    { kind: 'choice', part: 'method', label: 'Method', all: 'All', options: [['usdt', 'USDT']] },
  ],
  sorts: [{ key: 'amount', ascending: 'Smallest first', descending: 'Largest first' }],
}

test('a filter is added to the address without changing others', () => {
  const params = new URLSearchParams('users-q=ada')
  const changed = withFilter(params, 'deposits', { status: 'pending', sort: '-amount', amountFrom: '100' })
  expect(changed.toString()).toBe(
    'users-q=ada&deposits=pending&deposits-sort=-amount&deposits-amountFrom=100',
  )
})

test('an empty filter is removed from the address', () => {
  const params = new URLSearchParams('deposits=pending&deposits-q=ada&users=admin')
  expect(withFilter(params, 'deposits', { q: '', status: '' }).toString()).toBe('users=admin')
})

test('the only list of a page has plain parameter names', () => {
  expect(withFilter(new URLSearchParams(), undefined, { q: 'rent' }).toString()).toBe('q=rent')
})

test("a filter leads to the list's own page", () => {
  const params = new URLSearchParams('d=pending&d-q=ada lovelace&d-method=usdt&users-q=grace')
  expect(searchOf({ values: filterIn(params, spec, 'd') })).toBe('?q=ada+lovelace&status=pending&method=usdt')
  expect(searchOf({ values: noValues })).toBe('')
})

test('the address becomes the query, with a time zone for days', () => {
  const params = new URLSearchParams(
    'd=pending&d-q=ada&d-sort=amount&d-from=2026-01-31&d-amountTo=12.50&d-method=usdt&d-country=Peru',
  )
  expect(queryOf(filterIn(params, spec, 'd'))).toEqual({
    q: 'ada',
    status: 'pending',
    sort: 'amount',
    from: '2026-01-31',
    amountTo: '12.50',
    method: 'usdt',
    zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
})

test('invalid values in the address are ignored', () => {
  const params = new URLSearchParams(
    'd=lost&d-sort=name&d-from=2026-02-30&d-to=soon&d-amountFrom=-1&d-amountTo=0&d-method=cash',
  )
  expect(queryOf(filterIn(params, spec, 'd'))).toEqual({ q: '', status: '' })
})

test('a reversed range is reported and only its start is used', () => {
  const params = new URLSearchParams('d-from=2026-02-02&d-to=2026-02-01&d-amountFrom=100&d-amountTo=20')
  const values = filterIn(params, spec, 'd')
  expect(rangeErrors(values)).toHaveLength(2)
  expect(queryOf(values)).toMatchObject({ from: '2026-02-02', amountFrom: '100' })
  expect(queryOf(values)).not.toHaveProperty('to')
  expect(queryOf(values)).not.toHaveProperty('amountTo')
})
