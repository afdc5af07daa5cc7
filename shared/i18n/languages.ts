/**
 * Every language of the product: its name in itself, its direction, and the locales in which Intl writes its numbers
 * and dates. Arabic has Latin digits, because amounts and addresses are compared with those of wallets.
 */
export const languages = {
  en: { name: 'English', direction: 'ltr', numbers: 'en', dates: 'en-GB' },
  de: { name: 'Deutsch', direction: 'ltr', numbers: 'de', dates: 'de' },
  es: { name: 'Español', direction: 'ltr', numbers: 'es', dates: 'es' },
  ar: { name: 'العربية', direction: 'rtl', numbers: 'ar-u-nu-latn', dates: 'ar-u-nu-latn' },
} as const

export type Language = keyof typeof languages

/** The language of the texts in the code. */
export const sourceLanguage = 'en'
export const languageCodes = Object.keys(languages) as Language[]
/** The languages that the catalogue translates into. */
export const translatedLanguages = languageCodes.filter(language => language !== sourceLanguage)

export function isLanguage(code: unknown): code is Language {
  return typeof code === 'string' && Object.hasOwn(languages, code)
}
