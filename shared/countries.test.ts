import { getCountries } from 'libphonenumber-js'
import { afterEach, expect, test } from 'vitest'
import { countries, countryNames, localCountries, localCountry } from './countries.ts'
import { languageFrom } from './i18n/language.ts'
import { type Language, languageCodes } from './i18n/languages.ts'

afterEach(() => languageFrom(() => undefined))

test('[A-03] the list has each country that has telephone numbers, once and by name', () => {
  // Ascension and Tristan da Cunha belong to Saint Helena in ISO 3166-1.
  const dialled = getCountries().filter(code => code !== 'AC' && code !== 'TA')
  expect(Object.keys(countries)).toEqual(expect.arrayContaining(dialled))
  expect(Object.keys(countries)).toHaveLength(250)
  expect(new Set(countryNames).size).toBe(250)
  expect(countryNames).toEqual(countryNames.toSorted((one, other) => one.localeCompare(other, 'en')))
})

test.each(languageCodes)('countries have names in %s, in its order, and are sent by one name', language => {
  languageFrom(() => language)
  const known = localCountries()
  expect(known.map(({ name }) => name).toSorted()).toEqual(countryNames.toSorted())
  const words = known.map(country => country.words)
  expect(words).toEqual(words.toSorted(new Intl.Collator(language).compare))
  const germany: Record<Language, string> = {
    en: 'Germany',
    de: 'Deutschland',
    es: 'Alemania',
    ar: 'ألمانيا',
  }
  expect(known.find(({ name }) => name === 'Germany')?.words).toBe(germany[language])
  expect(localCountry('Germany')).toBe(germany[language])
  // An older account's, and a sanctions list's.
  for (const other of ['Atlantis', 'IRAQ']) expect(localCountry(other)).toBe(other)
})
