import { afterEach, expect, test } from 'vitest'
import { localRate } from '#shared/i18n/amounts.ts'
import { languageFrom } from '#shared/i18n/language.ts'

afterEach(() => languageFrom(() => undefined))

test('rates keep their decimals in every language', () => {
  expect(localRate('97,123.45')).toBe('$97,123.45')
  expect(localRate('0.99981234')).toBe('$0.99981234')
  languageFrom(() => 'de')
  expect(localRate('97,123.45')).toBe('97.123,45\u00a0$')
  expect(localRate('0.99981234')).toBe('0,99981234\u00a0$')
})
