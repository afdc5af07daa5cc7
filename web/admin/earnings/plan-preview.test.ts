import { expect, test } from 'vitest'
import { planPreviewMinutes } from '#shared/limits.ts'
import { type Preview, steadyPreview } from './plan-preview.ts'

const began = Date.parse('2026-11-21T10:00:00.000Z')

/** A preview read so many minutes after the first. */
function readAfter(minutes: number, digest = 'a'.repeat(64)): Preview {
  return {
    plan: 'Beginner',
    asOf: new Date(began + minutes * 60_000).toISOString(),
    count: 12,
    total: 24,
    left: 100 - minutes,
    digest,
    ownLeftOut: 0,
    frozenLeftOut: 0,
    latestBegan: null,
    needsApproval: false,
  }
}

test('[N-09] an unchanged preview keeps its time, but takes new figures', () => {
  expect(steadyPreview(readAfter(0), readAfter(5))).toEqual({ ...readAfter(5), asOf: readAfter(0).asOf })
})

test('[N-09] a changed preview has its own time', () => {
  const other = readAfter(5, 'b'.repeat(64))
  expect(steadyPreview(readAfter(0), other)).toBe(other)
  expect(steadyPreview(undefined, other)).toBe(other)
})

test('[N-09] after half its validity a preview takes the new time', () => {
  const half = planPreviewMinutes / 2
  expect(steadyPreview(readAfter(0), readAfter(half - 1)).asOf).toBe(readAfter(0).asOf)
  expect(steadyPreview(readAfter(0), readAfter(half)).asOf).toBe(readAfter(half).asOf)
})
