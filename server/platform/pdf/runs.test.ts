import { expect, test } from 'vitest'
import { inOrder } from './runs.ts'

/** From the left, as on paper; what a font orders itself is as it is read. */
const shown = (text: string) => inOrder(text).map(run => run.text)

test('a right-to-left line begins at the right, and its Latin words stay in order', () => {
  expect(shown('إيداعك DEP-2026-000001 نشط')).toEqual(['نشط', ' ', 'DEP-2026-000001', ' ', 'إيداعك'])
})

test('brackets of a right-to-left line are mirrored', () => {
  expect(shown('يسري (UTC).')).toEqual(['.(', 'UTC', ') ', 'يسري'])
})

test('marks of direction have no shape', () => {
  expect(shown('\u200fالمبلغ \u200e$5.00')).toEqual(['$5.00', ' ', 'المبلغ'])
})
