import { expect, test } from 'vitest'
import {
  changedTranslations,
  newTranslations,
  translationErrors,
  translationFields,
} from './translations.tsx'

const untouched = Object.fromEntries(translationFields.map(field => [field, ''])) as Record<
  (typeof translationFields)[number],
  string
>
const german = { ...untouched, 'translations.de.replaces': 'former' }

test('a language that nobody opened stays as it is', () => {
  expect(changedTranslations(untouched)).toEqual({})
  expect(newTranslations(untouched)).toEqual({})
})

test('a shown translation whose fields were all emptied is removed', () => {
  expect(translationErrors(german, true)).toBe(undefined)
  expect(changedTranslations(german)).toEqual({ de: { text: null, changes: null, replaces: 'former' } })
})

test('a changed translation names what it replaces, a first one nothing', () => {
  const typed = { ...german, 'translations.de.text': ' Wir zahlen. ', 'translations.es.text': 'Pagamos.' }
  expect(changedTranslations(typed)).toEqual({
    de: { text: 'Wir zahlen.', changes: null, replaces: 'former' },
    es: { text: 'Pagamos.', changes: null, replaces: null },
  })
})

test('a text and its summary belong together; one alone is no translation', () => {
  const summary = { ...german, 'translations.de.changes': 'Schneller.' }
  expect(translationErrors(summary, true)?.fields).toHaveProperty(['translations.de.text'])
  const text = { ...german, 'translations.de.text': 'Wir zahlen.' }
  expect(translationErrors(text, true)?.fields).toHaveProperty(['translations.de.changes'])
  expect(translationErrors(text, false)).toBe(undefined)
})
