import type { FirmText } from '#shared/firm-texts.ts'
import { t } from '#shared/i18n/t.ts'
import { useMarks } from '#web/components/firm-words.tsx'

/**
 * Says in pages of other languages why a whole text of the firm is in English.
 * @param of the text, if the firm can translate it
 */
export function InEnglish({ of }: { of?: FirmText }) {
  if (!useMarks(of)) return null
  return <p className="mb-6 text-ink-soft">{t('This text is in English, as the firm wrote it.')}</p>
}
