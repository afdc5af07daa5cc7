import { expect, test } from 'vitest'
import { type Site, shownUntil } from './frame.ts'

const policies: Site['policies'] = []

const figure = (kind: Site['statistics'][number]['kind'], asOf: string) => {
  return { label: 'Figure', value: '1', kind, source: 'Somewhere', link: null, asOf }
}

test('[P-04] a measured figure expires the page after a minute', () => {
  const statistics = [
    figure('ledger', '2026-03-01T10:00:20.500Z'),
    figure('claim', '2025-06-30T00:00:00.000Z'),
    figure('ledger', '2026-03-01T10:00:20.400Z'),
  ]
  const until = [new Date('2026-03-01T10:01:20.500Z'), new Date('2026-03-01T10:01:20.400Z')]
  expect(shownUntil({ statistics, policies })).toEqual(until)
  const samples = [figure('sample', '2026-03-01T00:00:00.000Z')]
  expect(shownUntil({ statistics: samples, policies })).toEqual([])
})

test('the next version of a policy expires the page on its day', () => {
  const terms = {
    kind: 'terms' as const,
    version: 1,
    from: '2026-01-01',
    nextFrom: '2026-04-01',
    translations: {},
  }
  const next = { statistics: [], policies: [terms, { ...terms, nextFrom: null }] }
  expect(shownUntil(next)).toEqual([new Date('2026-04-01T00:00:00.000Z')])
})
