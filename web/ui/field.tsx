import { createContext, type ReactNode, use, useId } from 'react'
import type { FieldErrors } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { cx } from './cx.ts'

/** The form's errors by field name. */
export const FormErrors = createContext<FieldErrors>({})

type Wiring = {
  id?: string
  name?: string
  required?: boolean
  'aria-describedby'?: string
  'aria-invalid'?: true
}
const FieldWiring = createContext<Wiring>({})

/** Props of the control inside a Field: id, name and descriptions. Empty outside. */
export function useFieldWiring(): Wiring {
  return use(FieldWiring)
}

type FieldProps = {
  name: string
  label: ReactNode
  /** Help text below the label. */
  hint?: ReactNode
  /** Overrides the form's error for this name. */
  error?: string
  /** Marks the label '(optional)'; all other fields are required. */
  optional?: boolean
  className?: string
  children: ReactNode
}

/** A label, control, hint and error, connected for accessibility. */
export function Field({ name, label, hint, error, optional, className, children }: FieldProps) {
  const id = useId()
  const words = error ?? use(FormErrors)[name]
  const describedBy = cx(hint !== undefined && `${id}-hint`, words !== undefined && `${id}-error`)
  const wiring: Wiring = {
    id,
    name,
    required: !optional,
    'aria-describedby': describedBy || undefined,
    'aria-invalid': words === undefined ? undefined : true,
  }
  return (
    <div className={cx('grid content-start gap-1.5', className)}>
      <label htmlFor={id} className="font-medium text-sm">
        {label}
        {optional && <span className="font-normal text-ink-faint">{` ${t('(optional)')}`}</span>}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-ink-faint text-sm">
          {hint}
        </p>
      )}
      <FieldWiring value={wiring}>{children}</FieldWiring>
      {words !== undefined && (
        <p id={`${id}-error`} className="text-bad text-sm">
          {words}
        </p>
      )}
    </div>
  )
}
