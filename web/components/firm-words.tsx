import type { ReactNode } from 'react'
import type { FirmText } from '#shared/firm-texts.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { useSite } from '#web/frame.ts'
import { marksOf } from './written-in.ts'

/** What the firm writes in English alone is marked; a text that it can translate, only as long as it has not. */
export function useMarks(of: FirmText | undefined) {
  const { untranslated } = useSite().firm
  return of === undefined || untranslated.includes(of) ? marksOf(sourceLanguage) : undefined
}

/** The same for words that are ours, and unmarked, unless `of` says which text of the firm they are. */
export function useFirmMarks(of: FirmText | undefined) {
  const marks = useMarks(of)
  return of && marks
}

type FirmWordsProps = {
  /** The text that it is, if the firm can translate it. */
  of?: FirmText | undefined
  children: ReactNode
}

/** The firm's own words inside a text of the page. */
export function FirmWords({ of, children }: FirmWordsProps) {
  const marks = useMarks(of)
  if (!marks) return children
  return (
    <span {...marks} className="inline-block rtl:text-end">
      {children}
    </span>
  )
}
