import { type ReactNode, use, useId } from 'react'
import { FormErrors } from '#web/ui/field.tsx'
import { Checkbox } from '#web/ui/input.tsx'

/** A required attestation checkbox; its value is 'yes'. */
export function Attestation({ name, children }: { name: string; children: ReactNode }) {
  const error = use(FormErrors)[name]
  const id = useId()
  return (
    <div className="grid gap-1">
      <Checkbox
        name={name}
        value="yes"
        required
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : id}
      >
        {children}
      </Checkbox>
      {error !== undefined && (
        <p id={id} className="text-bad text-sm">
          {error}
        </p>
      )}
    </div>
  )
}
