import { paragraphsOf } from '#shared/firm-texts.ts'

/** A text of the firm's own, paragraph by paragraph. */
export function Paragraphs({ text, className }: { text: string | null; className?: string }) {
  return paragraphsOf(text).map(paragraph => (
    <p key={paragraph} data-figure="firm" className={className}>
      {paragraph}
    </p>
  ))
}
