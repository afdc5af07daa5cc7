import { afterEach, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { rateError, typedRate } from './typed-decimal.ts'

afterEach(() => languageFrom(() => undefined))

test.each([
  ['en', ' 97,123.45 ', '97123.45'],
  ['en', '50000', '50000'],
  ['en', '0.999', '0.999'],
  ['de', '97.123,45', '97123.45'],
  ['es', '97123,45', '97123.45'],
  ['de', '0,999', '0.999'],
  ['de', '0.999', '0.999'],
  ['ar', '97,123.45', '97123.45'],
] as const)('a rate is read as its language writes it: %s %s', (language, typed, read) => {
  languageFrom(() => language)
  expect(typedRate(typed)).toBe(read)
  expect(rateError(typed)).toBeUndefined()
})

test.each([
  ['en', '97123,45', 'Enter the rate in dollars for one coin, such as 96,500.25'],
  ['en', '0,999', 'Enter the rate in dollars for one coin, such as 96,500.25'],
  ['en', '0', 'Enter the rate in dollars for one coin, such as 96,500.25'],
  ['de', '1.001', '1.001 kann zwei Zahlen bedeuten. Geben Sie 1,0010 oder 1001 ein.'],
  ['es', '97.123', '97.123 puede significar dos números. Introduzca 97,1230 o 97123.'],
] as const)('a rate that is not clear is refused: %s %s', (language, typed, words) => {
  languageFrom(() => language)
  expect(typedRate(typed)).toBeUndefined()
  expect(rateError(typed)?.fields.rate).toBe(words)
})
