import { afterEach, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { typedRate } from './typed-rate.ts'

afterEach(() => languageFrom(() => undefined))

test.each([
  ['en', ' 97,123.45 ', '97123.45'],
  ['en', '50000', '50000'],
  ['de', '97.123,45', '97123.45'],
  ['es', '97123,45', '97123.45'],
  ['de', '97.123', '97123'],
  ['ar', '97,123.45', '97123.45'],
] as const)('a rate is read as its language writes it: %s %s', (language, typed, read) => {
  languageFrom(() => language)
  expect(typedRate(typed)).toBe(read)
})

test.each([
  ['en', '97123,45'],
  ['de', '97123.45'],
  ['de', '97.12'],
] as const)('a rate in another notation is sent as it is: %s %s', (language, typed) => {
  languageFrom(() => language)
  expect(typedRate(typed)).toBe(typed)
})
