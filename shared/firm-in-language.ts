import type { FirmTexts, FirmTranslation } from './contract/firm-texts.ts'
import type { FirmInLanguage, FirmProfile, ReplacedInFirm } from './contract/site.ts'
import { type FirmText, firmTextNames, type LegalSentence, legalSentences } from './firm-texts.ts'
import { type Language, sourceLanguage, translatedLanguages } from './i18n/languages.ts'

/** The profile without its translations: in the firm's own language. */
export type FirmOriginal = Omit<FirmProfile, 'translations'>

type Text = FirmTexts[keyof FirmTexts]

export function originalOf(firm: FirmOriginal, name: FirmText): Text {
  return isLegal(name) ? firm[name] : firm.texts[name]
}

function isLegal(name: FirmText): name is LegalSentence {
  return Object.hasOwn(legalSentences, name)
}

/** Empty texts are not shown, so there is nothing to translate. */
export function isEmpty(text: string | readonly unknown[] | null | undefined): boolean {
  return text === null || text === undefined || text.length === 0
}

/** The profile in a language; each text without a translation is in the firm's own language. */
export function firmIn({ translations, ...original }: FirmProfile, language: Language): FirmInLanguage {
  if (language === sourceLanguage) return { ...original, untranslated: [] }
  const translated = translatedIn(original, translations[language] ?? { texts: {}, outdated: [] })
  const untranslated = firmTextNames.filter(
    name => !(name in translated) && !isEmpty(originalOf(original, name)),
  )
  const { unregulatedStatement, jurisdictions, riskStatement, ...texts } = translated
  return {
    ...original,
    unregulatedStatement: unregulatedStatement ?? original.unregulatedStatement,
    jurisdictions: jurisdictions ?? original.jurisdictions,
    riskStatement: riskStatement ?? original.riskStatement,
    texts: { ...original.texts, ...texts },
    untranslated,
  }
}

type Translated = Partial<
  FirmTexts & Pick<FirmOriginal, 'unregulatedStatement' | 'jurisdictions' | 'riskStatement'>
>

/**
 * The translations that can be shown: those of a present text, and of a list those with as many entries. A legal sentence that has changed
 * since is shown in the original, so that nobody reads a former risk or standing.
 */
function translatedIn(original: FirmOriginal, { texts: given, outdated }: FirmTranslation): Translated {
  const { sectors, ...texts } = given
  const drawn = sectors?.map((sector, place) => ({
    ...sector,
    drawing: original.texts.sectors[place]?.drawing ?? null,
  }))
  const all = { ...texts, sectors: drawn }
  const shown = firmTextNames.filter(name => {
    const source = originalOf(original, name)
    const text = all[name]
    if (isEmpty(source) || isEmpty(text) || (isLegal(name) && outdated.includes(name))) return false
    return !Array.isArray(source) || source.length === text?.length
  })
  return Object.fromEntries(shown.map(name => [name, all[name]]))
}

/** The profile before a version, of which it is known what it replaced. */
function firmBefore(firm: FirmProfile, { texts, translations, ...fields }: ReplacedInFirm): FirmProfile {
  const languages = translatedLanguages.flatMap(language => {
    const replaced = translations[language]
    if (replaced === undefined) return []
    const entries = Object.entries({ ...firm.translations[language]?.texts, ...replaced.texts })
    const left = Object.fromEntries(entries.filter(([, text]) => text !== null))
    return [[language, { texts: left, outdated: replaced.outdated }]]
  })
  return {
    ...firm,
    ...fields,
    texts: { ...firm.texts, ...texts },
    translations: { ...firm.translations, ...Object.fromEntries(languages) },
  }
}

/** Versions with their whole profiles, newest first, from the one in force on. */
export function wholeVersions<V extends { profile: FirmProfile | null; replaced: ReplacedInFirm | null }>(
  versions: readonly V[],
): (V & { profile: FirmProfile })[] {
  let after: FirmProfile | undefined
  let replaced: ReplacedInFirm | null = null
  return versions.flatMap(version => {
    const profile: FirmProfile | null = after && replaced ? firmBefore(after, replaced) : version.profile
    if (profile === null) return []
    after = profile
    replaced = version.replaced
    return [{ ...version, profile }]
  })
}
