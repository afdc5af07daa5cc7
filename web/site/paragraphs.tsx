import { paragraphsOf } from '#shared/firm-texts.ts'
import { ofFirm } from '#web/components/firm-words.tsx'

/** One of the firm's own texts in paragraphs. */
export function Paragraphs({ text, className }: { text: string | null; className?: string }) {
  return paragraphsOf(text).map(paragraph => (
    <p key={paragraph} data-figure="firm" {...ofFirm()} className={className}>
      {paragraph}
    </p>
  ))
}
