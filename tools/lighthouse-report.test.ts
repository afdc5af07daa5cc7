import { expect, test } from 'vitest'
import { defectsOf, type PageReport, reportText } from './lighthouse-report.ts'

const good: PageReport = {
  path: '/about',
  isPublic: true,
  scores: { performance: 100, accessibility: 100, 'best-practices': 100, seo: 100 },
  bytes: 66_400,
  scriptBytes: 0,
  cls: 0,
  lcp: 1234,
  lost: { performance: ['speed-index 1.2 s'] },
}
const account: PageReport = { ...good, path: '/login', isPublic: false, bytes: 180_000, scriptBytes: 115_000 }

test('a page with full scores and little weight is as it must be', () => {
  expect(defectsOf(good)).toEqual([])
  expect(defectsOf({ ...good, scores: { performance: 100, accessibility: 100 } })).toEqual([])
})

test.each<[string, Partial<PageReport>]>([
  ['performance 99 (speed-index 1.2 s)', { scores: { ...good.scores, performance: 99 } }],
  ['seo 92 ()', { scores: { ...good.scores, seo: 92 } }],
  ['120.1 kB in all', { bytes: 120_100 }],
  ['1 bytes of script', { scriptBytes: 1 }],
  ['a layout shift of 0.001', { cls: 0.001 }],
])('%s is a defect of a public page', (defect, change) => {
  expect(defectsOf({ ...good, ...change })).toEqual([defect])
})

test('pages of the account area come with their script, and must not move either', () => {
  expect(defectsOf(account)).toEqual([])
  expect(defectsOf({ ...account, cls: 0.2 })).toEqual(['a layout shift of 0.2'])
})

test('the table lists every page, then the defects', () => {
  const low = { ...account, scores: { performance: 98 } }
  const lines = reportText([good, low]).split('\n')
  expect(lines[1]).toMatch(/^\/about +100 +100 +100 +100 +66\.4 +0\.0 +0 +1\.2$/)
  expect(lines[2]).toMatch(/^\/login +98 +– +– +– +180\.0 +115\.0 +0 +1\.2$/)
  expect(lines.at(-1)).toBe('/login: performance 98 (speed-index 1.2 s)')
  expect(reportText([good])).toContain('Every page is as it must be')
})
