import { afterEach, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { languageCodes } from '#shared/i18n/languages.ts'
import { readAmount, writeAmount } from './amount-text.ts'

afterEach(() => languageFrom(() => undefined))

test.each(languageCodes)('an amount of the address is read as it is written in %s', language => {
  languageFrom(() => language)
  for (const value of ['', '0.50', '12.50', '1000.00', '1234567.89'])
    expect(readAmount(writeAmount(value))).toBe(value)
})

test('an amount is typed as the language writes it', () => {
  expect(readAmount('1,000.5')).toBe('1000.50')
  languageFrom(() => 'de')
  expect(readAmount('1.000,5')).toBe('1000.50')
  expect(writeAmount('1000.50')).toBe('1.000,50')
})

test.each(['0', '-1', 'soon', '1.234'])('%s is no amount yet', text => {
  expect(readAmount(text)).toBeUndefined()
})
