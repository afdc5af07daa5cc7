import type { ReactNode } from 'react'
import { t } from '#shared/i18n/t.ts'
import { cx } from './cx.ts'

const widths = ['w-full', 'w-11/12', 'w-4/5', 'w-10/12']

/** Loading, in words and as a placeholder (D-23). */
export function Loading({
  label,
  lines = 3,
  className,
}: {
  label: string
  lines?: number
  className?: string
}) {
  return (
    <div role="status" className={cx('grid gap-3 py-3', className)}>
      <p className="text-ink-faint text-sm">{label}…</p>
      {Array.from({ length: lines }, (_, line) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: equal bars without a state.
          key={line}
          aria-hidden="true"
          className={cx('h-5 motion-safe:animate-pulse rounded-sm bg-sunken', widths[line % widths.length])}
        />
      ))}
    </div>
  )
}

/** An empty state with a first step (D-23). */
export function EmptyState({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="grid justify-items-start gap-4 border-rule border-y border-dashed py-8">
      <p className="text-ink-soft">{children}</p>
      {action}
    </div>
  )
}

/** A failed read with a retry; a toast has shown the reason. */
export function FailedState({ children, onRetry }: { children: ReactNode; onRetry: () => void }) {
  return (
    <EmptyState
      action={
        <button type="button" className="prose-link" onClick={onRetry}>
          {t('Try again')}
        </button>
      }
    >
      {children}
    </EmptyState>
  )
}
