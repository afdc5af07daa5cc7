import { expect, test } from 'vitest'
import { type Site, shownUntil } from './frame.ts'

const figure = (kind: Site['statistics'][number]['kind'], asOf: string) => {
  return { label: 'Figure', value: '1', kind, source: 'Somewhere', link: null, asOf }
}

test('[P-04] a measured figure is shown for a minute, the oldest decides; claims and samples stay', () => {
  const statistics = [
    figure('ledger', '2026-03-01T10:00:20.500Z'),
    figure('claim', '2025-06-30T00:00:00.000Z'),
    figure('ledger', '2026-03-01T10:00:20.400Z'),
  ]
  expect(shownUntil({ statistics })).toEqual(new Date('2026-03-01T10:01:20.400Z'))
  expect(shownUntil({ statistics: [figure('sample', '2026-03-01T00:00:00.000Z')] })).toBeUndefined()
  expect(shownUntil({ statistics: [] })).toBeUndefined()
})
