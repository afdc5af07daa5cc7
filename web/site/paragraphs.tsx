import { type FirmText, paragraphsOf } from '#shared/firm-texts.ts'
import { useMarks } from '#web/components/firm-words.tsx'

type ParagraphsProps = { of?: FirmText; text: string | null; className?: string }

/** One of the firm's own texts in paragraphs. */
export function Paragraphs({ of, text, className }: ParagraphsProps) {
  const marks = useMarks(of)
  return paragraphsOf(text).map(paragraph => (
    <p key={paragraph} data-figure="firm" {...marks} className={className}>
      {paragraph}
    </p>
  ))
}
