import type { ReactNode } from 'react'
import { cx } from './cx.ts'

export type Tone = 'good' | 'bad' | 'wait' | 'plain'

const tones: Record<Tone, string> = {
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
  wait: 'bg-wait-soft text-wait',
  plain: 'bg-sunken text-ink-soft',
}

/** A state in a word; colour only repeats it. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span
      data-tone={tone}
      className={cx(
        'inline-flex items-center whitespace-nowrap rounded-full px-2.5 py-0.5 font-medium text-xs',
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}
