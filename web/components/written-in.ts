import { languageNow } from '#shared/i18n/language.ts'
import { type Language, languages } from '#shared/i18n/languages.ts'

/** Marks words in another language than the page's (WCAG 3.1.2). */
export function marksOf(language: Language) {
  if (language === languageNow()) return undefined
  return { lang: language, dir: languages[language].direction }
}
