import { afterEach, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { countOf, kindsOf, resultWords, verbs } from './words.ts'

afterEach(() => languageFrom(() => undefined))

test('[N-13] a result names only what there was', () => {
  const none = { first: 0, refused: 0, unclear: 0, unsent: 0 }
  const done = verbs.Approve.done(countOf(2, 'deposits'))
  expect(resultWords({ done, ...none })).toBe('2 deposits approved')
  expect(resultWords({ done, ...none, refused: 1 })).toBe('2 deposits approved, 1 refused')
  expect(resultWords({ done, first: 1, refused: 2, unclear: 3, unsent: 4 })).toBe(
    '2 deposits approved, 1 waiting for a second approval, 2 refused, 3 without an answer, 4 not sent',
  )
})

test('[N-13] what can be selected is named once', () => {
  expect(kindsOf(['pending', 'pending', 'creditable'])).toBe('pending and creditable')
})

test('an action is a whole sentence in another language', () => {
  languageFrom(() => 'de')
  expect(verbs['Mark paid'].of(countOf(1, 'withdrawals'))).toBe('1 Auszahlung als gezahlt markieren')
  expect(kindsOf(['pending', 'matured'])).toBe('ausstehenden und fälligen')
})
