import { use, useId } from 'react'
import { FormErrors } from '#web/ui/field.tsx'
import { Checkbox } from '#web/ui/input.tsx'

type ChoicesProps<Name extends string> = {
  legend: string
  /** Names of the fields, `either` of the form; the first has the error of them all. */
  names: readonly Name[]
  words: Readonly<Record<Name, string>>
}

/** Checkboxes of which at least one is needed; a chosen one is 'yes'. */
export function Choices<Name extends string>({ legend, names, words }: ChoicesProps<Name>) {
  const error = use(FormErrors)[names[0]!]
  const id = useId()
  return (
    <fieldset className="grid gap-1" aria-describedby={error === undefined ? undefined : id}>
      <legend className="mb-1 font-medium text-sm">{legend}</legend>
      {names.map(name => (
        <Checkbox key={name} name={name} value="yes" aria-invalid={error === undefined ? undefined : true}>
          {words[name]}
        </Checkbox>
      ))}
      {error !== undefined && (
        <p id={id} className="text-bad text-sm">
          {error}
        </p>
      )}
    </fieldset>
  )
}
