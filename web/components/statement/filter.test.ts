import { expect, test } from 'vitest'
import { withChanges } from '#web/search.ts'
import { filterOf } from './filter.ts'

const today = '2026-11-21'
const of = (search: string) => filterOf(new URLSearchParams(search), today)

test('shows the whole statement without parameters', () => {
  expect(of('')).toEqual({
    account: undefined,
    kind: undefined,
    days: { from: undefined, to: undefined },
    preset: '',
  })
})

test('account, kind and period are read from the address', () => {
  expect(of('account=held&kind=withdrawal&period=ytd')).toEqual({
    account: 'held',
    kind: 'withdrawal',
    days: { from: '2026-01-01', to: undefined },
    preset: 'ytd',
  })
})

test('custom days override a preset, even a single one', () => {
  expect(of('period=1m&from=2026-02-01&to=2026-02-28')).toMatchObject({
    days: { from: '2026-02-01', to: '2026-02-28' },
    preset: undefined,
  })
  expect(of('to=2026-02-28')).toMatchObject({
    days: { from: undefined, to: '2026-02-28' },
    preset: undefined,
  })
})

test('invalid values in the address are ignored', () => {
  expect(of('account=firm&kind=toString&period=10y&from=0202-01-01&to=2026-02-30')).toEqual(of(''))
})

test('a change keeps the rest of the address', () => {
  const changed = withChanges(new URLSearchParams('kind=deposit&x=1&period=1y'), {
    period: '',
    from: '2026-01-01',
  })
  expect(changed.toString()).toBe('kind=deposit&x=1&from=2026-01-01')
})
