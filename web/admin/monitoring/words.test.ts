import { afterEach, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { ruleWords } from '#shared/monitoring.ts'
import { movedWords } from './words.ts'

afterEach(() => languageFrom(() => undefined))

test('the movements of a case are counted', () => {
  expect(movedWords({ kind: 'deposit', movements: 1 })).toBe('1 deposit')
  expect(movedWords({ kind: 'withdrawal', movements: 1200 })).toBe('1,200 withdrawals')
})

test('a rule says what it looks for with its amounts, in each language', () => {
  expect(ruleWords('structuring', 1_000_000n)).toMatch(
    /^\d+ or more deposits, or withdrawals, in \d+ days, each from \$8,000 to just under \$10,000\.$/,
  )
  languageFrom(() => 'de')
  expect(ruleWords('turnover', 1_000_050n)).toMatch(/von 10\.000,50\s\$ oder mehr in \d+ Tagen\.$/)
})
