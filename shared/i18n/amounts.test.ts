import { describe, expect, test } from 'vitest'
import { inLanguage } from '#server/platform/language.ts'
import { parseTypedUsd, typedUsd } from './amounts.ts'
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
