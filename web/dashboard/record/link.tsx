import type { MouseEvent, ReactNode } from 'react'
import { go } from '#web/go.ts'
import { type ButtonLook, buttonClass } from '#web/ui/button.tsx'
import { type RecordAddress, withRecord } from './address.ts'

/** Stored in the history entry: closing the record goes back to where it was opened. */
export type OpenedHere = { openedHere: true }
const openedHere: OpenedHere = { openedHere: true }

type RecordLinkProps = RecordAddress & {
  /** Accessible name, if the text is not enough: 'Details: WDR-2026-000123'. */
  label?: string
  /** Looks like a button; default: a link. */
  look?: ButtonLook
  className?: string
  children: ReactNode
}

/** Opens a record over the current page. Reads the address only on use, because lists have many of these links. */
export function RecordLink({ kind, id, label, look, className, children }: RecordLinkProps) {
  const search = () => `?${withRecord(new URLSearchParams(location.search), { kind, id })}`
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // A second press can come before the first has rendered.
    if (search() !== location.search) void go({ search: search() }, { state: openedHere })
  }
  const refresh = (event: { currentTarget: HTMLAnchorElement }) => {
    event.currentTarget.search = search()
  }
  return (
    <a
      href={`?${kind}=${id}`}
      onClick={open}
      // Adds the rest of the address before the link is opened in a new tab or copied.
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
