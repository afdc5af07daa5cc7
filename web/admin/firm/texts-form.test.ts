import { afterEach, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { languageName } from '#web/admin/language-name.ts'
import { shownTexts } from './texts-form.ts'

afterEach(() => languageFrom(() => undefined))

test('shows the texts of a draft alone, and every place of its lists', () => {
  const shown = shownTexts({ heading: ' Patience ', riskStatement: '' })
  expect(shown.filter(([, value]) => value !== '')).toEqual([['Home page heading', 'Patience']])
  expect(shown.map(([name]) => name)).toContain('Risk statement')
  expect(shown.map(([name]) => name)).not.toContain('Jurisdictions served')
  const questions = [{ title: 'Why?', text: 'Because.' }]
  expect(shownTexts({ questions }, ['questions'])).toHaveLength(24)
  expect(shownTexts({ questions }, ['questions'])[0]).toEqual(['Question 1', 'Why? · Because.'])
})

test('a language is named in that of the reader', () => {
  languageFrom(() => 'es')
  expect(['de', 'ar'].map(code => languageName(code as 'de' | 'ar'))).toEqual(['alemán', 'árabe'])
})
