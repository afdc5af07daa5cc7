import { LoaderCircle } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cx } from './cx.ts'

export type ButtonLook = {
  /** primary: the main action of a view; quiet: others; plain: beside text; danger: removes something. */
  tone?: 'primary' | 'quiet' | 'plain' | 'danger'
  size?: 'lg' | 'md' | 'sm'
}

const base =
  'inline-flex items-center justify-center gap-2 rounded-sm border font-medium whitespace-nowrap motion-safe:transition-colors ' +
  'select-none disabled:opacity-50 aria-disabled:opacity-60 [&_svg]:size-4 [&_svg]:shrink-0'
const tones = {
  primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-strong',
  quiet: 'border-edge bg-surface text-ink hover:border-ink hover:bg-sunken',
  plain: 'border-transparent bg-transparent text-accent hover:bg-accent-soft',
  danger: 'border-bad bg-surface text-bad hover:bg-bad-soft',
}
const sizes = { lg: 'min-h-13 px-7 text-lg', md: 'min-h-11 px-5 text-base', sm: 'min-h-9 px-3 text-sm' }

/** Button classes, for links too. */
export function buttonClass({ tone = 'primary', size = 'md' }: ButtonLook = {}): string {
  return cx(base, tones[tone], sizes[size])
}

type ButtonProps = ComponentProps<'button'> & ButtonLook & { busy?: boolean }

/** A busy button keeps the focus and ignores presses. */
export function Button({
  tone,
  size,
  busy,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={cx(buttonClass({ tone, size }), className)}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? event => event.preventDefault() : onClick}
      {...rest}
    >
      {busy && <LoaderCircle aria-hidden="true" className="motion-safe:animate-spin" />}
      {children}
    </button>
  )
}

/** An icon button; `label` is its name. */
export function IconButton({ label, className, ...rest }: ComponentProps<'button'> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={cx(
        'inline-grid size-11 shrink-0 place-items-center rounded-sm text-ink-soft hover:bg-sunken hover:text-ink [&_svg]:size-5',
        className,
      )}
      {...rest}
    />
  )
}
