import { languageNow } from '#shared/i18n/language.ts'
import { type Language, sourceLanguage } from '#shared/i18n/languages.ts'

/** Where a choice on a page of an account is posted. */
export const languagePath = '/language'

/** The address of a public page in a language: English has no prefix. */
export function inLanguagePath(path: string, language: Language): string {
  if (language === sourceLanguage) return path
  return path === '/' ? `/${language}` : `/${language}${path}`
}

/** The address of a public page in the current language. */
export const publicPath = (path: string) => inLanguagePath(path, languageNow())
