import type { ReactNode } from 'react'
import { t } from '#shared/i18n/t.ts'
import { cx } from './cx.ts'

type FigureProps = {
  label: ReactNode
  /** Undefined while loading. */
  value: ReactNode | undefined
  /** How it is made up, or a link. */
  note?: ReactNode
  /** The page's main figure. */
  large?: boolean
  className?: string
}

/** A figure with its name. Group several in `Figures`. */
export function Figure({ label, value, note, large, className }: FigureProps) {
  return (
    <div className={cx('grid content-start gap-1 border-rule border-t py-4', className)}>
      <dt className="text-ink-soft text-sm">{label}</dt>
      <dd className={cx('numeral', large ? 'text-3xl' : 'text-2xl')}>
        {value ?? (
          <span className="inline-block h-[0.8em] w-28 motion-safe:animate-pulse rounded-sm bg-sunken">
            <span className="sr-only">{t('Loading')}</span>
          </span>
        )}
      </dd>
      {note && <dd className="text-ink-faint text-sm">{note}</dd>}
    </div>
  )
}

/** On phones: name left, value right, note below. */
const lines =
  'max-sm:[&>div]:grid-cols-[1fr_auto] max-sm:[&>div]:items-baseline max-sm:[&>div]:gap-y-0 max-sm:[&>div]:py-3 ' +
  'max-sm:[&>div>dd:nth-of-type(2)]:col-span-2 max-sm:[&>div>dd:first-of-type]:text-end max-sm:[&>div>dd:first-of-type]:text-xl'

type FiguresProps = { children: ReactNode; className?: string; inLines?: boolean }

/** Figures in one row on desktop; on phones stacked or `inLines`. */
export function Figures({ children, className, inLines }: FiguresProps) {
  return (
    <dl
      className={cx(
        'grid gap-x-8 sm:grid-cols-2 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none',
        inLines && lines,
        className,
      )}
    >
      {children}
    </dl>
  )
}
