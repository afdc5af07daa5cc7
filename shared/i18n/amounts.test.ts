import { describe, expect, test } from 'vitest'
import { inLanguage } from '#server/platform/language.ts'
import { parseDecimal } from '#shared/money.ts'
import { parseTypedDecimal, parseTypedUsd, twoMeanings, typedCoins, typedUsd } from './amounts.ts'
import type { Language } from './languages.ts'

const read = (language: Language, text: string) => inLanguage(language, () => parseTypedUsd(text))

describe('an amount in a field', () => {
  test.each(['en', 'de', 'es', 'ar'] as const)('is read in %s as it is shown', language => {
    for (const cents of [1n, 100n, 100_050n, 1_234_567n, 999_999_999_999n]) {
      const shown = inLanguage(language, () => typedUsd(cents))
      expect(read(language, shown)).toBe(cents)
    }
  })

  test.each([
    ['de', '1.000,50', 100_050n],
    ['de', '1000,5', 100_050n],
    ['de', '1.000,50 $', 100_050n],
    ['de', '1.000', 100_000n],
    ['es', '1000,50', 100_050n],
    ['es', '1.000,50\u00a0US$', 100_050n],
    ['ar', '1,000.50', 100_050n],
    ['ar', '١٬٠٠٠٫٥٠', 100_050n],
    ['ar', '٥٠٠', 50_000n],
    ['en', '$1,000.5', 100_050n],
  ] as const)('of %s may be %s', (language, text, cents) => {
    expect(read(language, text)).toBe(cents)
  })

  test.each([
    ['de', '1,000.50'],
    ['de', '1,000'],
    ['de', '0.500'],
    ['de', '0,500'],
    ['es', '0.500'],
    ['en', '0,500'],
    ['ar', '0,500'],
    ['de', '1000.50'],
    ['es', '1,000.50'],
    ['es', '1,000'],
    ['ar', '1.000,50'],
    ['en', '1.000,50'],
    ['en', '1 000.50'],
    ['de', '1 000,50'],
  ] as const)('of %s is not %s, which another language writes', (language, text) => {
    expect(read(language, text)).toBeUndefined()
  })
})

describe('a coin amount or a rate in a field', () => {
  const units = (language: Language, text: string) => inLanguage(language, () => parseTypedDecimal(text, 8))

  test.each([
    ['en', '1,234.5', 123_450_000_000n],
    ['en', '0.500', 50_000_000n],
    ['en', '1.234', 123_400_000n],
    ['en', '1,234', 123_400_000_000n],
    ['ar', '٠٫٠١٢٥', 1_250_000n],
    ['de', '0,0125', 1_250_000n],
    ['de', '0.0125', 1_250_000n],
    ['de', '0,500', 50_000_000n],
    ['de', '0.125', 12_500_000n],
    ['de', '1,2340', 123_400_000n],
    ['de', '1.2340', 123_400_000n],
    ['es', '97.123,45', 9_712_345_000_000n],
    ['es', '97,123.45', 9_712_345_000_000n],
    ['es', '1234,567', 123_456_700_000n],
    ['de', '1.000.000', 100_000_000_000_000n],
  ] as const)('of %s may be %s', (language, text, read) => {
    expect(units(language, text)).toBe(read)
  })

  test.each([
    ['en', '0,500'],
    ['en', '0,0125'],
    ['ar', '0,500'],
    ['de', '0.500.000'],
    ['de', '1.000,5.0'],
    ['de', '1.00.000'],
    ['de', ''],
  ] as const)('of %s is not %s', (language, text) => {
    expect(units(language, text)).toBeUndefined()
  })

  test.each([
    ['de', '1.000', '1.000 kann zwei Zahlen bedeuten. Geben Sie 1 oder 1000 ein.'],
    ['de', '1,000', '1,000 kann zwei Zahlen bedeuten. Geben Sie 1 oder 1000 ein.'],
    ['es', '1.234', '1.234 puede significar dos números. Introduzca 1,2340 o 1234.'],
  ] as const)('of %s that is %s has two meanings, and is refused', (language, text, words) => {
    expect(units(language, text)).toBeUndefined()
    expect(inLanguage(language, () => twoMeanings(text))).toBe(words)
  })

  test.each(['en', 'de', 'es', 'ar'] as const)('is read in %s as the field is filled', language => {
    for (const amount of ['0.0125', '0.125', '1.234', '100', '1234.567', '12.3456'])
      expect(
        units(
          language,
          inLanguage(language, () => typedCoins(amount)),
        ),
      ).toBe(parseDecimal(amount, 8))
  })
})
