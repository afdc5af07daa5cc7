import type { ReactNode } from 'react'
import { languageNow } from '#shared/i18n/language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'

/** The firm writes its own texts in English; in pages of other languages they say so (WCAG 3.1.2). */
export function ofFirm() {
  return languageNow() === sourceLanguage ? undefined : ({ lang: 'en', dir: 'ltr' } as const)
}

/** The firm's own words inside a text of the page. */
export function FirmWords({ children }: { children: ReactNode }) {
  const marks = ofFirm()
  if (!marks) return children
  return (
    <span {...marks} className="inline-block rtl:text-end">
      {children}
    </span>
  )
}
