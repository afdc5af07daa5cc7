import { expect, test } from 'vitest'
import { sampleFirm } from '#server/demo/firm.ts'
import { sampleTexts } from '#server/demo/firm-texts.ts'
import type { TranslatedTexts } from './contract/firm-texts.ts'
import type { FirmProfile } from './contract/site.ts'
import { firmIn } from './firm-in-language.ts'
import { firmTextNames } from './firm-texts.ts'

const withGerman = (texts: TranslatedTexts, changes: Partial<FirmProfile> = {}): FirmProfile => ({
  ...sampleFirm,
  translations: { de: { texts, outdated: [] } },
  ...changes,
})

test('without a translation every text is the original, and is named as such', () => {
  const { translations: _, ...original } = sampleFirm
  const firm = { ...original, translations: {} }
  expect(firmIn(firm, 'en')).toEqual({ ...original, untranslated: [] })
  expect(firmIn(firm, 'ar')).toEqual({ ...original, untranslated: firmTextNames })
})

test('each text is translated separately', () => {
  const german = firmIn(withGerman({ heading: 'Guten Tag', riskStatement: 'Vorsicht' }), 'de')
  expect(german.texts).toEqual({ ...sampleTexts, heading: 'Guten Tag' })
  expect(german.riskStatement).toBe('Vorsicht')
  expect(german.jurisdictions).toBe(sampleFirm.jurisdictions)
  expect(german.untranslated).toEqual(
    firmTextNames.filter(name => name !== 'heading' && name !== 'riskStatement'),
  )
  expect(firmIn(withGerman({ heading: 'Guten Tag' }), 'es').texts.heading).toBe(sampleTexts.heading)
})

test('an empty original stays empty, and nothing of it is untranslated', () => {
  const texts = { ...sampleTexts, heading: null, values: [] }
  const german = firmIn(
    withGerman(
      { heading: 'Guten Tag', values: [{ title: 'Mut', text: 'Wir wagen.' }], unregulatedStatement: 'Keine' },
      { texts, unregulatedStatement: null },
    ),
    'de',
  )
  expect([german.texts.heading, german.texts.values, german.unregulatedStatement]).toEqual([null, [], null])
  for (const name of ['heading', 'values', 'unregulatedStatement'] as const)
    expect(german.untranslated).not.toContain(name)
})

test('a list is translated as a whole, and its sectors keep their drawings', () => {
  const sectors = sampleTexts.sectors.map(({ drawing: _, ...sector }, place) => ({
    ...sector,
    title: `Branche ${place + 1}`,
  }))
  const german = firmIn(withGerman({ sectors, values: [{ title: 'Mut', text: 'Wir wagen.' }] }), 'de')
  expect(german.texts.sectors.map(({ title, drawing }) => [title, drawing])).toEqual([
    ['Branche 1', 'technology'],
    ['Branche 2', 'property'],
    ['Branche 3', 'retirement'],
  ])
  expect(german.texts.values).toEqual(sampleTexts.values)
  expect(german.untranslated).toContain('values')
  expect(german.untranslated).not.toContain('sectors')
})

test.each(['de', 'es', 'ar'] as const)("the sample's firm has every text in %s", language => {
  const firm = firmIn(sampleFirm, language)
  expect(firm.untranslated).toEqual([])
  expect(firm.texts.sectors.map(({ drawing }) => drawing)).toEqual(
    sampleTexts.sectors.map(({ drawing }) => drawing),
  )
})
