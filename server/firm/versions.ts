import { isDeepStrictEqual } from 'node:util'
import type { FirmTranslation } from '#shared/contract/firm-texts.ts'
import type { FirmProfile, ReplacedInFirm } from '#shared/contract/site.ts'
import { firmTextNames } from '#shared/firm-texts.ts'
import { translatedLanguages } from '#shared/i18n/languages.ts'

const none: FirmTranslation = { texts: {}, outdated: [] }

/** What a version replaced in the one before it. shared/firm-in-language.ts puts it back. */
export function replacedBetween(before: FirmProfile, after: FirmProfile): ReplacedInFirm {
  const { texts, translations, ...fields } = before
  const languages = translatedLanguages.flatMap(language => {
    const [old, now] = [translations[language] ?? none, after.translations[language] ?? none]
    return isDeepStrictEqual(old, now) ? [] : [[language, replacedIn(old, now)]]
  })
  return {
    ...differing(fields, after),
    texts: differing(texts, after.texts),
    translations: Object.fromEntries(languages),
  }
}

function replacedIn(before: FirmTranslation, after: FirmTranslation): FirmTranslation {
  const names = firmTextNames.filter(name => !isDeepStrictEqual(before.texts[name], after.texts[name]))
  return {
    texts: Object.fromEntries(names.map(name => [name, before.texts[name] ?? null])),
    outdated: before.outdated,
  }
}

/** The entries of the first object that the second has with another value. */
function differing<T extends object>(before: T, after: T): Partial<T> {
  const entries = Object.entries(before).filter(
    ([name, value]) => !isDeepStrictEqual(value, after[name as keyof T]),
  )
  return Object.fromEntries(entries) as Partial<T>
}
