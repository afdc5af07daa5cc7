import { afterEach, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { waitingWords } from './words.ts'

afterEach(() => languageFrom(() => undefined))

test('what waits for a check is counted in one sentence', () => {
  expect(waitingWords({ withdrawals: 0, investments: 0 })).toBeNull()
  expect(waitingWords({ withdrawals: 1, investments: 0 })).toBe('1 withdrawal waits for this.')
  expect(waitingWords({ withdrawals: 0, investments: 2 })).toBe('2 investments wait for this.')
  expect(waitingWords({ withdrawals: 1, investments: 2 })).toBe(
    '1 withdrawal and 2 investments wait for this.',
  )
})

test('what waits for a check is counted in the plural forms of Arabic', () => {
  languageFrom(() => 'ar')
  expect(waitingWords({ withdrawals: 2, investments: 0 })).toBe('ينتظر هذا سحبان.')
  expect(waitingWords({ withdrawals: 3, investments: 11 })).toBe('ينتظر هذا 3 سحوبات و11 استثمارًا.')
})
