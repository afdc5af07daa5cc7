/** Every language of the product: its name in itself, and its direction. */
export const languages = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr' },
  es: { name: 'Español', direction: 'ltr' },
  ar: { name: 'العربية', direction: 'rtl' },
} as const

export type Language = keyof typeof languages
export type TranslatedLanguage = Exclude<Language, typeof sourceLanguage>

/** The language of the texts in the code. */
export const sourceLanguage = 'en'
export const languageCodes = Object.keys(languages) as Language[]
/** The languages that the catalogue translates into. */
export const translatedLanguages = languageCodes.filter(language => language !== sourceLanguage)

export function isLanguage(code: unknown): code is Language {
  return typeof code === 'string' && Object.hasOwn(languages, code)
}
