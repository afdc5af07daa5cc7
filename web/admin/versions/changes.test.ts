import { afterEach, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { changesBetween } from './changes.ts'

afterEach(() => languageFrom(() => undefined))

test('[N-14] comparing versions shows each changed field before and after', () => {
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

test('[N-14] a change in Arabic needs no arrow, and isolates values of another direction', () => {
  languageFrom(() => 'ar')
  expect(changesBetween([['Name', 'Basic']], [['Name', 'Plus']])).toEqual([
    ['Name', 'من \u2068Basic\u2069 إلى \u2068Plus\u2069'],
  ])
})
