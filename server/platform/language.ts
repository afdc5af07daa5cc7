import { AsyncLocalStorage } from 'node:async_hooks'
import { languageFrom, languageNow } from '#shared/i18n/language.ts'
import { isLanguage, type Language, sourceLanguage } from '#shared/i18n/languages.ts'

const store = new AsyncLocalStorage<Language>()
/** The language that `inLanguage` has set, if it has. */
export const languageInStore = () => store.getStore()
languageFrom(languageInStore)

/** Runs something in a language: what `t` writes meanwhile, also later in what it awaits. */
export function inLanguage<T>(language: Language, run: () => T): T {
  return store.run(language, run)
}

/** A link to a page that opens in the current language. English addresses have no prefix. */
export function localUrl({ publicUrl }: { publicUrl: string }, path: string): string {
  const language = languageNow()
  return language === sourceLanguage ? publicUrl + path : `${publicUrl}/${language}${path}`
}

/** The product's language that an Accept-Language header prefers (RFC 9110, 12.5.4), by its first subtag. */
export function preferredLanguage(header: string | undefined): Language | undefined {
  const wanted = (header ?? '').split(',').map(range => {
    const [tag = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
    const weight = parameters.find(parameter => parameter.startsWith('q='))
    return { code: tag.split('-')[0]!, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
  })
  const [best] = wanted
    .filter(({ code, weight }) => isLanguage(code) && weight > 0)
    .sort((one, other) => other.weight - one.weight)
  return best?.code as Language | undefined
}
