import { languageNow } from '#shared/i18n/language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'

/** Says in pages of other languages why a whole text of the firm is in English. */
export function InEnglish() {
  if (languageNow() === sourceLanguage) return null
  return <p className="mb-6 text-ink-soft">{t('This text is in English, as the firm wrote it.')}</p>
}
