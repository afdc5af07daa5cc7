import { type ReactNode, use, useId } from 'react'
import { cx } from './cx.ts'
import { FormErrors } from './field.tsx'

type FieldGroupProps = {
  legend: string
  hideLegend?: boolean
  /** The field that has the group's error. */
  name: string
  className?: string
  /** @param isInvalid for aria-invalid of each control */
  children: (isInvalid: true | undefined) => ReactNode
}

/** Radio buttons or checkboxes with their legend and their error. */
export function FieldGroup({ legend, hideLegend, name, className, children }: FieldGroupProps) {
  const id = useId()
  const error = use(FormErrors)[name]
  return (
    <fieldset aria-describedby={error === undefined ? undefined : id}>
      <legend className={hideLegend ? 'sr-only' : 'mb-1.5 font-medium text-sm'}>{legend}</legend>
      <div className={cx('grid', className)}>{children(error === undefined ? undefined : true)}</div>
      {error !== undefined && (
        <p id={id} className="mt-1.5 text-bad text-sm">
          {error}
        </p>
      )}
    </fieldset>
  )
}
