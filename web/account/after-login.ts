import type { login } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { beginSession } from '#web/api/session.ts'
import { go } from '#web/go.ts'
import { landingPath, useReturnTo } from '#web/return-to.ts'

/** Stores the session after any kind of login and opens the page that was asked for. */
export function useAfterLogin(): (data: CallData<typeof login>) => void | Promise<void> {
  const returnTo = useReturnTo()
  return data => {
    beginSession(data)
    const { type, language } = data.user
    const path = landingPath(type, returnTo)
    // Replaces the login page, so that going back does not show it again.
    // Who has chosen another language than English on this page keeps it.
    const now = languageNow()
    if (language === now || now !== sourceLanguage) return go(path, { replace: true })
    // Another document, which has the words of the account's language.
    location.replace(`/${language}${path}`)
    return new Promise(() => {})
  }
}
