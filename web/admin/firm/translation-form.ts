import type { TranslatedTexts } from '#shared/contract/firm-texts.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { firmIn, isEmpty, originalOf } from '#shared/firm-in-language.ts'
import {
  type FirmList,
  type FirmText,
  firmLists,
  firmTextNames,
  type LegalSentence,
  legalSentences,
} from '#shared/firm-texts.ts'
import { type TranslatedLanguage, translatedLanguages } from '#shared/i18n/languages.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { languageName } from '#web/admin/language-name.ts'
import type { Values } from '#web/admin/versions/changes.ts'
import {
  type Entry,
  isList,
  sectorDraft,
  sectorOf,
  shownTexts,
  type TextGroup,
  textGroups,
} from './texts-form.ts'

/** Texts that are translated together. The title is for `translate`. */
export type TranslationGroup = { title: string; fields: readonly FirmText[] }

/** The pages, and the sentences that are edited with the profile. */
export const translationGroups: readonly TranslationGroup[] = [
  ...(textGroups as readonly TextGroup[]),
  { title: msg('Legal texts'), fields: Object.keys(legalSentences) as LegalSentence[] },
]

/** Translations as typed; empty means none. */
export type Draft = Record<Exclude<FirmText, FirmList>, string> & Record<FirmList, Entry[]>

/** The firm's own words, as they would be typed. A sector has no drawing here. */
export function originalDraft(firm: FirmProfile): Draft {
  return draftOf(Object.fromEntries(firmTextNames.map(name => [name, originalOf(firm, name)])))
}

/** The stored translation as typed; each list with as many entries as the original. */
export function translationDraft(firm: FirmProfile, language: TranslatedLanguage): Draft {
  const original = originalDraft(firm)
  const stored = draftOf(firm.translations[language]?.texts ?? {})
  const beside = (list: FirmList): Entry[] =>
    original[list].map((entry, place) => {
      const parts = Object.keys(entry).filter(name => entry[name] !== '')
      return Object.fromEntries(parts.map(name => [name, stored[list][place]?.[name] ?? '']))
    })
  return { ...stored, ...Object.fromEntries(lists.map(list => [list, beside(list)])) }
}

const lists = Object.keys(firmLists) as FirmList[]

function draftOf({ sectors, ...texts }: TranslatedTexts): Draft {
  const plain = firmTextNames.map(name => {
    if (name === 'sectors') return [name, (sectors ?? []).map(words)]
    return [name, texts[name] ?? (isList(name) ? [] : '')]
  })
  return Object.fromEntries(plain) as Draft
}

/** An original's sector has a drawing, too. */
function words(sector: NonNullable<TranslatedTexts['sectors']>[number]): Entry {
  const { drawing: _, ...rest } = sector as typeof sector & { drawing?: unknown }
  return sectorDraft(rest)
}

/** The part of the request about these texts; the server validates it. */
export function translatedTexts(draft: Draft, names: readonly FirmText[]): TranslatedTexts {
  return Object.fromEntries(
    names.map(name => {
      if (!isList(name)) return [name, draft[name].trim() || null]
      const isUntouched = draft[name].every(entry => Object.values(entry).every(typed => typed.trim() === ''))
      return [
        name,
        isUntouched ? null : draft[name].map(entry => (name === 'sectors' ? sector(entry) : entry)),
      ]
    }),
  )
}

function sector(entry: Entry) {
  const { drawing: _, ...rest } = sectorOf(entry as Parameters<typeof sectorOf>[0])
  return rest
}

/** What can be translated, what visitors read in the language, and what was translated from an older original. */
export function progressOf(firm: FirmProfile, language: TranslatedLanguage) {
  const { untranslated } = firmIn(firm, language)
  const all = firmTextNames.filter(name => !isEmpty(originalOf(firm, name)))
  const done = all.filter(name => !untranslated.includes(name))
  return { all, done, outdated: firm.translations[language]?.outdated ?? [] }
}

/** The translations by which versions are compared. */
export function shownTranslations(firm: FirmProfile): Values {
  return translatedLanguages.flatMap(language =>
    shownTexts(draftOf(firm.translations[language]?.texts ?? {})).map(([text, value]) => [
      t('{text} ({language})', { text, language: languageName(language) }),
      value,
    ]),
  )
}
