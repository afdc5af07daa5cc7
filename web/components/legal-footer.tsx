import { legalParagraphs } from '#shared/legal.ts'
import { useSite } from '#web/frame.ts'
import { cx } from '#web/ui/cx.ts'
import { FirmWords } from './firm-words.tsx'

/** Legal details and the risk line, at the end of every page (P-12, P-14, D2). */
export function LegalFooter({ measure = 'page' }: { measure?: string }) {
  const { firm, mode } = useSite()
  return (
    <div data-figure="firm" className="border-rule border-t text-ink-faint text-sm">
      <div className={cx(measure, 'grid gap-3 py-6')}>
        {legalParagraphs(firm, mode).map(({ words, firmWords, of }) => (
          <p key={words ?? firmWords}>
            {words}
            {words && firmWords && ' '}
            {firmWords && <FirmWords of={of}>{firmWords}</FirmWords>}
          </p>
        ))}
      </div>
    </div>
  )
}
