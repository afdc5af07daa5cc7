import { expect, test } from 'vitest'
import { changesBetween } from './changes.ts'

test('[N-14] of two versions the fields that differ are shown, each with what it was and what it became', () => {
  const before = [
    ['Name', 'Basic'],
    ['Note', ''],
    ['Days', '30'],
  ] as const
  expect(changesBetween(before, before)).toEqual([])
  expect(
    changesBetween(before, [
      ['Name', 'Basic'],
      ['Note', 'New'],
      ['Days', ''],
    ]),
  ).toEqual([
    ['Note', '— → New'],
    ['Days', '30 → —'],
  ])
})
