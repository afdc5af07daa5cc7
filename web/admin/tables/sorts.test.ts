import { afterEach, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { captionOf } from './sort-header.tsx'
import { byAmount } from './sorts.ts'

afterEach(() => languageFrom(() => undefined))

const sorts = [byAmount('amount', 'Amount')]

test('a caption says in which order the list is', () => {
  expect(captionOf('Deposits', '', sorts)).toBe('Deposits, newest first')
  expect(captionOf('Deposits', '-amount', sorts)).toBe('Deposits, Amount, largest first')
})

test('a sort says what it sorts by in the language of the page', () => {
  languageFrom(() => 'de')
  expect(byAmount('amount', 'Pending').ascending).toBe('Pending, kleinste zuerst')
})
