import { type FirmText, paragraphsOf } from '#shared/firm-texts.ts'
import type { Language } from '#shared/i18n/languages.ts'
import { useMarks } from '#web/components/firm-words.tsx'
import { marksOf } from '#web/components/written-in.ts'

/** @property language of a text that is written in each language */
type ParagraphsProps = { of?: FirmText; text: string | null; className?: string; language?: Language }

/** One of the firm's own texts in paragraphs. */
export function Paragraphs({ of, text, className, language }: ParagraphsProps) {
  const ofFirm = useMarks(of)
  const marks = language === undefined ? ofFirm : marksOf(language)
  return paragraphsOf(text).map(paragraph => (
    <p key={paragraph} data-figure="firm" {...marks} className={className}>
      {paragraph}
    </p>
  ))
}
