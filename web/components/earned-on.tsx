import type { ReactNode } from 'react'
import type { Earning } from '#shared/contract/entities.ts'

type EarnedOnProps = {
  earning: Pick<Earning, 'source' | 'note'>
  /** Replaces the source's text, for example with a link. */
  children?: ReactNode
}

/** An earning's source and note. */
export function EarnedOn({ earning, children = earning.source }: EarnedOnProps) {
  return (
    <span className="grid gap-0.5">
      <span dir="auto">{children}</span>
      {earning.note && (
        <span dir="auto" className="text-ink-soft text-sm">
          {earning.note}
        </span>
      )}
    </span>
  )
}
