import { AsyncLocalStorage } from 'node:async_hooks'
import { languageFrom } from '#shared/i18n/language.ts'
import { isLanguage, type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import type { Visit } from '#web/site/page-data.ts'
import { choiceCookie, chosenIn, keepChoice } from './choice-cookie.ts'
import { pageBefore } from './page-before.ts'

/** The copy of the pages' bundle; server/platform/language.ts is the server's. */
const store = new AsyncLocalStorage<Language>()
languageFrom(() => store.getStore())

export function inLanguage<T>(language: Language, run: () => T): T {
  return store.run(language, run)
}

/** The language that a Cookie header chooses for the pages of accounts; public ones have it in their address. */
export function chosenLanguage(cookies: string, publicUrl: string): Language {
  const value = chosenIn(cookies, 'language', publicUrl)
  return isLanguage(value) ? value : sourceLanguage
}

/** The cookie of a language, from which a shared document is rendered; none for English. */
export function languageCookie(language: Language, publicUrl: string): string[] {
  return choiceCookie('language', kept(language), publicUrl)
}

function kept(language: Language): string | undefined {
  return language === sourceLanguage ? undefined : language
}

/** Stores the choice in this browser and leads on. */
export function choose(language: Language, to: string, status: 302 | 303, publicUrl: string): Response {
  const cookie = keepChoice('language', kept(language), publicUrl)
  return new Response(null, { status, headers: { 'Set-Cookie': cookie, Location: to } })
}

/** The form on the pages of accounts, whose address has no language. */
export async function chooseLanguage({ request, host: { publicUrl } }: Visit): Promise<Response> {
  const chosen = (await request.formData()).get('language')
  const language = isLanguage(chosen) ? chosen : sourceLanguage
  // Without the language of an unknown address, which would win.
  const to = pageBefore(request).replace(/^\/[a-z]{2}(?=\/[^/]|$)/, '')
  return choose(language, to === '' ? '/' : to, 303, publicUrl)
}
