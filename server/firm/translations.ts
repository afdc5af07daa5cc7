import { isDeepStrictEqual } from 'node:util'
import type { FirmTranslation, FirmTranslations, TranslatedTexts } from '#shared/contract/firm-texts.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import type { FieldErrors } from '#shared/errors.ts'
import { type FirmOriginal, isEmpty, originalOf } from '#shared/firm-in-language.ts'
import { type FirmText, firmTextNames, firmTextRules } from '#shared/firm-texts.ts'
import { type TranslatedLanguage, translatedLanguages } from '#shared/i18n/languages.ts'
import { t, translate } from '#shared/i18n/t.ts'

type Sector = NonNullable<TranslatedTexts['sectors']>[number]

/** Errors of a translation beside its original. */
export function translationErrors(firm: FirmOriginal, texts: TranslatedTexts): FieldErrors {
  return Object.assign(
    {},
    ...firmTextNames.map(name => {
      const text = texts[name]
      const original = originalOf(firm, name)
      if (text === null || text === undefined) return {}
      if (isEmpty(original)) {
        return { [`texts.${name}`]: t('The original of this text is empty: there is nothing to translate') }
      }
      if (!Array.isArray(original) || original.length === text.length) return {}
      return {
        [`texts.${name}`]: t(
          '{list} must have as many entries as the original, which has {expected, number}, not {found, number}',
          { list: translate(firmTextRules[name].label), expected: original.length, found: text.length },
        ),
      }
    }),
    ...(texts.sectors ?? []).map((sector, place) => sectorErrors(firm.texts.sectors[place], sector, place)),
  )
}

/** A sector is translated as a whole, too. */
function sectorErrors(original: Sector | undefined, sector: Sector, place: number): FieldErrors {
  if (original === undefined) return {}
  const parts = ['text', 'seek', 'avoid', 'evidence'] as const
  const differing = parts.filter(part => isEmpty(original[part]) !== isEmpty(sector[part]))
  return Object.fromEntries(
    differing.map(part => [
      `texts.sectors.${place}.${part}`,
      isEmpty(original[part])
        ? t('The original of this text is empty: there is nothing to translate')
        : t('The original has a text here. Please translate it too'),
    ]),
  )
}

/** A language's texts with newly given ones, each of which was checked against its original. */
export function translated(before: FirmTranslation | undefined, given: TranslatedTexts): FirmTranslation {
  const texts = withoutNulls({ ...before?.texts, ...given })
  const outdated = (before?.outdated ?? []).filter(name => !(name in given))
  return { texts, outdated }
}

/**
 * The translations after a change of the original. Those of a removed text go; those of a list of which entries were only
 * moved or removed follow it; all others of a changed text are out of date until someone has checked them.
 */
export function translationsAfter(before: FirmProfile, after: FirmOriginal): FirmTranslations {
  const changed = firmTextNames.filter(
    name => !isDeepStrictEqual(wordsOf(before, name), wordsOf(after, name)),
  )
  const follow = ({ texts, outdated }: FirmTranslation): FirmTranslation => {
    const parts = changed.map((name): [FirmText, unknown] => {
      return [name, isEmpty(originalOf(after, name)) ? null : moved(texts[name], before, after, name)]
    })
    const stale = parts.filter(([name, text]) => text === undefined && texts[name] !== undefined)
    const followed = parts.filter(([, text]) => text !== undefined)
    const left = { ...texts, ...Object.fromEntries(followed) }
    const names = new Set([...outdated, ...stale.map(([name]) => name)])
    return { texts: withoutNulls(left), outdated: [...names].filter(name => (left[name] ?? null) !== null) }
  }
  return Object.fromEntries(
    translatedLanguages.flatMap(language => {
      const translation = before.translations[language]
      return translation ? [[language, follow(translation)]] : []
    }),
  )
}

type FollowedChange = { dropped: FirmText[]; outdated: FirmText[] }

/** Which translations a change of the original has removed or left out of date, in each language that has such. */
export function followedChanges(
  before: FirmTranslations,
  after: FirmTranslations,
): Partial<Record<TranslatedLanguage, FollowedChange>> {
  return Object.fromEntries(
    translatedLanguages.flatMap(language => {
      const old = before[language] ?? { texts: {}, outdated: [] }
      const now = after[language] ?? { texts: {}, outdated: [] }
      const dropped = firmTextNames.filter(name => name in old.texts && !(name in now.texts))
      const outdated = now.outdated.filter(name => !old.outdated.includes(name))
      return dropped.length + outdated.length > 0 ? [[language, { dropped, outdated }]] : []
    }),
  )
}

/** A translated list whose original was only reordered or shortened; undefined for every other change. */
function moved(text: unknown, before: FirmOriginal, after: FirmOriginal, name: FirmText): unknown {
  const [old, now] = [wordsOf(before, name), wordsOf(after, name)]
  if (!Array.isArray(text) || !Array.isArray(old) || !Array.isArray(now)) return undefined
  const places = now.map(entry => old.findIndex(other => isDeepStrictEqual(entry, other)))
  return old.length === text.length && !places.includes(-1) ? places.map(place => text[place]) : undefined
}

/** What is translated: not the drawings. */
function wordsOf(firm: FirmOriginal, name: FirmText): unknown {
  const text = originalOf(firm, name)
  if (name !== 'sectors') return text
  return firm.texts.sectors.map(({ drawing: _, ...words }) => words)
}

function withoutNulls(texts: TranslatedTexts): TranslatedTexts {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null && text !== undefined))
}
