import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { isLanguage, type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import { locales } from '#shared/i18n/locales.ts'
import { inlineTexts } from './inline.ts'

const moduleOf = (name: string) => fileURLToPath(new URL(`../../shared/i18n/${name}.ts`, import.meta.url))
const [languageModule, localesModule] = [moduleOf('language'), moduleOf('locales')]

/** The environment that builds the pages of a language for browsers: `client` for English, else `client_de`. */
export const environmentOf = (language: Language) => (language === 'en' ? 'client' : `client_${language}`)

/** The language of an environment's browsers; English for the server's, whose texts are not inlined. */
export function languageOf(environment: string): Language {
  const language = environment.replace('client_', '')
  return isLanguage(language) ? language : sourceLanguage
}

const isForBrowsers = (environment: string) => environment.startsWith('client')

/** Builds for browsers have the words of one language; the server's bundle and `npm run dev` look them up. */
export function textsOfLanguage(): Plugin {
  return {
    name: 'texts-of-language',
    apply: 'build',
    enforce: 'pre',
    load(id) {
      if (!isForBrowsers(this.environment.name)) return undefined
      const language = languageOf(this.environment.name)
      if (id === languageModule) return `export const languageNow = () => '${language}'`
      if (id !== localesModule) return undefined
      return `export const locales = ${JSON.stringify({ [language]: locales[language] })}`
    },
    transform(code, id) {
      if (!isForBrowsers(this.environment.name) || id.includes('node_modules') || !/\.tsx?$/.test(id))
        return undefined
      const language = languageOf(this.environment.name)
      // Written out, so that what is for other languages falls away.
      const constant = code.replaceAll(/\blanguageNow\(\)/g, `'${language}'`)
      return { code: inlineTexts(id, constant, language), map: null }
    },
  }
}
