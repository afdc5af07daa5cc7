import { type ReactNode, useId } from 'react'
import { cx } from './cx.ts'

type SectionProps = {
  title: ReactNode
  /** Right of the heading: a link or button. */
  aside?: ReactNode
  className?: string
  /** Anchor (`#deposits`), which can take the focus. */
  anchor?: string
  children: ReactNode
}

/** A section with its heading. */
export function Section({ title, aside, className, anchor, children }: SectionProps) {
  const id = useId()
  return (
    <section
      id={anchor}
      tabIndex={anchor === undefined ? undefined : -1}
      aria-labelledby={id}
      className={cx('border-rule border-t pt-5', className)}
    >
      <div className="mb-4 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h2 id={id} className="display text-xl">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** Heading of a signed-in page. */
export function PageHead({ title, lead, aside }: { title: ReactNode; lead?: ReactNode; aside?: ReactNode }) {
  return (
    <div className="mb-8 flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
      <div className="grid gap-1.5">
        <h1 className="display text-2xl">{title}</h1>
        {lead && <p className="max-w-2xl text-ink-soft">{lead}</p>}
      </div>
      {aside && <div className="flex flex-wrap gap-3">{aside}</div>}
    </div>
  )
}

/** A heading that never breaks within its number: 'Deposit DEP-2026-000012'. */
export function Numbered({ name, number }: { name: string; number: string }) {
  return (
    <>
      {name} <span className="whitespace-nowrap">{number}</span>
    </>
  )
}

/** A card: one investment, plan or method. */
export function Card({ className, children }: { className?: string; children: ReactNode }) {
  return <div className={cx('rounded-md border border-rule bg-surface p-5', className)}>{children}</div>
}
