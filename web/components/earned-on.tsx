import type { ReactNode } from 'react'
import type { Earning } from '#shared/contract/entities.ts'

type EarnedOnProps = {
  earning: Pick<Earning, 'source' | 'note'>
  /** In place of the source's own words: a link. */
  children?: ReactNode
}

/** What the firm earned an earning on, and below it the note that it wrote with it. */
export function EarnedOn({ earning, children = earning.source }: EarnedOnProps) {
  return (
    <span className="grid gap-0.5">
      <span>{children}</span>
      {earning.note && <span className="text-ink-soft text-sm">{earning.note}</span>}
    </span>
  )
}
