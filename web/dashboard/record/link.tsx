import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useSearch } from '#web/search.ts'
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

/** Opens a record over the page that is on show. */
export function RecordLink({ kind, id, label, look, className, children }: RecordLinkProps) {
  const search = withRecord(useSearch(), { kind, id })
  return (
    <Link
      to={{ search: `?${search}` }}
      state={openedHere}
      preventScrollReset
      aria-haspopup="dialog"
      aria-label={label}
      className={className ?? (look ? buttonClass(look) : 'prose-link')}
    >
      {children}
    </Link>
  )
}
