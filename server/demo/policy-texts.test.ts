import { micromark } from 'micromark'
import { expect, test } from 'vitest'
import { policyKinds } from '#shared/policies.ts'
import { arabicPolicies } from './policy-texts.ar.ts'
import { germanPolicies } from './policy-texts.de.ts'
import { spanishPolicies } from './policy-texts.es.ts'
import { samplePolicies } from './policy-texts.ts'

const translations = { de: germanPolicies, es: spanishPolicies, ar: arabicPolicies }
const cases = Object.entries(translations).flatMap(([language, policies]) =>
  policyKinds.map(kind => ({ language, kind, text: policies[kind], original: samplePolicies[kind] })),
)

/** Every element in order, and where links lead: headings, paragraphs, lists and their items. */
const structureOf = (text: string) => [...micromark(text).matchAll(/<\w+[^>]*>/g)].map(([element]) => element)

const numbersIn = (text: string) => text.match(/\p{Nd}+/gu)

test.each(cases)('$kind has the structure of the English text in $language', ({ text, original }) => {
  expect(structureOf(original)).not.toEqual([])
  expect(structureOf(text)).toEqual(structureOf(original))
})

test.each(cases)('$kind has the numbers of the English text in $language', ({ text, original }) => {
  expect(numbersIn(text)).toEqual(numbersIn(original))
})

test.each(policyKinds)('%s in Arabic has no Latin words but the name and the address', kind => {
  const text = arabicPolicies[kind]
    .replace('Probity Capital Partners', '')
    .replace('1 Sample Street, Sydney NSW 2000', '')
  expect(text.match(/\p{Script=Latin}+/gu)).toBeNull()
})
