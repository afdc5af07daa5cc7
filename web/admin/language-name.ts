import { perLanguage } from '#shared/i18n/intl.ts'
import type { Language } from '#shared/i18n/languages.ts'

/** 'German', in the reader's language. */
export function languageName(language: Language): string {
  return languageNames().of(language)!
}
const languageNames = perLanguage(({ dates }) => new Intl.DisplayNames(dates, { type: 'language' }))
