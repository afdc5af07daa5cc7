import { afterEach, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { rateUsd } from './crypto.tsx'

afterEach(() => languageFrom(() => undefined))

test('rates keep their decimals in every language', () => {
  expect(rateUsd('97,123.45')).toBe('$97,123.45')
  expect(rateUsd('0.99981234')).toBe('$0.99981234')
  languageFrom(() => 'de')
  expect(rateUsd('97,123.45')).toBe('97.123,45\u00a0$')
  expect(rateUsd('0.99981234')).toBe('0,99981234\u00a0$')
})
