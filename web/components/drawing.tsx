import type { ReactNode } from 'react'

/** A drawing made for these pages: fine lines in the text's colours, one thing in the accent. Decoration only. */
export function Drawing({
  viewBox,
  className,
  children,
}: {
  viewBox: string
  className?: string
  children: ReactNode
}) {
  return (
    <svg
      viewBox={viewBox}
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1"
      strokeLinejoin="round"
      className={className}
    >
      {children}
    </svg>
  )
}
