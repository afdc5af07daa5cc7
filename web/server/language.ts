import { AsyncLocalStorage } from 'node:async_hooks'
import { languageFrom } from '#shared/i18n/language.ts'
import { isLanguage, type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import type { Visit } from '#web/site/page-data.ts'
import { pageBefore } from './page-before.ts'

/** The copy of the pages' bundle; server/platform/language.ts is the server's. */
const store = new AsyncLocalStorage<Language>()
languageFrom(() => store.getStore())

export function inLanguage<T>(language: Language, run: () => T): T {
  return store.run(language, run)
}

/** A choice is kept for so long after it was made. */
const KEPT_DAYS = 365

/** Under https the cookie is bound to this host, as that of the overlay. */
function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-language' : 'language'
}

/** The language that a Cookie header chooses for the pages of accounts; public ones have it in their address. */
export function chosenLanguage(cookies: string, publicUrl: string): Language {
  const name = `${cookieName(publicUrl)}=`
  const value = cookies
    .split(/;\s*/)
    .find(cookie => cookie.startsWith(name))
    ?.slice(name.length)
  return isLanguage(value) ? value : sourceLanguage
}

/** The cookie of a language, from which a shared document is rendered; none for English. */
export function languageCookie(language: Language, publicUrl: string): string[] {
  return language === sourceLanguage ? [] : [`${cookieName(publicUrl)}=${language}`]
}

/** Stores the choice in this browser and leads on. */
export function choose(language: Language, to: string, status: 302 | 303, publicUrl: string): Response {
  const parts = [
    `${cookieName(publicUrl)}=${language}`,
    'Path=/',
    `Max-Age=${language === sourceLanguage ? 0 : KEPT_DAYS * 86_400}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(publicUrl.startsWith('https:') ? ['Secure'] : []),
  ]
  return new Response(null, { status, headers: { 'Set-Cookie': parts.join('; '), Location: to } })
}

/** The form on the pages of accounts, whose address has no language. */
export async function chooseLanguage({ request, host: { publicUrl } }: Visit): Promise<Response> {
  const chosen = (await request.formData()).get('language')
  const language = isLanguage(chosen) ? chosen : sourceLanguage
  // Without the language of an unknown address, which would win.
  const to = pageBefore(request).replace(/^\/[a-z]{2}(?=\/[^/]|$)/, '')
  return choose(language, to === '' ? '/' : to, 303, publicUrl)
}
