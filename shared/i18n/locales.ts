import type { Language } from './languages.ts'

export type Locales = { numbers: string; dates: string }

/**
 * The locales in which Intl writes a language's numbers and dates; a browser's build has those of its own. Arabic has Latin
 * digits, because amounts and addresses are compared with those of wallets, and 24 hours, which fit their columns.
 */
export const locales: Record<Language, Locales> = {
  en: { numbers: 'en', dates: 'en-GB' },
  de: { numbers: 'de', dates: 'de' },
  es: { numbers: 'es', dates: 'es' },
  ar: { numbers: 'ar-u-nu-latn', dates: 'ar-u-hc-h23-nu-latn' },
}
