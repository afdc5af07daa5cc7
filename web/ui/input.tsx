import { type ComponentProps, type FocusEvent, useState } from 'react'
import { parseTypedUsd, typedUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { cx } from './cx.ts'
import { EyeIcon } from './eye.tsx'
import { useFieldWiring } from './field.tsx'

const box =
  'w-full scroll-mt-40 scroll-mb-16 rounded-sm border border-edge bg-surface text-ink placeholder:text-ink-faint ' +
  'hover:border-ink-soft focus-visible:outline-offset-0 aria-invalid:border-bad disabled:opacity-60'

export function Input({ className, type = 'text', ...rest }: ComponentProps<'input'>) {
  return <input {...useFieldWiring()} type={type} className={cx(box, 'min-h-11 px-3', className)} {...rest} />
}

export function Textarea({ className, rows = 5, ...rest }: ComponentProps<'textarea'>) {
  return <textarea {...useFieldWiring()} rows={rows} className={cx(box, 'px-3 py-2', className)} {...rest} />
}

/** The native select: works by keyboard, touch and without a script. */
export function Select({ className, ...rest }: ComponentProps<'select'>) {
  return <select {...useFieldWiring()} className={cx(box, 'min-h-11 px-2.5', className)} {...rest} />
}

/** A password field with a visibility toggle. */
export function PasswordInput(props: Omit<ComponentProps<'input'>, 'type'>) {
  const [shown, setShown] = useState(false)
  return (
    <div className="relative">
      <Input
        {...props}
        type={shown ? 'text' : 'password'}
        spellCheck={false}
        autoCapitalize="none"
        className="pe-12"
      />
      <button
        type="button"
        aria-label={shown ? t('Hide characters') : t('Show characters')}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 end-0 grid w-11 place-items-center rounded-sm text-ink-faint hover:text-ink [&_svg]:size-5"
      >
        <EyeIcon open={!shown} />
      </button>
    </div>
  )
}

/**
 * A USD amount as people type it: '1,000.50', '$1000.5'. Shows the parsed amount on blur. Read it with `parseTypedUsd`
 * (#shared/i18n/amounts.ts).
 */
export function MoneyInput({
  className,
  onBlur,
  ...rest
}: Omit<ComponentProps<'input'>, 'type' | 'inputMode' | 'value'>) {
  function left(event: FocusEvent<HTMLInputElement>) {
    const cents = parseTypedUsd(event.target.value)
    if (cents !== undefined) event.target.value = typedUsd(cents)
    onBlur?.(event)
  }
  return (
    <div className="relative">
      <span
        aria-hidden="true"
        className="absolute inset-y-0 start-0 grid w-9 place-items-center text-ink-faint"
      >
        $
      </span>
      <Input
        inputMode="decimal"
        autoComplete="off"
        placeholder={typedUsd(0n)}
        onBlur={left}
        {...rest}
        className={cx('ps-9 tabular-nums', className)}
      />
    </div>
  )
}

type ChoiceProps = Omit<ComponentProps<'input'>, 'type'>

export function Checkbox({ children, className, ...rest }: ChoiceProps) {
  return (
    <label className={cx('flex min-h-9 items-start gap-3 py-1.5 text-sm', className)}>
      <input type="checkbox" className="mt-0.5 size-4.5 shrink-0 accent-accent" {...rest} />
      <span>{children}</span>
    </label>
  )
}

/** A radio button as a tile. Group them in a fieldset with a legend. */
export function RadioTile({ children, className, ...rest }: ChoiceProps) {
  return (
    <label
      className={cx(
        'flex min-h-11 items-center gap-3 rounded-sm border border-edge bg-surface px-4 py-2.5 hover:border-ink-soft',
        'has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent',
        'has-disabled:opacity-60',
        className,
      )}
    >
      <input type="radio" className="size-4.5 shrink-0 accent-accent" {...rest} />
      <span>{children}</span>
    </label>
  )
}
