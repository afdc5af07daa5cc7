import { useId } from 'react'
import { cx } from '#web/ui/cx.ts'
import type { Look } from './series.ts'

/** Patterns of the accounts: available solid, in plans hatched, on hold dotted. */
export function Patterns({ name }: { name: string }) {
  return (
    <defs>
      <pattern
        id={`${name}-invested`}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="6" height="6" className="fill-accent-soft" />
        <path d="M0 0v6" className="stroke-accent" strokeWidth="3" />
      </pattern>
      <pattern id={`${name}-held`} width="6" height="6" patternUnits="userSpaceOnUse">
        <rect width="6" height="6" className="fill-wait-soft" />
        <circle cx="3" cy="3" r="1.4" className="fill-wait" />
      </pattern>
      <pattern id={`${name}-available`} width="6" height="6" patternUnits="userSpaceOnUse">
        <rect width="6" height="6" className="fill-accent" fillOpacity="0.85" />
      </pattern>
    </defs>
  )
}

/** Unique pattern names for one drawing. */
export function usePatterns(): { name: string; fill: (look: Look) => string } {
  const name = useId()
  return { name, fill: look => `url(#${name}-${look})` }
}

const lines = {
  total: <path d="M0 6h16" className="stroke-ink" strokeWidth="2.5" />,
  paidIn: <path d="M0 6h16" className="stroke-ink" strokeWidth="2" strokeDasharray="4 2" />,
}

/** Legend sample of an account's pattern or of a line. */
export function Swatch({ look, className }: { look: Look | keyof typeof lines; className?: string }) {
  const { name, fill } = usePatterns()
  return (
    <svg aria-hidden="true" viewBox="0 0 16 12" className={cx('h-3 w-4 shrink-0', className)}>
      {look === 'total' || look === 'paidIn' ? (
        lines[look]
      ) : (
        <>
          <Patterns name={name} />
          <rect x="0.5" y="0.5" width="15" height="11" fill={fill(look)} className="stroke-ink-soft" />
        </>
      )}
    </svg>
  )
}
