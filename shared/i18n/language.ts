import { isLanguage, type Language, sourceLanguage } from './languages.ts'

let source: () => Language | undefined = () => {
  if (typeof document === 'undefined') return undefined
  const { lang } = document.documentElement
  return isLanguage(lang) ? lang : undefined
}

/** Tells where `languageNow` looks: the server has one language for each request, the browser that of the document. */
export function languageFrom(find: () => Language | undefined): void {
  source = find
}

/** The language in which texts are written now. The browser's build has it as a constant (tools/i18n). */
export function languageNow(): Language {
  return source() ?? sourceLanguage
}
