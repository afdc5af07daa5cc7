import type { ReactNode } from 'react'

/** A decorative line drawing in the text colours with one accent. */
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
