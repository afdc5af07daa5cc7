import type { MouseEvent, ReactNode } from 'react'
import { go } from '#web/go.ts'
import { type ButtonLook, buttonClass } from '#web/ui/button.tsx'
import { type RecordAddress, withRecord } from './address.ts'

/** Kept with the entry of the browser's history: the way back from the record leads to where it was opened. */
export type OpenedHere = { openedHere: true }
const openedHere: OpenedHere = { openedHere: true }

type RecordLinkProps = RecordAddress & {
  /** What it is called where the words are not enough: 'Details: WDR-2026-000123'. */
  label?: string
  /** Looks like a button; without it like a link. */
  look?: ButtonLook
  className?: string
  children: ReactNode
}

/**
 * Opens a record over the page that is on show. A list has very many of them: none listens to the address, but looks at it
 * when it is used.
 */
export function RecordLink({ kind, id, label, look, className, children }: RecordLinkProps) {
  const search = () => `?${withRecord(new URLSearchParams(location.search), { kind, id })}`
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // A second press comes before the first has been drawn.
    if (search() !== location.search) void go({ search: search() }, { state: openedHere })
  }
  const refresh = (event: { currentTarget: HTMLAnchorElement }) => {
    event.currentTarget.search = search()
  }
  return (
    <a
      href={search()}
      onClick={open}
      // What is about to be opened elsewhere, or copied.
      onPointerDown={refresh}
      onFocus={refresh}
      aria-haspopup="dialog"
      aria-label={label}
      className={className ?? (look ? buttonClass(look) : 'prose-link')}
    >
      {children}
    </a>
  )
}
