import { getCountries } from 'libphonenumber-js'
import { expect, test } from 'vitest'
import { countries, countryNames } from './countries.ts'

test('[A-03] the list has each country that has telephone numbers, once and by name', () => {
  // Ascension and Tristan da Cunha belong to Saint Helena in ISO 3166-1.
  const dialled = getCountries().filter(code => code !== 'AC' && code !== 'TA')
  expect(Object.keys(countries)).toEqual(expect.arrayContaining(dialled))
  expect(Object.keys(countries)).toHaveLength(250)
  expect(new Set(countryNames).size).toBe(250)
  expect(countryNames).toEqual(countryNames.toSorted((one, other) => one.localeCompare(other, 'en')))
})
