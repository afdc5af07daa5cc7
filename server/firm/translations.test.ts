import { beforeEach, expect, test } from 'vitest'
import { sampleFirm } from '#server/demo/firm.ts'
import { sampleTexts } from '#server/demo/firm-texts.ts'
import * as call from '#shared/contract/firm.ts'
import type { FirmTexts, TranslatedTexts } from '#shared/contract/firm-texts.ts'
import type { FirmInLanguage, FirmProfile } from '#shared/contract/site.ts'
import { firmIn } from '#shared/firm-in-language.ts'
import { openWorld, type World } from '#test/support/world.ts'

/** A firm that has translated nothing yet. */
const firm = { ...sampleFirm, translations: {} }

let world: World
beforeEach(async () => {
  world = await openWorld({ firm })
})

const siteIn = async (language: string): Promise<FirmInLanguage> => {
  const { payload } = await world.app.inject({ url: '/api/site', headers: { 'accept-language': language } })
  return JSON.parse(payload).data.firm
}
const latest = async () => {
  const [version] = (await world.call(call.listFirmVersions, world.admin)).data
  return { ...version!, profile: version!.profile! }
}
const translate = async (texts: TranslatedTexts, version?: number) =>
  world.call(call.translateFirm, world.admin, {
    body: { language: 'de', texts, version: version ?? (await latest()).version, reason: 'In German' },
  })
const change = async (texts: Partial<FirmTexts>, profile: Partial<FirmProfile> = {}) => {
  const { profile: before, version } = await latest()
  const body = { ...before, ...profile, texts: { ...before.texts, ...texts }, version, reason: 'New words' }
  expect(await world.call(call.updateFirm, world.admin, { body })).toMatchObject({ status: 200 })
}
const german = async () => (await latest()).profile.translations.de!

const values = sampleTexts.values.map(({ title }, place) => ({ title: `Wert ${place + 1}`, text: title }))

test('[N-14] serves a translated text in its language and everything else in English', async () => {
  expect(await siteIn('de')).toEqual(firmIn(firm, 'de'))
  const texts = { heading: 'Prüfbare Bücher', values, riskStatement: 'Alles kann verloren gehen.' }
  expect(await translate(texts)).toMatchObject({ status: 200, message: 'Translation saved' })
  const shown = await siteIn('de-CH, en;q=0.5')
  expect(shown.texts).toEqual({ ...sampleTexts, heading: 'Prüfbare Bücher', values })
  expect(shown.riskStatement).toBe('Alles kann verloren gehen.')
  expect(shown.untranslated).toContain('introduction')
  expect(shown.untranslated).not.toContain('heading')
  expect(await siteIn('en')).toEqual(firmIn(firm, 'en'))
  expect(await siteIn('es')).toEqual(firmIn(firm, 'es'))
})

test('[N-14] null shows the original again, and texts that are left out stay', async () => {
  await translate({ heading: 'Prüfbare Bücher', footerLine: 'Geprüft' })
  await translate({ heading: null })
  const { texts } = await siteIn('de')
  expect([texts.heading, texts.footerLine]).toEqual([sampleTexts.heading, 'Geprüft'])
})

test('[N-12, N-14] a translation is a new version, audited with before and after', async () => {
  await translate({ heading: 'Prüfbare Bücher' })
  await translate({ heading: 'Offene Bücher', story: null, footerLine: 'Geprüft' })
  expect(await latest()).toMatchObject({ version: 3, changedBy: 'Ada Admin', reason: 'In German' })
  const { rows } = await world.owner(
    "SELECT * FROM app.audit_log WHERE action = 'firm.translated' ORDER BY id DESC LIMIT 1",
  )
  expect(rows).toMatchObject([
    {
      actor_id: world.admin.id,
      reason: 'In German',
      details: {
        version: 3,
        language: 'de',
        before: { heading: 'Prüfbare Bücher', story: null, footerLine: null },
        after: { heading: 'Offene Bücher', story: null, footerLine: 'Geprüft' },
      },
    },
  ])
})

const sectors = sampleTexts.sectors.map(({ drawing: _, ...sector }) => sector)

test.each<[string, TranslatedTexts, string, string]>([
  [
    'a list of another length',
    { values: values.slice(1) },
    'texts.values',
    'Values must have as many entries as the original, which has 4, not 3',
  ],
  [
    'an empty list',
    { questions: [] },
    'texts.questions',
    'Questions must have as many entries as the original',
  ],
  [
    'a part of a sector that is left out',
    { sectors: sectors.with(1, { ...sectors[1]!, avoid: [] }) },
    'texts.sectors.1.avoid',
    'The original has a text here. Please translate it too',
  ],
  [
    'a heading that is too long',
    { heading: 'H'.repeat(81) },
    'texts.heading',
    'Home page heading can have at most',
  ],
  ['an empty text', { story: ' ' }, 'texts.story', 'Story is required'],
  [
    'an entry without a text',
    { values: values.with(2, { title: 'Wert', text: '' }) },
    'texts.values.2.text',
    'Text is required',
  ],
])('[N-14, D2] refuses %s, naming the field', async (_what, texts, field, message) => {
  const before = await latest()
  const { status, code, fields } = await translate(texts)
  expect([status, code]).toEqual([400, 'invalid_input'])
  expect(fields?.[field]).toContain(message)
  expect(await latest()).toEqual(before)
})

test('[N-14] refuses a translation of an empty text, of an older version and of nothing new', async () => {
  await change({ heading: null })
  expect((await translate({ heading: 'Prüfbare Bücher' })).fields).toHaveProperty(['texts.heading'])
  expect(await translate({ footerLine: 'Geprüft' }, 1)).toMatchObject({ code: 'wrong_state' })
  await translate({ footerLine: 'Geprüft' })
  expect(await translate({ footerLine: 'Geprüft', story: null })).toMatchObject({
    status: 400,
    message: 'Nothing has been changed',
  })
})

test('[N-14] says which originals have changed since, until someone has checked them', async () => {
  await translate({ heading: 'Prüfbare Bücher', footerLine: 'Geprüft', riskStatement: 'Vorsicht' })
  await change({ heading: 'Open books', introduction: 'We invest.' }, { riskStatement: 'All can be lost.' })
  expect((await german()).outdated.toSorted()).toEqual(['heading', 'riskStatement'])
  const shown = await siteIn('de')
  expect(shown.texts.heading).toBe('Prüfbare Bücher')
  expect(shown.riskStatement).toBe('All can be lost.')
  expect(shown.untranslated).toContain('riskStatement')
  await translate({ heading: 'Prüfbare Bücher', riskStatement: 'Alles kann verloren gehen.' })
  expect((await german()).outdated).toEqual([])
})

test('[N-12, N-14] the log says which translations a change has dropped or outdated', async () => {
  const changes = async () => {
    const { rows } = await world.owner(
      "SELECT details -> 'translations' AS changes FROM app.audit_log WHERE action = 'firm.updated' ORDER BY id DESC LIMIT 1",
    )
    return rows[0].changes
  }
  await translate({ heading: 'Prüfbare Bücher', footerLine: 'Geprüft', story: 'Wie alles begann.' })
  await change({ heading: null, footerLine: 'Checked', description: 'We invest.' })
  expect(await changes()).toEqual({ de: { dropped: ['heading'], outdated: ['footerLine'] } })
  await change({ footerLine: 'Checked again', story: 'How it began.' })
  expect(await changes()).toEqual({ de: { dropped: [], outdated: ['story'] } })
  await change({ description: 'We invest elsewhere.' })
  expect(await changes()).toEqual({})
})

test('[N-14] the translation of a removed text goes with it', async () => {
  await translate({ heading: 'Prüfbare Bücher', footerLine: 'Geprüft' })
  await change({ heading: null })
  await change({ heading: sampleTexts.heading })
  expect(await german()).toEqual({ texts: { footerLine: 'Geprüft' }, outdated: [] })
})

test('[N-14] a translated list follows moved and removed entries, but no added one', async () => {
  await translate({ values })
  const moved = [sampleTexts.values[2]!, sampleTexts.values[0]!]
  await change({ values: moved })
  expect(await german()).toEqual({ texts: { values: [values[2], values[0]] }, outdated: [] })
  await change({ values: [...moved, { title: 'Patience', text: 'We wait.' }] })
  expect((await german()).outdated).toEqual(['values'])
  const shown = await siteIn('de')
  expect([shown.texts.values[2]?.title, shown.untranslated.includes('values')]).toEqual(['Patience', true])
})

test('[N-14] another drawing leaves the translation of the sectors as it is', async () => {
  await translate({ sectors })
  await change({ sectors: sampleTexts.sectors.map(sector => ({ ...sector, drawing: null })) })
  expect((await german()).outdated).toEqual([])
  expect((await siteIn('de')).texts.sectors.map(({ drawing }) => drawing)).toEqual([null, null, null])
})

test('a profile that was stored before there were translations has none', async () => {
  await world.owner("UPDATE app.firm_profiles SET profile = profile - 'translations'")
  expect((await latest()).profile).toEqual(firm)
  expect(await siteIn('ar')).toEqual(firmIn(firm, 'ar'))
})
