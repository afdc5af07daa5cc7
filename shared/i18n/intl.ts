import { languageNow } from './language.ts'
import type { Language } from './languages.ts'
import { type Locales, locales } from './locales.ts'

/** Makes a format for each language once; making one takes longer than using it. */
export function perLanguage<T>(make: (locales: Locales) => T): () => T {
  const made: Partial<Record<Language, T>> = {}
  return () => {
    const language = languageNow()
    made[language] ??= make(locales[language])
    return made[language]
  }
}

const numbers = perLanguage(({ numbers }) => new Intl.NumberFormat(numbers))
const rules = perLanguage(({ numbers }) => new Intl.PluralRules(numbers))
const ordinals = perLanguage(({ numbers }) => new Intl.PluralRules(numbers, { type: 'ordinal' }))

/** A count or another whole number with the language's separators. */
export function number(value: number | bigint): string {
  return numbers().format(value)
}

/** The form of a plural or an ordinal: for exactly this number (`=1`), else for its category (CLDR). */
export function plural<T>(value: number | bigint, forms: Record<string, T>, ordinal = false): T {
  const category = (ordinal ? ordinals() : rules()).select(Number(value))
  return forms[`=${value}`] ?? forms[category] ?? forms.other!
}

export function select<T>(value: string, forms: Record<string, T>): T {
  return forms[value] ?? forms.other!
}
